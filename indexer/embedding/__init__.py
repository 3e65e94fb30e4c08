"""Texts become unit vectors. The embedder's name is kept in the index: vectors of two embedders never meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from indexer.types import Chunk

Vectors = NDArray[np.float32]

# What a model is shown of a chunk, in characters: the models at hand read a few hundred tokens.
LONGEST_CARD = 2_000


class Embedder(Protocol):
    """Anything that turns texts into vectors."""

    @property
    def name(self) -> str:
        """Identifies model and revision; equal names give equal vectors."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of passages, shape (len(texts), dimension). Raises EmbedderError."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """The unit vector of a question, shape (dimension,). Raises EmbedderError."""
        ...


def card(path: str, chunk: Chunk) -> str:
    """What a model is shown of a chunk: where it is, what it is, what it says."""
    return f"{path}\n{chunk.symbol}\n{chunk.text}"[:LONGEST_CARD]


def open_embedder(model: str | None = None, url: str | None = None, api_key: str | None = None) -> Embedder:
    """The built-in static model; a sentence-transformers model by name; `/v1/embeddings` when `url` is given."""
    if url:
        from indexer.embedding.remote import RemoteEmbedder

        return RemoteEmbedder(url, model or "", api_key)
    if model:
        from indexer.embedding.transformer import TransformerEmbedder

        return TransformerEmbedder(model)
    from indexer.embedding.static import StaticEmbedder

    return StaticEmbedder()


def unit(vectors: NDArray[np.floating]) -> Vectors:
    """Rows scaled to length 1; a zero row (a text without known tokens) becomes the first axis, near nothing."""
    result = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(result, axis=1, keepdims=True)
    result = (result / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    result[lengths[:, 0] == 0, 0] = 1
    return result
