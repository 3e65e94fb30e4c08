"""Lines that are cited get numbers, by first use: few, short, and none twice."""

from __future__ import annotations

from dataclasses import dataclass

from bot.passages import cut
from bot.reading.interest import interest_in
from bot.reading.narrowing import LONGEST_CITATION, narrowed
from bot.types import Citation, Passage
from indexer.types import Origin


@dataclass(slots=True)
class _Span:
    """Lines of one passage."""

    passage: Passage
    start_line: int
    end_line: int

    def take_in(self, passage: Passage, lines: Passage) -> bool:
        """Whether lines of a passage are cited together with these: since they are among them, or near in the same."""
        start, end = min(self.start_line, lines.start_line), max(self.end_line, lines.end_line)
        if (start, end) == (self.start_line, self.end_line) and lines.path == self.passage.path:
            return True
        near = passage == self.passage and end - start < LONGEST_CITATION
        if near:
            self.start_line, self.end_line = start, end
        return near


class Citing:
    """The citations of an answer in the making."""

    def __init__(self, origin: Origin, question: str) -> None:
        self._origin = origin
        self._question = question
        self._spans: list[_Span] = []

    def number(self, passage: Passage, claim: str) -> int:
        """The number of the lines of a passage that carry a claim."""
        lines = narrowed(passage, interest_in(f"{claim}\n{self._question}", [passage]), self._origin)
        for number, span in enumerate(self._spans, start=1):
            if span.take_in(passage, lines):
                return number
        self._spans.append(_Span(passage, lines.start_line, lines.end_line))
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
