"""The rows of the catalog as values."""

from __future__ import annotations

from dataclasses import dataclass

from indexer.types import Chunk, FileKind, Origin, Skipped


@dataclass(frozen=True, slots=True)
class Collection:
    """All versions of one repository, made by one embedder and one chunker. `name` names its lexical index."""

    id: int
    name: str
    repository: str
    embedder: str
    chunker: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One version that can answer."""

    id: int
    collection: Collection
    origin: Origin
    indexed_at: str
    files: int
    chunks: int


@dataclass(frozen=True, slots=True)
class StoredSegment:
    """A sealed segment of vectors: how many chunks it holds, and how many of them some version still reaches."""

    id: int
    name: str
    chunks: int
    reached: int


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that is chunked, embedded and searchable."""

    id: int
    path: str
    content_id: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chunk stands: enough to rank it, cheaper than its text."""

    path: str
    kind: FileKind
    generated: bool


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk with the file it belongs to."""

    id: int
    path: str
    language: str
    kind: FileKind
    generated: bool
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Rejected:
    """A skipped path with the content that was looked at (None where the path alone decided)."""

    skipped: Skipped
    content_id: str | None
