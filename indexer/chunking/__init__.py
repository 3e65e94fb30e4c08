"""A document becomes chunks: pieces a maintainer would cite, each with its exact lines and its name."""

from __future__ import annotations

from typing import Final

from indexer.chunking import lines, markdown, notebook, restructuredtext, syntax
from indexer.chunking.languages import BY_NAME, language_of
from indexer.chunking.outline import Outline, Rows
from indexer.chunking.packing import pack
from indexer.types import Chunk, Document

__all__ = ["CHUNKER_VERSION", "chunk", "language_of"]

CHUNKER_VERSION: Final = 2
"""Raised whenever the same text may give other chunks, so that an index made before is made anew."""


def chunk(document: Document) -> tuple[Chunk, ...]:
    """The chunks of a document, in order; none overlap and none miss a line that holds anything to read.

    Never raises, whatever the text. A line beyond 50,000 characters is data and left out.
    """
    if document.language == "notebook":
        return notebook.chunks(document.text)
    rows = Rows(document.text)
    return pack(rows, _outline(rows, document.language))


def _outline(rows: Rows, name: str) -> Outline:
    match name:
        case "markdown":
            outline = markdown.outline(rows)
        case "rst":
            outline = restructuredtext.outline(rows)
        case _ if (language := BY_NAME.get(name)) and language.grammar:
            outline = syntax.outline(rows, name)
        case _:
            outline = Outline(())
    return outline if outline.blocks else lines.outline(rows, name)
