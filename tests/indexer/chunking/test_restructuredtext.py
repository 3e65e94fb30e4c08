"""How reStructuredText is cut: by heading, and never inside code."""

from __future__ import annotations

from indexer.chunking import chunk
from indexer.types import Chunk, Document

PARAGRAPH = "Some words that explain what is going on here, at length. " * 10 + "\n\n"


def chunks_of(text: str) -> tuple[Chunk, ...]:
    return chunk(Document("a.rst", "", "rst", "docs", text))


def test_levels_follow_the_first_use_of_each_adornment() -> None:
    text = "====\nBook\n====\n\nx\n\nOne\n===\n\nx\n\n``Deep``\n~~~~~~~~\n\nx\n\nTwo\n===\n\nx\n"
    assert [piece.symbol for piece in chunks_of(text)] == ["Book", "Book > One", "Book > One > Deep", "Book > Two"]


def test_directives_code_and_tables_hold_no_headings() -> None:
    text = (
        "Title\n=====\n\nSub\n---\n\n.. code-block:: python\n\n   # no heading\n   run()\n   =====\n\n"
        ".. include:: ../other.rst\n\nText::\n\n   literal\n   -------\n\n"
        "=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n"
    )
    chunks = chunks_of(text)
    assert [found.name for piece in chunks for found in piece.definitions] == ["Title", "Title > Sub"]
    assert [piece.symbol for piece in chunks] == ["Title > Sub"]


def test_transition_is_no_heading() -> None:
    assert [piece.symbol for piece in chunks_of("A\n=\n\nx\n\n-----\n\ny\n")] == ["A"]


def test_code_is_never_cut() -> None:
    code = "So it goes::\n\n" + "   run()\n\n" * 300
    chunks = chunks_of("A\n=\n\n" + PARAGRAPH * 4 + code + PARAGRAPH * 4)
    (whole,) = (piece for piece in chunks if "run()" in piece.text)
    assert whole.text.count("run()") == 300
    assert len(chunks) >= 3
