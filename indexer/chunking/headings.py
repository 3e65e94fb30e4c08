"""The heading path of a document while it is read from top to bottom, and headings that have no text of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Final

from indexer.chunking.outline import Block

SEPARATOR: Final = " > "


class Headings:
    """The titles around the current row."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def path(self) -> str:
        return SEPARATOR.join(title for _, title in self._open)

    def enter(self, level: int, title: str) -> str:
        """The path with a new title, which closes those of its level and below."""
        self._open = [*(above for above in self._open if above[0] < level), (level, title)]
        return self.path


def without_bare_headings(blocks: Sequence[Block]) -> list[Block]:
    """The blocks from row 0 on, a heading that another follows at once in one block with that."""
    joined: list[Block] = []
    waiting: int | None = 0
    for block, following in zip_longest(blocks, blocks[1:]):
        whole = block if waiting is None else replace(block, start=waiting)
        alone = following is not None and block.opens and following.opens
        waiting = whole.start if alone else None
        if not alone:
            joined.append(whole)
    return joined
