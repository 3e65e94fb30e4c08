"""Jupyter notebooks, by cell. Outputs are never read: they are data, often megabytes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from indexer.chunking import lines, markdown, syntax
from indexer.chunking.headings import Headings
from indexer.chunking.outline import Outline, Rows
from indexer.chunking.packing import pack
from indexer.decoding import without_lone_surrogates
from indexer.types import Chunk, Definition

Piece = TypeVar("Piece", Chunk, Definition)

LONGEST_ROW: Final = 2_000
"""In a notebook that is no JSON, a row beyond this is an image or a table, not something a person wrote."""

_SOURCE: Final = re.compile(r"\"source\"\s*:\s*")


@dataclass(frozen=True, slots=True)
class _Cell:
    """The text of a cell, and the lines of the file (1-based, inclusive) that hold it."""

    kind: str
    text: str
    start_line: int
    end_line: int


def chunks(text: str) -> tuple[Chunk, ...]:
    """The chunks of each cell. What is not a notebook is cut by lines."""
    try:
        cells = list(_cells(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        rows = Rows(text)
        return pack(rows, lines.outline(rows, "json", LONGEST_ROW))
    headings = Headings()
    return tuple(chunk for cell in cells for chunk in _chunks(cell, headings))


def _cells(text: str) -> Iterator[_Cell]:
    """The cells with a source, found again in the raw text in their order."""
    decoder, at = json.JSONDecoder(), 0
    for cell in json.loads(text)["cells"]:
        for match in _SOURCE.finditer(text, at):
            source, at = decoder.raw_decode(text, match.end())
            if source == cell["source"]:
                yield _cell(cell, text, match.end(), at)
                break


def _cell(cell: Mapping[str, Any], text: str, start: int, end: int) -> _Cell:
    source = cell["source"]
    if isinstance(source, list):
        start, end = text.index('"', start, end) if source else start, text.rindex('"', start, end) if source else end
    first = text.count("\n", 0, start) + 1
    own_text = without_lone_surrogates("".join(source))
    return _Cell(str(cell["cell_type"]), own_text, first, first + text.count("\n", start, end))


def _chunks(cell: _Cell, headings: Headings) -> Iterator[Chunk]:
    rows = Rows(cell.text)
    # Jupyter writes one row of the cell a row of the file; other writers may put all on one.
    one_to_one = len(rows) == cell.end_line - cell.start_line + 1
    for chunk in pack(rows, _outline(cell, rows, headings)):
        yield replace(
            _placed(chunk, cell, one_to_one),
            symbol=chunk.symbol or headings.path,
            definitions=tuple(_placed(found, cell, one_to_one) for found in chunk.definitions),
        )


def _placed(piece: Piece, cell: _Cell, one_to_one: bool) -> Piece:
    """The piece of a cell with its lines in the file."""
    if not one_to_one:
        return replace(piece, start_line=cell.start_line, end_line=cell.end_line)
    before = cell.start_line - 1
    return replace(piece, start_line=piece.start_line + before, end_line=piece.end_line + before)


def _outline(cell: _Cell, rows: Rows, headings: Headings) -> Outline:
    """Code is read as Python, which most is: in another language no names are found, and its rows stay as they are."""
    if cell.kind == "markdown":
        outline = markdown.outline(rows, headings)
    elif cell.kind == "code":
        outline = syntax.outline(rows, "python")
    else:
        outline = Outline(())
    return outline if outline.blocks else lines.outline(rows)
