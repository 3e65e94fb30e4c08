"""Vectors become nearest chunk ids: Chroma, one collection a segment.

A segment is written by one process, sealed, and never changed again; a search asks all segments of its version.
Chroma's persistent client keeps its graph in memory and neither sees nor survives another process's writes to the same
folder (chroma-core/chroma#3792, #6975), so each segment has a folder of its own: readers only open sealed ones. A
Chroma server (by URL) holds each segment as a collection of that name. Chroma stores ids and vectors only; texts are
in the catalog.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from indexer.errors import IndexDamaged, StorageError

Vectors = NDArray[np.float32]

# Chroma refuses larger batches (SQLite variables); measured on 1.5.9.
LARGEST_BATCH = 5_000
# Chroma writes its graph to disk once this many records have come since the last time, and replays the rest whenever
# the folder is opened (4,700 records: 11 s). 2 is the least it takes: the graph is written after every batch, at no
# measurable cost with batches of thousands.
SYNC_THRESHOLD = 2


class Segment(Protocol):
    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        """Store unit vectors, shape (len(ids), dimension), under chunk ids."""
        ...

    def search(self, vector: Vectors, limit: int) -> list[tuple[int, float]]:
        """(chunk id, cosine similarity), best first, for one unit vector of shape (dimension,)."""
        ...

    def vectors(self, ids: Sequence[int]) -> Vectors:
        """The stored vectors of these ids, in their order."""
        ...


class VectorStore(Protocol):
    def create(self, name: str) -> Segment: ...

    def open(self, name: str) -> Segment:
        """Raises IndexDamaged when the segment is missing or cannot be read."""
        ...

    def drop(self, name: str) -> None: ...

    def names(self) -> set[str]:
        """Every segment that lies in the store, used or left over."""
        ...


class ChromaSegment:
    def __init__(self, collection: Any) -> None:
        self._collection = collection

    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        for start in range(0, len(ids), LARGEST_BATCH):
            batch = [str(chunk_id) for chunk_id in ids[start : start + LARGEST_BATCH]]
            self._collection.upsert(ids=batch, embeddings=vectors[start : start + LARGEST_BATCH])

    def search(self, vector: Vectors, limit: int) -> list[tuple[int, float]]:
        found = self._collection.query(query_embeddings=vector[None], n_results=limit, include=["distances"])
        return [(int(i), 1.0 - d) for i, d in zip(found["ids"][0], found["distances"][0], strict=True)]

    def vectors(self, ids: Sequence[int]) -> Vectors:
        rows: dict[str, Any] = {}
        for start in range(0, len(ids), LARGEST_BATCH):
            batch = [str(chunk_id) for chunk_id in ids[start : start + LARGEST_BATCH]]
            got = self._collection.get(ids=batch, include=["embeddings"])
            rows |= zip(got["ids"], got["embeddings"], strict=True)
        return np.array([rows[str(chunk_id)] for chunk_id in ids], dtype=np.float32)


class LocalVectorStore:
    """Segments as folders below `root`, each a persistent Chroma client of its own."""

    COLLECTION = "chunks"

    def __init__(self, root: Path) -> None:
        self._root = root

    def create(self, name: str) -> Segment:
        (self._root / name).mkdir(parents=True)
        return ChromaSegment(_create(self._client(name), self.COLLECTION))

    def open(self, name: str) -> Segment:
        if not (self._root / name / "chroma.sqlite3").is_file():
            raise IndexDamaged(
                f"The vector segment {self._root / name} is missing; run `repopilot index SOURCE --full` to rebuild it."
            )
        return ChromaSegment(_open(self._client(name), self.COLLECTION, str(self._root / name)))

    def drop(self, name: str) -> None:
        shutil.rmtree(self._root / name, ignore_errors=True)

    def names(self) -> set[str]:
        return {path.name for path in self._root.iterdir()} if self._root.is_dir() else set()

    def _client(self, name: str) -> Any:
        import chromadb

        return chromadb.PersistentClient(str(self._root / name), settings=_settings())


class ServerVectorStore:
    """Segments as collections of a Chroma server."""

    PREFIX = "repopilot-"

    def __init__(self, url: str) -> None:
        import chromadb

        parts = urlsplit(url)
        secure = parts.scheme == "https"
        try:
            self._client = chromadb.HttpClient(
                host=parts.hostname or "localhost",
                port=parts.port or (443 if secure else 8000),
                ssl=secure,
                settings=_settings(),
            )
        except ValueError as error:
            raise StorageError(
                f"The Chroma server at {url} does not answer ({error}); start it or unset REPOPILOT_CHROMA_URL."
            ) from error

    def create(self, name: str) -> Segment:
        return ChromaSegment(_create(self._client, self.PREFIX + name))

    def open(self, name: str) -> Segment:
        return ChromaSegment(_open(self._client, self.PREFIX + name, f"{name} on the Chroma server"))

    def drop(self, name: str) -> None:
        if name in self.names():
            self._client.delete_collection(self.PREFIX + name)

    def names(self) -> set[str]:
        found = (collection.name for collection in self._client.list_collections())
        return {name.removeprefix(self.PREFIX) for name in found if name.startswith(self.PREFIX)}


def _settings() -> Any:
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)


def _create(client: Any, name: str) -> Any:
    hnsw = {"space": "cosine", "batch_size": LARGEST_BATCH, "sync_threshold": SYNC_THRESHOLD}
    return client.create_collection(name, embedding_function=None, configuration={"hnsw": hnsw})


def _open(client: Any, name: str, where: str) -> Any:
    from chromadb.errors import ChromaError

    try:
        return client.get_collection(name, embedding_function=None)
    except ChromaError as error:
        raise IndexDamaged(
            f"The vector segment {where} cannot be read ({error}); run `repopilot index SOURCE --full` to rebuild it."
        ) from error
