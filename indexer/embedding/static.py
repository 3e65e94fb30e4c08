"""The built-in embedder: a static model made by `training/`, read by tokenizers and NumPy alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from indexer.embedding import Vectors, unit
from indexer.embedding.tokens import MODEL_FOLDER, Tokens
from indexer.errors import EmbedderError

WEIGHTS = "model.safetensors"


class StaticEmbedder:
    """A table of token vectors; a text is the mean of its tokens. No torch, no network."""

    def __init__(self, folder: Path = MODEL_FOLDER) -> None:
        self._folder = folder
        self._tokens = Tokens(folder)

    @cached_property
    def name(self) -> str:
        return f"static-{self._digest()[:12]}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        table = token_table(self._folder)
        means = np.zeros((len(texts), table.shape[1]), dtype=np.float32)
        for mean, ids in zip(means, self._tokens.encode(texts), strict=True):
            if len(ids):
                table[ids].mean(axis=0, out=mean)
        return unit(means)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector

    def _digest(self) -> str:
        try:
            return hashlib.sha256((self._folder / WEIGHTS).read_bytes()).hexdigest()
        except OSError as error:
            raise EmbedderError(f"The built-in embedding model is missing ({error}); reinstall repopilot.") from error


@lru_cache(maxsize=1)
def token_table(folder: Path = MODEL_FOLDER) -> Vectors:
    """Shape (tokens, dimension): int8 rows with their scales, the unknown one zero; read once. Raises EmbedderError."""
    from safetensors.numpy import load_file

    try:
        arrays = load_file(folder / WEIGHTS)
        table: Vectors = arrays["embeddings"] * arrays.get("weights", np.ones(1, np.float32))[:, None]
    except Exception as error:  # safetensors raises errors of its own, and bare ones
        raise EmbedderError(f"The embedding model in {folder} cannot be read ({error}).") from error
    return table
