"""Which lines of a text its blocks stand on, for whoever takes parts out of what somebody wrote and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import zip_longest
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.markdown.tree import MOST_NESTED, BlockKind

_NAMES: Final[dict[str, BlockKind]] = {
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "blockquote_open": "blockquote",
    "bullet_list_open": "bullet_list",
    "ordered_list_open": "ordered_list",
    "list_item_open": "list_item",
    "table_open": "table",
    "fence": "fence",
    "code_block": "fence",
    "hr": "hr",
    "html_block": "html_block",
}
_LINE_ENDS: Final = re.compile(r"\r\n?")
# They end no line, are in no address, and stand for nothing; the parser does not know all of them.
_UNREADABLE: Final = dict.fromkeys((0, *range(0xD800, 0xE000)), 0xFFFD)


@dataclass(frozen=True, slots=True)
class Block:
    """One block: lines `start` to `end`, counted from 0, without the last. `text` is a heading's or a paragraph's
    source or a fence's content, `mark` a fence's or heading's (empty for indented code), `depth` how many blocks hold
    it."""

    kind: BlockKind
    start: int
    end: int
    depth: int
    text: str = ""
    mark: str = ""


def with_line_feeds(text: str) -> str:
    """The text with each of CommonMark's line ends as one line feed."""
    return _LINE_ENDS.sub("\n", text)


@lru_cache(maxsize=4)
def blocks_of(text: str) -> tuple[Block, ...]:
    """All blocks of a text with line feeds, each before those that it holds. What was read last is kept."""
    return tuple(_blocks(_parser().parse(text.translate(_UNREADABLE))))


def quoted_lines(blocks: Iterable[Block]) -> set[int]:
    """The lines of quotations, as they are shown: a line that goes on with one needs no mark."""
    return _lines_of("blockquote", blocks)


def code_lines(blocks: Iterable[Block]) -> set[int]:
    """The lines of fences and indented code."""
    return _lines_of("fence", blocks)


def _lines_of(kind: BlockKind, blocks: Iterable[Block]) -> set[int]:
    return {at for block in blocks if block.kind == kind for at in range(block.start, block.end)}


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    for token, inside in zip_longest(tokens, tokens[1:]):
        if (kind := _NAMES.get(token.type)) and token.map:
            text = inside.content if inside and inside.type == "inline" else token.content
            yield Block(kind, token.map[0], token.map[1], token.level, text, token.markup)


@cache
def _parser() -> MarkdownIt:
    """Finds blocks and leaves their words unread."""
    parser = MarkdownIt("commonmark", {"maxNesting": MOST_NESTED}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
