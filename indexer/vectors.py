"""Vectors become nearest chunk ids: Chroma, one collection a segment.

A segment is written by one process, sealed, and never changed again; a search asks all segments of its version.
Chroma's persistent client keeps its graph in memory and neither sees nor survives another process's writes to the same
folder (chroma-core/chroma#3792, #6975), so each segment has a folder of its own: readers only open sealed ones. A
Chroma server (by URL) holds each segment as a collection of that name. Chroma stores ids and vectors only; texts are
in the catalog.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
import weakref
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
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
# How many candidates the graph keeps while it is searched. With Chroma's 100, 60 real questions to 7,696 chunks of code
# found 95.5 % of the true nearest 100 (and once not the nearest); with 400 99.5 %, for 1 ms more.
SEARCH_BREADTH = 600
# How many it keeps while a vector is added: with Chroma's 100 adding costs half as much again. 40,000 vectors: 22 s of
# CPU and 98.5 % of the nearest 200 with (100, 400), 15 s and 98.8 % with (60, 600).
BUILD_BREADTH = 60
LOCK_TIMEOUT_S = 5.0
SEAL = "sealed.json"
GRAPH_NAMES = "index_metadata.pickle"
GRAPH_SUFFIXES = (".bin", ".pickle")


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

    def seal(self) -> None:
        """End the writing: the segment is closed, and whoever opens it can tell whether it is whole."""
        ...

    def close(self) -> None:
        """Let go of it, sealed or not."""
        ...


class VectorStore(Protocol):
    def create(self, name: str) -> Segment: ...

    def open(self, name: str) -> Segment:
        """Raises IndexDamaged when the segment is missing or cannot be read."""
        ...

    def drop(self, name: str) -> None:
        """Delete a segment; one that is not there is none to delete."""
        ...


class ChromaSegment:
    def __init__(self, collection: Any, where: str) -> None:
        self._collection = collection
        self._where = where

    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        for start in range(0, len(ids), LARGEST_BATCH):
            batch = [str(chunk_id) for chunk_id in ids[start : start + LARGEST_BATCH]]
            with _writing(self._where):
                self._collection.upsert(ids=batch, embeddings=vectors[start : start + LARGEST_BATCH])

    def search(self, vector: Vectors, limit: int) -> list[tuple[int, float]]:
        with _reading(self._where):
            found = self._collection.query(query_embeddings=vector[None], n_results=limit, include=["distances"])
        return [(int(i), 1.0 - d) for i, d in zip(found["ids"][0], found["distances"][0], strict=True)]

    def vectors(self, ids: Sequence[int]) -> Vectors:
        rows: dict[str, Any] = {}
        for start in range(0, len(ids), LARGEST_BATCH):
            batch = [str(chunk_id) for chunk_id in ids[start : start + LARGEST_BATCH]]
            with _reading(self._where):
                got = self._collection.get(ids=batch, include=["embeddings"])
            rows |= zip(got["ids"], got["embeddings"], strict=True)
        if len(rows) < len(ids):
            raise IndexDamaged(_damaged(self._where, f"{len(ids) - len(rows)} vectors are missing"))
        return np.array([rows[str(chunk_id)] for chunk_id in ids], dtype=np.float32)

    def seal(self) -> None:
        """A server keeps its collections whole by itself."""

    def close(self) -> None:
        """A server does not care."""


class _LocalSegment(ChromaSegment):
    """A segment in a folder of its own. Its client is closed with the last reference to it, never under a thread that
    searches, or when it is sealed."""

    def __init__(self, client: Any, collection: Any, folder: Path) -> None:
        super().__init__(collection, str(folder))
        self._folder = folder
        self._close = weakref.finalize(self, client.close)

    def close(self) -> None:
        self._close()

    def seal(self) -> None:
        self.close()
        with _writing(self._where):
            partial = self._folder / f"{SEAL}.partial"
            partial.write_text(json.dumps(_checksums(self._folder)), "utf-8")
            partial.replace(self._folder / SEAL)


class LocalVectorStore:
    """Segments as folders below `root`, each a persistent Chroma client of its own.

    Chroma keeps every client it ever made; here one is closed as soon as nobody holds its segment any more.
    """

    COLLECTION = "chunks"

    def __init__(self, root: Path) -> None:
        self._root = root
        self._opening = threading.Lock()  # Chroma's table of clients has none

    def create(self, name: str) -> Segment:
        folder = self._root / name
        with _writing(str(folder)):
            folder.mkdir(parents=True)
            client = self._client(folder)
            return _LocalSegment(client, _create(client, self.COLLECTION), folder)

    def open(self, name: str) -> Segment:
        folder = self._root / name
        if not (folder / "chroma.sqlite3").is_file():
            raise IndexDamaged(_damaged(str(folder), "it is missing"))
        _demand_whole(folder)
        _demand_unlocked(folder / "chroma.sqlite3")
        with _reading(str(folder)):
            client = self._client(folder)
            return _LocalSegment(client, _open(client, self.COLLECTION), folder)

    def drop(self, name: str) -> None:
        shutil.rmtree(self._root / name, ignore_errors=True)

    def _client(self, folder: Path) -> Any:
        import chromadb

        with self._opening:
            return chromadb.PersistentClient(str(folder), settings=_settings())


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
        where = f"{name} on the Chroma server"
        with _writing(where):
            return ChromaSegment(_create(self._client, self.PREFIX + name), where)

    def open(self, name: str) -> Segment:
        where = f"{name} on the Chroma server"
        with _reading(where):
            return ChromaSegment(_open(self._client, self.PREFIX + name), where)

    def drop(self, name: str) -> None:
        from chromadb.errors import NotFoundError

        with _writing(f"{name} on the Chroma server"), suppress(NotFoundError):
            self._client.delete_collection(self.PREFIX + name)


def _checksums(folder: Path) -> dict[str, int]:
    """The checksum of each file of Chroma's graph. SQLite finds its own faults, and its file may change when read.

    A graph without its list of names was never written (fewer vectors than SYNC_THRESHOLD): Chroma makes it when asked.
    """
    files = sorted(file for file in folder.rglob("*") if file.suffix in GRAPH_SUFFIXES)
    written = any(file.name == GRAPH_NAMES for file in files)
    return {str(file.relative_to(folder)): _checksum(file) for file in files} if written else {}


def _checksum(file: Path) -> int:
    checksum = 0
    with file.open("rb") as stream:
        while piece := stream.read(1 << 20):
            checksum = zlib.crc32(piece, checksum)
    return checksum


def _demand_whole(folder: Path) -> None:
    """Raises IndexDamaged unless the graph is as it was sealed: a torn one can end the process inside Chroma."""
    try:
        sealed = json.loads((folder / SEAL).read_text("utf-8"))
        differing = sealed.items() ^ _checksums(folder).items()
    except (OSError, ValueError, AttributeError) as error:
        raise IndexDamaged(_damaged(str(folder), f"its seal is missing: {error}")) from error
    if differing:
        raise IndexDamaged(_damaged(str(folder), f"{min(differing)[0]} is not as it was written"))


def _demand_unlocked(database: Path) -> None:
    """Raises StorageError while another process holds the database: Chroma would wait for it and stop every thread."""
    with closing(sqlite3.connect(database, timeout=LOCK_TIMEOUT_S)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.DatabaseError as error:  # what else is wrong with it, Chroma says
            if "locked" in str(error):
                raise StorageError(f"The vector segment {database.parent} is locked by another process.") from error


def _settings() -> Any:
    from chromadb.config import Settings

    # Chroma would read any `.env` in the current folder, which is RepoPilot's or another project's.
    return Settings(anonymized_telemetry=False, _env_file=None)


def _create(client: Any, name: str) -> Any:
    hnsw = {
        "space": "cosine",
        "batch_size": LARGEST_BATCH,
        "sync_threshold": SYNC_THRESHOLD,
        "ef_search": SEARCH_BREADTH,
        "ef_construction": BUILD_BREADTH,
    }
    return client.create_collection(name, embedding_function=None, configuration={"hnsw": hnsw})


def _open(client: Any, name: str) -> Any:
    return client.get_collection(name, embedding_function=None)


@contextmanager
def _reading(where: str) -> Iterator[None]:
    from chromadb.errors import ChromaError

    with _reaching(where):
        try:
            yield
        except (ChromaError, OSError) as error:
            raise IndexDamaged(_damaged(where, str(error))) from error


@contextmanager
def _writing(where: str) -> Iterator[None]:
    from chromadb.errors import ChromaError

    with _reaching(where):
        try:
            yield
        except (ChromaError, OSError) as error:
            raise StorageError(
                f"The vector segment {where} cannot be written ({error}); free space or mend its permissions,"
                " then try again."
            ) from error


@contextmanager
def _reaching(where: str) -> Iterator[None]:
    import httpx

    try:
        yield
    except httpx.HTTPError as error:
        raise StorageError(
            f"The vector segment {where} cannot be reached ({error}); start the server, then try again."
        ) from error


def _damaged(where: str, what: str) -> str:
    return f"The vector segment {where} cannot be read ({what}); run `repopilot index SOURCE --full` to rebuild it."
