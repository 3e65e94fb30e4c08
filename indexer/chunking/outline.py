"""What a reader of one file format hands to the packer: the file's rows, its indivisible blocks, its definitions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from indexer import types

ROW_CHARS: Final = 40
"""A row counts for at least this much on average, so that 60 short rows fill a chunk as 2,400 characters do."""


class Rows:
    """The lines of a text, counted from 0 and split at `\\n` only, with the size of any span in constant time."""

    __slots__ = ("_offsets", "text")

    def __init__(self, text: str) -> None:
        rows = text.split("\n")
        if not rows[-1]:
            rows.pop()
        self.text: Sequence[str] = rows
        self._offsets = [0, *accumulate(len(row) + 1 for row in rows)]

    def __len__(self) -> int:
        return len(self.text)

    def characters(self, start: int, end: int) -> int:
        """The characters of rows `start`..`end` (exclusive), their line ends included."""
        return self._offsets[end] - self._offsets[start]

    def size(self, start: int, end: int) -> int:
        """How full rows `start`..`end` (exclusive) make a chunk, in characters."""
        return max(self._offsets[end] - self._offsets[start], ROW_CHARS * (end - start))

    def blank(self, row: int) -> bool:
        """Whether a row holds nothing to read; what lies outside the file is blank too."""
        return not 0 <= row < len(self.text) or not self.text[row].strip()

    def indent(self, row: int) -> int:
        return len(self.text[row]) - len(self.text[row].lstrip())


@dataclass(frozen=True, slots=True)
class Block:
    """Rows `start`..`end` (exclusive) that stay together as long as they fit a chunk.

    `scope` is the qualified name or heading path around the block, `name` what a chunk that is mostly this block is
    called. A cut before a block of lesser `depth` is better. A `header` (a class up to its first method) is kept
    apart from what follows, a block that `opens` a section from what precedes, and a `whole` block (fenced code) is
    cut only where it passes every limit.
    """

    start: int
    end: int
    scope: str = ""
    name: str = ""
    depth: int = 0
    header: bool = False
    opens: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """A qualified name, the row that it stands in, and the rows `start`..`end` (exclusive) that define it."""

    row: int
    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Outline:
    """A file as blocks and definitions, both in the order of their rows; blocks do not overlap."""

    blocks: Sequence[Block]
    definitions: Sequence[Definition] = ()

    def within(self, start: int, end: int) -> tuple[types.Definition, ...]:
        """What rows `start`..`end` (exclusive) define, each name once, cut to these rows."""
        first = bisect_left(self.definitions, start, key=_row)
        last = bisect_left(self.definitions, end, key=_row)
        by_name = {found.name: found for found in reversed(self.definitions[first:last])}
        return tuple(
            types.Definition(found.name, max(found.start, start) + 1, min(found.end, end))
            for found in reversed(by_name.values())
        )


def _row(definition: Definition) -> int:
    return definition.row
