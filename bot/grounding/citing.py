"""Lines that are cited get numbers, by first use: few, short, and none twice."""

from __future__ import annotations

from dataclasses import dataclass

from bot.passages import cut
from bot.reading.interest import interest_in
from bot.reading.narrowing import LONGEST_CITATION, narrowed
from bot.types import Citation, Passage
from indexer.types import Origin


@dataclass(frozen=True, slots=True)
class _Span:
    """Lines of one passage."""

    passage: Passage
    start_line: int
    end_line: int

    def holds(self, other: _Span) -> bool:
        return (
            other.passage.path == self.passage.path
            and self.start_line <= other.start_line
            and other.end_line <= self.end_line
        )

    def joined(self, other: _Span) -> _Span | None:
        """Both and the lines between, if they are of one passage and near."""
        start, end = min(self.start_line, other.start_line), max(self.end_line, other.end_line)
        near = other.passage == self.passage and end - start < LONGEST_CITATION
        return _Span(self.passage, start, end) if near else None


class Citing:
    """The citations of an answer in the making."""

    def __init__(self, origin: Origin, question: str) -> None:
        self._origin = origin
        self._question = question
        self._spans: list[_Span] = []

    def number(self, passage: Passage, claim: str) -> int:
        """The number of the lines of a passage that carry a claim."""
        lines = narrowed(passage, interest_in(f"{claim}\n{self._question}", [passage]), self._origin)
        found = _Span(passage, lines.start_line, lines.end_line)
        for place, span in enumerate(self._spans):
            if span.holds(found):
                return place + 1
        for place, span in enumerate(self._spans):
            wider = span.joined(found)
            if wider and not any(wider.holds(other) for other in self._spans if other is not span):
                self._spans[place] = wider
                return place + 1
        self._spans.append(found)
        return len(self._spans)

    def passages(self) -> tuple[Passage, ...]:
        """The lines that are cited so far: `[n]` is the n-th."""
        return tuple(cut(span.passage, span.start_line, span.end_line, self._origin) for span in self._spans)


def cited(passages: tuple[Passage, ...]) -> tuple[Citation, ...]:
    """Citations of these passages, numbered from 1."""
    return tuple(
        Citation(number, p.path, p.start_line, p.end_line, p.symbol, p.url)
        for number, p in enumerate(passages, start=1)
    )
