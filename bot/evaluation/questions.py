"""Question files: one JSON object a line becomes a case with its gold spans, facts and the reason to decline.

A question names gold spans: `path`, `start_line`..`end_line`, `primary` for those a good answer surely cites; with
`alternatives` any one primary span is enough. `facts` are short sentences that a good answer says. `reason` is why an
unanswerable question should be declined, where the file says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from bot.types import Citation, DeclineReason, Passage, Question, Turn
from indexer.errors import RepoPilotError


class QuestionFileError(RepoPilotError):
    """A question file cannot be read; the message names the file and line."""


@dataclass(frozen=True, slots=True)
class Gold:
    path: str
    start_line: int
    end_line: int
    primary: bool

    def hit_by(self, place: Passage | Citation) -> bool:
        return self.overlaps(place.path, place.start_line, place.end_line)

    def overlaps(self, path: str, start_line: int, end_line: int) -> bool:
        return path == self.path and start_line <= self.end_line and end_line >= self.start_line


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    kind: str
    question: Question
    answerable: bool
    alternatives: bool
    gold: tuple[Gold, ...]
    facts: tuple[str, ...] = ()
    reason: DeclineReason | None = None

    @property
    def primary(self) -> Sequence[Gold]:
        return [gold for gold in self.gold if gold.primary] or self.gold


def read_cases(file: Path) -> list[Case]:
    """The questions of a file, one JSON object a line. Raises QuestionFileError."""
    try:
        lines = file.read_text(encoding="utf-8").split("\n")  # JSON may hold the other line ends as they are
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionFileError(f"{file} cannot be read ({error}).") from error
    return [_case(line, f"{file}:{number}") for number, line in enumerate(lines, start=1) if line.strip()]


def _case(line: str, place: str) -> Case:
    try:
        return _checked(json.loads(line))
    except KeyError as error:
        raise QuestionFileError(f"{place} is not a question: {error.args[0]} is missing.") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise QuestionFileError(f"{place} is not a question: {error}.") from error


def _checked(fields: Mapping[str, Any]) -> Case:
    if not isinstance(fields, dict):
        raise TypeError("it is no JSON object")
    gold = tuple(
        Gold(g["path"], int(g["start_line"]), int(g["end_line"]), bool(g.get("primary"))) for g in fields["gold"]
    )
    if fields["answerable"] and not gold:
        raise ValueError("an answerable question needs gold")
    return Case(
        id=fields["id"],
        kind=fields["kind"],
        question=Question(fields["question"], tuple(Turn(t["role"], t["text"]) for t in fields.get("history") or ())),
        answerable=bool(fields["answerable"]),
        alternatives=bool(fields.get("alternatives")),
        gold=gold,
        facts=_facts(fields.get("facts") or ()),
        reason=_reason(fields.get("reason")),
    )


def _facts(facts: object) -> tuple[str, ...]:
    if not isinstance(facts, list | tuple) or not all(isinstance(fact, str) and fact.strip() for fact in facts):
        raise TypeError("its facts are no list of sentences")
    return tuple(facts)


def _reason(reason: Any) -> DeclineReason | None:
    if reason is None or reason in get_args(DeclineReason):
        found: DeclineReason | None = reason
        return found
    raise ValueError(f"{reason!r} is no reason to decline; those are {', '.join(get_args(DeclineReason))}")
