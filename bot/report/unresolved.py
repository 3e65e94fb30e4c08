"""Questions that were declined, failed, or whose answer was voted down; those in the same words are one. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from bot.history import Feedback, Record
from bot.report.gist import gist
from bot.report.privacy import LONGEST_READ, private

Fate = Literal["declined", "failed", "voted down"]
Version = tuple[str, str]
"""Repository and ref."""

# Two that begin with so many equal characters are the same.
_COMPARED: Final = 500
_WORD: Final = re.compile(r"\w+")


@dataclass(slots=True)
class Unresolved:
    """A question, how often it was asked, and what became of it.

    `versions` says for which versions, where that is known, `cited` which files the answers to it cited, and in how
    many of them; `beyond` how often it was declined for being about something else.
    """

    text: str
    fates: Counter[Fate] = field(default_factory=Counter)
    versions: Counter[Version] = field(default_factory=Counter)
    cited: Counter[str] = field(default_factory=Counter)
    comments: list[str] = field(default_factory=list)
    beyond: int = 0

    @property
    def count(self) -> int:
        return self.fates.total()


@dataclass(slots=True)
class Collected:
    """Collects what was not resolved. `secrets` never get into a text."""

    secrets: Collection[str] = ()
    _questions: dict[str, Unresolved] = field(default_factory=dict)

    def add(self, record: Record, votes: Iterable[Feedback]) -> None:
        against = [each for each in votes if each.vote == "down"]
        fate = fate_of(record, bool(against))
        if fate is None:
            return
        text = private(gist(record.question[:LONGEST_READ]), self.secrets)
        asked = self._questions.setdefault(_compared(text), Unresolved(text))
        asked.fates[fate] += 1
        asked.comments += [private(each.comment, self.secrets) for each in against if each.comment]
        if answer := record.answer:
            asked.versions[answer.index.repository, answer.index.ref] += 1
            asked.beyond += answer.reason == "out_of_scope"
            if not answer.declined:
                asked.cited.update({citation.path for citation in answer.citations})

    def questions(self) -> list[Unresolved]:
        """What is about the repository, most asked first; of those the latest first."""
        found = [each for each in reversed(self._questions.values()) if not each.beyond]
        return sorted(found, key=lambda each: -each.count)

    def beyond(self) -> list[Unresolved]:
        """What is about something else, most asked first."""
        found = [each for each in self._questions.values() if each.beyond]
        return sorted(found, key=lambda each: -each.count)


def fate_of(record: Record, voted_down: bool) -> Fate | None:
    """What makes a question unresolved, or None. One whose asker left is not counted: nobody knows."""
    match record.outcome:
        case "declined" | "failed" as outcome:
            return outcome
        case "answered" if voted_down:
            return "voted down"
    return None


def main_version(questions: Sequence[Unresolved]) -> Version | None:
    """The version that most of the questions are about, where any is known."""
    versions = sum((each.versions for each in questions), Counter[Version]())
    return versions.most_common(1)[0][0] if versions else None


def _compared(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))[:_COMPARED] or text
