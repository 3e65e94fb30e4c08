"""Which files answers cite, and which of them stand in answers that were voted down."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from bot.history import Record
from bot.report.report import CitedFile

MOST: Final = 10
MOST_DOUBTED: Final = 6
# One vote may be about anything in an answer.
FEWEST_VOTES: Final = 2


@dataclass(slots=True)
class Cited:
    """Counts the files of the answers that it is shown, and remembers a link to each, the latest one."""

    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    voted_down: Counter[tuple[str, str]] = field(default_factory=Counter)
    urls: dict[tuple[str, str], str] = field(default_factory=dict)
    _answers: int = 0
    _voted_down: int = 0

    def add(self, record: Record, voted_down: bool) -> None:
        answer = record.answer
        if answer is None or answer.declined:
            return  # what a decline names is near, and proves nothing
        files = {(answer.index.repository, citation.path): citation.url for citation in answer.citations}
        self.urls |= files
        self.answers.update(files.keys())
        self._answers += 1
        self._voted_down += voted_down
        if voted_down:
            self.voted_down.update(files.keys())

    def most(self) -> tuple[CitedFile, ...]:
        """The files that most answers cite."""
        return tuple(self._file(key) for key, _ in self.answers.most_common(MOST))

    def doubted(self) -> tuple[CitedFile, ...]:
        """The files whose answers are voted down more often than others: those with the most votes beyond what their
        number of answers would let expect."""
        share = self._voted_down / max(1, self._answers)
        beyond = {key: votes - share * self.answers[key] for key, votes in self.voted_down.items()}
        found = (key for key, votes in self.voted_down.items() if votes >= FEWEST_VOTES and beyond[key] > 0)
        return tuple(map(self._file, sorted(found, key=lambda key: (-beyond[key], key))[:MOST_DOUBTED]))

    def _file(self, key: tuple[str, str]) -> CitedFile:
        repository, path = key
        url = self.urls[key].partition("#")[0]
        return CitedFile(repository, path, url, self.answers[key], self.voted_down[key])
