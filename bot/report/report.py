"""What a report says, before anybody has written it down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from bot.report.figures import Figures
from bot.report.period import Period


@dataclass(frozen=True, slots=True)
class Example:
    """A question as somebody asked it, as `private` leaves it, and how often."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class Document:
    """A document that is near a topic: its best heading with a permalink, and how many of the topic's answers cite
    it."""

    path: str
    heading: str
    url: str
    cited: int


@dataclass(frozen=True, slots=True)
class Topic:
    """Questions about one thing that were not answered well: `voted_down` were answered. `documents` are those that are
    near, None where they could not be searched; `unknown_names` those that the questions name and that do not exist."""

    name: str
    questions: int
    declined: int
    failed: int
    voted_down: int
    examples: tuple[Example, ...]
    comments: tuple[str, ...]
    documents: tuple[Document, ...] | None
    unknown_names: tuple[str, ...] = ()
    repository: str | None = None


@dataclass(frozen=True, slots=True)
class CitedFile:
    """A file, with a permalink, how many answers cite it and how many of them were voted down."""

    repository: str
    path: str
    url: str
    answers: int
    voted_down: int


@dataclass(frozen=True, slots=True)
class Beyond:
    """Questions that were declined for being about something else."""

    questions: int
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Span:
    period: Period
    figures: Figures


@dataclass(frozen=True, slots=True)
class Report:
    """A period beside the one before. `topics` are the largest, `further` the questions in all others, of which some
    are `strays`; `doubted` are the files that answers cite which were voted down. `note` says what could not be done.
    """

    period: Period
    figures: Figures
    before: Figures
    topics: tuple[Topic, ...]
    further: int
    strays: tuple[Example, ...]
    beyond: Beyond
    cited: tuple[CitedFile, ...]
    doubted: tuple[CitedFile, ...]
    spans: tuple[Span, ...]
    note: str | None = None


def fields_of(report: Report) -> dict[str, Any]:
    """The report as plain data for JSON."""
    fields: dict[str, Any] = TypeAdapter(Report).dump_python(report, mode="json")
    return fields
