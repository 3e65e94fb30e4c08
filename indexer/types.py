"""The indexer's vocabulary: what passes from a source to the stores. Frozen values, no behaviour that does I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

FileKind = Literal["code", "docs", "test", "example", "config"]
EntryMode = Literal["file", "symlink", "submodule"]


@dataclass(frozen=True, slots=True)
class Origin:
    """What one indexed version is: `ref` is what people call it, `commit` what it is pinned to.

    `commit` is a full SHA for a git repository, the release tag for an sdist, and `worktree-<digest>` for a plain
    folder. `web` is the code host's page of the repository (`https://github.com/owner/name`) or None when it has none.
    `fingerprint` changes whenever any file may have changed; equal fingerprints mean equal files.
    """

    repository: str
    ref: str
    commit: str
    web: str | None
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Address:
    """What a person typed to name a source: SOURCE, `--ref`, `--repository`."""

    source: str
    ref: str | None = None
    repository: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One path of a source, before its bytes are read. `content_id` is the git blob SHA-1 of the bytes."""

    path: str
    content_id: str
    size: int
    mode: EntryMode = "file"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One path with its bytes."""

    path: str
    content_id: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that was left out of the index, and why, in words for its maintainer."""

    path: str
    reason: str


class Source(Protocol):
    """A repository at one commit."""

    @property
    def origin(self) -> Origin: ...

    def entries(self) -> Sequence[Entry | Skipped]:
        """Every path, in path order; a path the source itself cannot represent comes as Skipped."""
        ...

    def read(self, entries: Iterable[Entry]) -> Iterator[SourceFile]:
        """The bytes of these entries, in the order asked. Memory is bounded by one file."""
        ...


@dataclass(frozen=True, slots=True)
class Document:
    """A source file that was decoded: `text` has the file's own line ends, and lines are split at `\\n` only."""

    path: str
    content_id: str
    language: str
    kind: FileKind
    text: str
    generated: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """A qualified name and the lines that define it, as far as they lie in the chunk that holds it."""

    name: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stored piece of a document: lines `start_line`..`end_line`, 1-based and inclusive.

    `text` is exactly those lines joined by `\\n` (no final newline), except in notebooks, where it is the cell's
    source. `symbol` is the qualified name (`Scheduler.schedule`) or the heading path (`Guide > Install`), or "".
    `definitions` are what this chunk defines, in order; for prose, the sections that start in it.
    """

    start_line: int
    end_line: int
    text: str
    symbol: str = ""
    definitions: tuple[Definition, ...] = ()
