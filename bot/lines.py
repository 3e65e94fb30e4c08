"""Lines of an indexed file, by where they stand: what a citation shows, and what other programs read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.retrieval import Retriever, index_of
from bot.types import Index
from indexer.permalink import permalink
from indexer.stores import Stores

MOST: Final = 400


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file in one indexed version, 1-based and inclusive, with a permalink to them. `total_lines` says how
    many the file has."""

    path: str
    start_line: int
    end_line: int
    total_lines: int
    text: str
    url: str
    index: Index


class LineReader:
    """Reads files out of the index, so that what is shown is what was indexed."""

    def __init__(self, stores: Stores, retriever: Retriever) -> None:
        self._stores = stores
        self._retriever = retriever

    def read(
        self,
        path: str,
        start_line: int = 1,
        end_line: int | None = None,
        repository: str | None = None,
        ref: str | None = None,
    ) -> Excerpt | None:
        """Lines of a file, as far as there are, at most MOST of them; None when the version has no such file, or the
        file no such line. `ref` is a branch, tag, version or commit. Raises IndexMissing."""
        snapshot = self._retriever.snapshot(repository, ref)
        text = self._stores.catalog.text(snapshot, path)
        if text is None:
            return None
        lines = text.removesuffix("\n").split("\n")
        start = max(1, start_line)
        end = min(len(lines), start + MOST - 1, end_line or len(lines))
        if end < start:
            return None
        url = permalink(snapshot.origin, path, start, end)
        return Excerpt(path, start, end, len(lines), "\n".join(lines[start - 1 : end]), url, index_of(snapshot))

    def whole(self, path: str, repository: str | None = None, ref: str | None = None) -> str | None:
        """A file's text; None when the version has no such file. Raises IndexMissing."""
        return self._stores.catalog.text(self._retriever.snapshot(repository, ref), path)
