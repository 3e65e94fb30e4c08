"""What a search found, made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from bot.evidence import Asked, Evidence, Sign, evidence_of
from bot.reading.interest import interest_in
from bot.reading.narrowing import narrowed
from bot.retrieval import Found
from bot.types import Passage
from indexer.permalink import permalink
from indexer.records import Collection, Snapshot
from indexer.types import FileKind, Origin

ORIGIN = Origin("acme/demo", "main", "a" * 40, "https://github.com/acme/demo", "")


def passage(
    number: int = 1,
    text: str = "BLOCK_SIZE = 16",
    path: str = "",
    symbol: str = "BLOCK_SIZE",
    kind: FileKind = "code",
    language: str = "python",
    start_line: int = 1,
) -> Passage:
    """The passage that a search would put at this place; its lines are those of its text."""
    path = path or f"src/p{number}.py"
    end_line = start_line + text.count("\n")
    url = permalink(ORIGIN, path, start_line, end_line)
    return Passage(path, start_line, end_line, symbol, kind, language, 1 / number, text, url)


def found(*passages: Passage) -> Found:
    snapshot = Snapshot(1, Collection(1, "c", "acme/demo", "e", 1), ORIGIN, "2026-11-29T12:00:00+00:00", 1, 1)
    return Found(passages or (passage(1), passage(2)), snapshot)


def evidence(question: str, passages: Sequence[Passage]) -> Evidence:
    """What these passages are evidence of, as far as it can be told without an index."""
    sought = interest_in(question, passages)
    cut = [narrowed(passage, sought, ORIGIN) for passage in passages]
    return evidence_of(Asked({}), cut, [Sign(frozenset(), 0.0, sought.share_in(passage)) for passage in passages])
