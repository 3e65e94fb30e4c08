"""Text without a grammar, by lines: at blank lines and where the indentation is lowest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from indexer.chunking import declarations
from indexer.chunking.forms import FORMS
from indexer.chunking.outline import Block, Outline, Rows
from indexer.chunking.packing import LONGEST, by_rows

_SECTIONS: Final = {
    "yaml": re.compile(r"[\"']?([\w./-][^\"':#]*)[\"']?\s*:(?:\s|$)"),
    "json": re.compile(r"\s+\"([^\"]+)\"\s*:"),
    "toml": re.compile(r"\[\[?\s*([^\]]+?)\s*\]"),
    "ini": re.compile(r"\[\s*([^\]]+?)\s*\]"),
}
"""How a top-level key or section begins, where a row alone tells it."""

_COMMENTS: Final = ("#", ";")


def outline(rows: Rows, language: str = "text", longest: int = LONGEST) -> Outline:
    """Every row a block, named by the top-level key or section around it; rows beyond `longest` are left out.

    Code of a language that has forms is cut by these instead.
    """
    if language in FORMS:
        return declarations.outline(rows, language, longest)
    sections = _sections(rows, language)
    return Outline([row for section in sections for row in by_rows(rows, section, longest)])


def _sections(rows: Rows, language: str) -> Iterator[Block]:
    starts = list(_starts(rows, language))
    for (start, name), (end, _) in pairwise([(0, ""), *starts, (len(rows), "")]):
        yield Block(start, end, name=name)


def _starts(rows: Rows, language: str) -> Iterator[tuple[int, str]]:
    """The rows where top-level sections start, comments above them included. The first one tells the indentation."""
    pattern, indent, above = _SECTIONS.get(language), None, 0
    for row, text in enumerate(rows.text):
        match = pattern.match(text) if pattern else None
        if match and rows.indent(row) == (indent := rows.indent(row) if indent is None else indent):
            yield above, match[1].strip()
        if not text.startswith(_COMMENTS):
            above = row + 1
