"""reStructuredText, by heading. docutils would import and run directives, and give up at those of Sphinx: not used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from indexer.chunking.headings import Headings, without_bare_headings
from indexer.chunking.outline import Block, Definition, Outline, Rows

# https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#sections
_ADORNMENT: Final = re.compile(r"([!-/:-@\[-`{-~])\1*\s*$")
_CODE: Final = re.compile(r"\s*\.\. (?:[\w-]+:)?(?:code|code-block|sourcecode|highlight|parsed-literal|math)::")
_MARKUP: Final = re.compile(r":[\w:-]+:(?=`)|[`*|]+")
_SHORTEST_ADORNMENT: Final = 4
"""An underline shorter than its title is one all the same from here on."""


@dataclass(frozen=True, slots=True)
class _Title:
    start: int
    end: int
    text: str
    adornment: str


def outline(rows: Rows) -> Outline:
    """Headings as scopes and definitions; what blank rows part as blocks, but never inside code."""
    titles = list(_titles(rows))
    sections = list(_sections(titles))
    borders = [0, *(title.start for title in titles), len(rows)]
    definitions = [
        Definition(start, path, start, end) for path, (start, end) in zip(sections, pairwise(borders[1:]), strict=True)
    ]
    scopes = ["", *sections]
    blocks = [
        block
        for (start, end), scope in zip(pairwise(borders), scopes, strict=True)
        for block in _blocks(rows, start, end, scope)
    ]
    return Outline(without_bare_headings(blocks), definitions)


def _titles(rows: Rows) -> Iterator[_Title]:
    """Unindented rows with an underline, and perhaps an overline, after a blank row."""
    row = 0
    while row < len(rows):
        title = _title_at(rows, row)
        if title:
            yield title
        row = title.end if title else row + 1


def _title_at(rows: Rows, row: int) -> _Title | None:
    if not rows.blank(row - 1) or rows.blank(row):
        return None
    over = _adornment(rows, row)
    text = rows.text[row + 1].strip() if over and row + 1 < len(rows) else rows.text[row].rstrip()
    under = _adornment(rows, row + 2 if over else row + 1)
    indented = not over and rows.indent(row) > 0
    wide = len(under) >= min(len(text), _SHORTEST_ADORNMENT)
    if not text or indented or not under or not wide or (over and over != under) or _ADORNMENT.match(text):
        return None
    style = under[0] * (2 if over else 1)
    return _Title(row, row + (3 if over else 2), _MARKUP.sub("", text), style)


def _adornment(rows: Rows, row: int) -> str:
    """The rule in a row, or ""."""
    return rows.text[row].rstrip() if row < len(rows) and _ADORNMENT.match(rows.text[row]) else ""


def _sections(titles: list[_Title]) -> Iterator[str]:
    """The heading path of each title; levels are the adornments in the order of their first use."""
    headings, levels = Headings(), list(dict.fromkeys(title.adornment for title in titles))
    for title in titles:
        yield headings.enter(levels.index(title.adornment), title.text)


def _blocks(rows: Rows, start: int, end: int, scope: str) -> Iterator[Block]:
    """The rows of a section as paragraphs, each as deep as it is indented; code goes with the paragraph above it."""
    first, code_indent, has_code = start, _code_indent(rows, start, end), False
    for row in range(start + 1, end):
        if rows.blank(row):
            continue
        if code_indent is not None and rows.indent(row) > code_indent:
            has_code = True
            continue
        if rows.blank(row - 1):
            yield Block(first, row, scope, scope, rows.indent(first), opens=first == start, whole=has_code)
            first, has_code = row, False
        code_indent = _code_indent(rows, row, end)
    if first < end:
        yield Block(first, end, scope, scope, rows.indent(first), opens=first == start, whole=has_code)


def _code_indent(rows: Rows, row: int, end: int) -> int | None:
    """The indentation beyond which rows are code, when this one introduces code."""
    text = rows.text[row].rstrip() if row < end else ""
    introduces = _CODE.match(text) or (text.endswith("::") and not text.lstrip().startswith(".. "))
    return rows.indent(row) if introduces else None
