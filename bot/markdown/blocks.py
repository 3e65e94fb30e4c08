"""A streamed text becomes its top-level blocks, each as soon as nothing that follows can change it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.markdown.tree import MOST_NESTED, parse
from bot.markdown.writing import markdown

# What has come in is read again while its last block goes on, but all in all not more often than this.
MOST_READINGS: Final = 6
_ALWAYS_READ: Final = 4_096
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ENDED_BY_BLANK: Final = frozenset({"paragraph_open", "heading_open", "table_open", "blockquote_open"})


@dataclass(frozen=True, slots=True)
class _Unit:
    """A top-level block, or one item of a top-level list: its first line, and its token."""

    line: int
    token: Token


class Blocks:
    """Cuts a text that comes in pieces into the sources of its blocks.

    A block is a paragraph, heading, table, fence, quotation or one item of a list, with blank lines around it; the
    blocks joined are the text. How the text was cut changes nothing. The cost is linear in the text's length.
    """

    def __init__(self) -> None:
        self._held = ""
        self._whole_lines = 0  # characters of `_held` that were read last
        self._fed = self._read = 0

    def feed(self, piece: str) -> list[str]:
        """The blocks that are final now."""
        self._held += piece
        self._fed += len(piece)
        whole = max(self._held.rfind("\n"), self._held.rfind("\r", 0, -1)) + 1  # a last `\r` may be half of a line end
        if whole <= self._whole_lines or self._read + whole > MOST_READINGS * self._fed + _ALWAYS_READ:
            return []
        self._read += whole
        blocks = _blocks(self._held[:whole], ended=False)
        self._held = self._held[sum(map(len, blocks)) :]
        self._whole_lines = whole - sum(map(len, blocks))
        return blocks

    def finish(self) -> list[str]:
        """The rest; a fence that is still open is closed."""
        blocks = _blocks(self._held, ended=True)
        self._held = ""
        if blocks:
            blocks[-1] = closed(blocks[-1])
        return [block for block in blocks if block]


def closed(block: str) -> str:
    """The source of a block whose last fence, if it is the end of it and open, is closed."""
    tokens = _parser().parse(block)
    last = next((token for token in reversed(tokens) if token.nesting == 0 and token.map), None)
    if last is None or last.type != "fence" or _is_closed(last, _LINE.findall(block)):
        return block
    if last.level:
        return markdown(parse(block))
    return block + ("" if block.endswith(("\n", "\r")) else "\n") + last.markup


def _blocks(text: str, ended: bool) -> list[str]:
    """The final blocks at the start of a text of whole lines; all of it when the text has ended."""
    lines = _LINE.findall(text)
    units = list(_units(_parser().parse(text)))
    ends = [_over(unit.token, lines) or after.line for unit, after in pairwise(units)]
    if units and (over := _over(units[-1].token, lines)):
        ends.append(over)
    if ended:
        ends.append(len(lines))
    return ["".join(lines[start:end]) for start, end in pairwise([0, *ends])]


def _units(tokens: Sequence[Token]) -> Iterator[_Unit]:
    for token in tokens:
        if token.nesting < 0 or not token.map:
            continue
        item = token.type == "list_item_open" and token.level == 1
        if item or (token.level == 0 and not token.type.endswith("_list_open")):
            yield _Unit(token.map[0], token)


def _over(token: Token, lines: Sequence[str]) -> int | None:
    """The line before which a block is over whatever follows; none if that depends on what does."""
    assert token.map is not None
    start, end = token.map
    if token.type == "hr" or (token.type == "heading_open" and token.markup.startswith("#")):
        return end
    if token.type == "fence":
        return end if _is_closed(token, lines) else None
    if token.type not in _ENDED_BY_BLANK:
        return None
    while end > start and not lines[end - 1].strip(" \t\r\n"):
        end -= 1
    return end + 1 if lines[end : end + 1] and not lines[end].strip(" \t\r\n") else None


def _is_closed(fence: Token, lines: Sequence[str]) -> bool:
    assert fence.map is not None
    start, end = fence.map
    mark = lines[end - 1].strip(" \t\r\n>" if fence.level else " \t\r\n")
    return end - start > 1 and len(mark) >= len(fence.markup) and not mark.strip(fence.markup[0])


@cache
def _parser() -> MarkdownIt:
    """Finds blocks and leaves their words unread."""
    parser = MarkdownIt("commonmark", {"maxNesting": MOST_NESTED}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
