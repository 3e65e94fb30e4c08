"""The rows of the catalog as values."""

from __future__ import annotations

from dataclasses import dataclass

from indexer.types import Address, Chunk, FileKind, Origin, Skipped


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
    """One version that can answer. `checked_at` is when its source was last seen to be the same; it is `stale` from
    when the source was seen to differ until the version that replaces it is there."""

    id: int
    collection: Collection
    origin: Origin
    indexed_at: str
    files: int
    chunks: int
    checked_at: str = ""
    stale: bool = False
    address: Address | None = None


@dataclass(frozen=True, slots=True)
class OpenSegment:
    """The segment that a collection's chunks go into until it is sealed."""

    id: int
    name: str


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
    """Where a chunk stands: enough to rank it, cheaper than its text. `aside`: its file is generated or vendored."""

    path: str
    kind: FileKind
    aside: bool


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
