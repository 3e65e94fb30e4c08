"""An embedder without a model: words are hashed into a few dimensions, so that texts with equal words are near."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np

from indexer.embedding import Vectors, unit

DIMENSIONS = 64
WORD = re.compile(r"[a-z]+|[0-9]+")


class HashingEmbedder:
    """Deterministic; `failure` is raised by the next questions, as a model server that is down would."""

    def __init__(self, name: str = "hashing-64") -> None:
        self.name = name
        self.failure: Exception | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word in WORD.findall(text.lower()):
                vector[zlib.crc32(word.encode()) % DIMENSIONS] += 1
        return unit(vectors)

    def embed_query(self, text: str) -> Vectors:
        if self.failure:
            raise self.failure
        vector: Vectors = self.embed([text])[0]
        return vector
