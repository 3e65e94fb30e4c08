"""What the index expects of any embedder."""

from __future__ import annotations

import numpy as np

from indexer.embedding import Embedder, Vectors

TEXTS = ("def allocate(blocks): ...", "", "   \n", "中文 ✓ \0", "block " * 3_000, "The parrot on the sign is green.")


def keeps_the_contract(embedder: Embedder) -> None:
    """Fails when vectors are not of length 1 and one dimension, differ from time to time, or are missing for a text."""
    vectors = embedder.embed(TEXTS)
    assert vectors.dtype == np.float32 and vectors.ndim == 2 and len(vectors) == len(TEXTS)
    assert _unit(vectors)
    assert np.array_equal(embedder.embed(TEXTS), vectors)
    assert np.allclose(embedder.embed(TEXTS[::-1]), vectors[::-1], atol=1e-5)
    assert len(embedder.embed([])) == 0
    query = embedder.embed_query("Where are blocks allocated?")
    assert query.shape == vectors.shape[1:] and query.dtype == np.float32 and _unit(query[None])
    assert embedder.name and embedder.name == embedder.name.strip()


def _unit(vectors: Vectors) -> bool:
    return bool(np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5))
