"""Markdown, by heading: CommonMark as markdown-it reads it, front matter, and the admonitions and tabs of MkDocs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from indexer.chunking.headings import SEPARATOR, Headings, without_bare_headings
from indexer.chunking.outline import Block, Definition, Outline, Rows
from indexer.chunking.packing import TINY

# https://squidfunk.github.io/mkdocs-material/reference/admonitions/ and …/content-tabs/
_MKDOCS: Final = re.compile(r"(?:!!!|\?\?\?\+?|===[!+]?) +(?:[\w-]|[\"'])")
_TAB: Final = re.compile(r"===[!+]? +[\"'](.+)[\"'] *$")
_MKDOCS_INDENT: Final = 4
_DEEPEST: Final = 6
"""How many admonitions inside one another are followed; what lies deeper is read as one block."""

_ATTRIBUTES: Final = re.compile(r"\s*\{:?\s*[#.][^{}]*\}\s*$")
_FRONT_MATTER_TITLE: Final = re.compile(r"title\s*:\s*[\"']?(.*?)[\"']?\s*$")


@dataclass(frozen=True, slots=True)
class _Part:
    """Something that starts in a row: a heading of some `level` and `title`, a tab that ends in a row, or neither."""

    start: int
    depth: int
    whole: bool = False
    level: int = 0
    title: str = ""
    tab: str = ""
    tab_end: int = 0


def outline(rows: Rows, headings: Headings | None = None) -> Outline:
    """Headings as scopes and definitions; paragraphs, list items, table rows and fences as blocks.

    `headings` is where the text stands (a cell of a notebook follows others) and moves on to its last section.
    """
    headings = headings or Headings()
    body = _front_matter_end(rows)
    lines = [as_parsed(row) for row in rows.text[body:]]
    parts = list(_one_a_row(_parts(lines, body, 0)))
    if not any(part.level == 1 for part in parts):
        _enter_front_matter_title(rows.text[:body], headings)
    if not parts:
        return Outline(())
    parts = _without_lead_in(rows, parts)
    blocks = list(_blocks(rows, parts, headings))
    definitions = [
        Definition(part.start, block.scope, block.start, block.end)
        for part, block in zip(parts, blocks, strict=True)
        if part.level
    ]
    return Outline(without_bare_headings(blocks), definitions)


def _front_matter_end(rows: Rows) -> int:
    """The row after a YAML header between two rows of dashes, or 0."""
    if not len(rows) or rows.text[0].rstrip() != "---":
        return 0
    return next((row + 1 for row in range(1, len(rows)) if rows.text[row].rstrip() in ("---", "...")), 0)


def _enter_front_matter_title(front_matter: Iterable[str], headings: Headings) -> None:
    for row in front_matter:
        if (match := _FRONT_MATTER_TITLE.match(row)) and match[1]:
            headings.enter(0, match[1])


def as_parsed(row: str) -> str:
    """A row as the parser is given it: what columns a tab stands for matters, and no other character ends a row."""
    return row.rstrip("\r").replace("\r", " ").expandtabs(_MKDOCS_INDENT)


@cache
def parser(rule: str) -> MarkdownIt:
    """A parser that stops after `rule`: "block" gives the structure alone, "inline" the words of a heading."""
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block", rule])
    return parser


def _parts(lines: Sequence[str], offset: int, nesting: int) -> Iterator[_Part]:
    """What starts where, in the order of the text; `offset` is the row of the first line."""
    skip = 0
    tokens = parser("block").parse("\n".join(lines))
    for at, token in enumerate(tokens):
        if token.map is None or token.type in ("inline", "hr") or token.map[0] < skip:
            continue
        start = token.map[0]
        if token.type == "paragraph_open" and nesting < _DEEPEST and _MKDOCS.match(lines[start].lstrip()):
            skip = _indented_until(lines, start)
            yield from _mkdocs(lines[start:skip], offset + start, nesting)
        else:
            yield _part(token, tokens[at + 1 : at + 2], offset, nesting)


def _part(token: Token, following: Sequence[Token], offset: int, nesting: int) -> _Part:
    start = offset + (token.map or [0])[0]
    if token.type == "heading_open" and token.level == 0 and (title := _title(following[0].content)):
        return _Part(start, 0, level=int(token.tag[1:]), title=title)
    # Code is introduced by what stands above it: a cut before it is worse than one before a paragraph.
    code = token.type in ("fence", "code_block")
    return _Part(start, 10 * nesting + 2 * token.level + code, whole=code)


def _title(markup: str) -> str:
    """The words of a heading, without emphasis, links, code marks and a trailing `{ #anchor }`."""
    (inline,) = parser("inline").parseInline(_ATTRIBUTES.sub("", markup))
    words = (child.content if child.type != "softbreak" else " " for child in inline.children or ())
    return " ".join("".join(word for word in words if not word.startswith("<")).split())


def _indented_until(lines: Sequence[str], start: int) -> int:
    """The line after the content of the admonition or tab whose marker is in line `start`."""
    indent = len(lines[start]) - len(lines[start].lstrip()) + _MKDOCS_INDENT
    end = start + 1
    for at in range(start + 1, len(lines)):
        if lines[at].strip():
            if not lines[at].startswith(" " * indent):
                break
            end = at + 1
    return end


def _mkdocs(lines: Sequence[str], offset: int, nesting: int) -> Iterator[_Part]:
    """An admonition or tab: its marker, then what it holds."""
    tab = _TAB.match(lines[0].strip())
    yield _Part(offset, 10 * nesting, tab=tab[1] if tab else "", tab_end=offset + len(lines))
    indent = len(lines[0]) - len(lines[0].lstrip()) + _MKDOCS_INDENT
    yield from _parts([line[indent:] for line in lines[1:]], offset + 1, nesting + 1)


def _one_a_row(parts: Iterable[_Part]) -> Iterator[_Part]:
    """A list, its first item and that item's paragraph start in one row: the outermost stands for all."""
    for _, same in groupby(parts, key=lambda part: part.start):
        first, *others = same
        yield replace(first, whole=first.whole or any(part.whole for part in others))


def _without_lead_in(rows: Rows, parts: list[_Part]) -> list[_Part]:
    """The parts from the first heading on, when little stands above it: a comment, a badge."""
    first = next((at for at, part in enumerate(parts) if part.level), 0)
    return parts[first:] if first and rows.size(0, parts[first].start) < TINY else parts


def _blocks(rows: Rows, parts: Sequence[_Part], headings: Headings) -> Iterator[Block]:
    tabs: list[_Part] = []
    ends = [*(part.start for part in parts[1:]), len(rows)]
    for part, end in zip(parts, ends, strict=True):
        if part.level:
            headings.enter(part.level, part.title)
        tabs = [tab for tab in tabs if tab.tab_end > part.start]
        if part.tab and rows.size(part.start, part.tab_end) >= TINY:
            tabs.append(part)
        scope = SEPARATOR.join(filter(None, [headings.path, *(tab.tab for tab in tabs)]))
        yield Block(part.start, end, scope, scope, part.depth, opens=part.level > 0, whole=part.whole)
