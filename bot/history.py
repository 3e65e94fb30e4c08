"""Questions, their answers, and what people think of them, for as long as they may be kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

import sqlalchemy as sa
from pydantic import TypeAdapter

from bot.database import now, open_database
from bot.types import Answer

Surface = Literal["http", "page", "openai", "mcp", "github", "discord"]
Outcome = Literal["answered", "declined", "failed", "abandoned"]
Vote = Literal["up", "down"]

DAYS: Final = 90
PAGE: Final = 500

_metadata = sa.MetaData()
_questions = sa.Table(
    "repopilot_questions",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("at", sa.Text, nullable=False, index=True),
    sa.Column("surface", sa.Text, nullable=False),
    sa.Column("event", sa.Text),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("answer", sa.Text),
    sa.Column("failure", sa.Text),
    sa.Column("seconds", sa.Text, nullable=False),
)
_votes = sa.Table(
    "repopilot_votes",
    _metadata,
    sa.Column("answer_id", sa.Text, primary_key=True),
    sa.Column("voter", sa.Text, primary_key=True),
    sa.Column("vote", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False, index=True),
    sa.Column("comment", sa.Text),
)
_ANSWER = TypeAdapter(Answer)


@dataclass(frozen=True, slots=True)
class Record:
    """A question and what became of it.

    `id` is the answer's, or its own where there is none; `event` is the id of the request, delivery or message that
    asked. `seconds` says how long it took until passages were found (`retrieval`), until the first words
    (`first_token`) and until the end (`whole`). `failure` is a code: `abandoned` when the asker left, `too_late` when
    time was up.
    """

    id: str
    at: str
    surface: Surface
    event: str | None
    question: str
    answer: Answer | None
    failure: str | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome:
        if self.answer is None:
            return "abandoned" if self.failure == "abandoned" else "failed"
        return "declined" if self.answer.declined else "answered"


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody thinks of an answer. `voter` begins with the surface: `github:ada`, `discord:42`, `http:…`."""

    answer_id: str
    voter: str
    vote: Vote
    at: str
    comment: str | None = None


class History:
    """Records and votes in SQLite or PostgreSQL, by an SQLAlchemy address. Safe to use from several threads and
    processes."""

    def __init__(self, url: str) -> None:
        self._engine = open_database(url, _metadata)

    def record(self, record: Record) -> None:
        """Keep a record; one of the same id is replaced."""
        row = {
            "id": record.id,
            "at": record.at,
            "surface": record.surface,
            "event": record.event,
            "question": json.dumps(record.question),  # PostgreSQL takes no NUL, and JSON escapes it
            "answer": json.dumps(asdict(record.answer)) if record.answer else None,
            "failure": record.failure,
            "seconds": json.dumps(dict(record.seconds)),
        }
        with self._engine.begin() as connection:
            connection.execute(_questions.delete().where(_questions.c.id == record.id))
            connection.execute(_questions.insert().values(row))

    def kept(self, answer_id: str) -> Record | None:
        """The record of an answer, if it is still kept."""
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(_questions).where(_questions.c.id == answer_id)).one_or_none()
        return _record(row) if row else None

    def records(self, since: str, until: str) -> Iterator[Record]:
        """What was asked from one time up to another (ISO 8601, UTC), oldest first, read a page at a time."""
        after = (since, "")
        while True:
            at, key = _questions.c.at, _questions.c.id
            # A range of the index: with `at > … or at = … and id > …`, SQLite begins each page at the oldest row.
            where = (at >= after[0]) & (at < until) & ((at > after[0]) | (key > after[1]))
            with self._engine.connect() as connection:
                rows = connection.execute(sa.select(_questions).where(where).order_by(at, key).limit(PAGE)).all()
            yield from map(_record, rows)
            if len(rows) < PAGE:
                return
            after = (rows[-1].at, rows[-1].id)

    def vote(self, answer_id: str, voter: str, vote: Vote | None, comment: str | None = None) -> None:
        """Record what somebody thinks of an answer, in place of what they thought before; None takes it back."""
        mine = (_votes.c.answer_id == answer_id) & (_votes.c.voter == voter)
        with self._engine.begin() as connection:
            connection.execute(_votes.delete().where(mine))
            if vote:
                said = json.dumps(comment) if comment else None
                row = {"answer_id": answer_id, "voter": voter, "vote": vote, "at": now(), "comment": said}
                connection.execute(_votes.insert().values(row))

    def votes(self, answer_id: str) -> dict[str, Vote]:
        """Who voted how about an answer."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(_votes).where(_votes.c.answer_id == answer_id))
            return {row.voter: row.vote for row in rows}

    def feedback(self, since: str, until: str) -> list[Feedback]:
        """What people thought of answers, by when they said it, oldest first."""
        where = (_votes.c.at >= since) & (_votes.c.at < until)
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(_votes).where(where).order_by(_votes.c.at))
            return [
                Feedback(row.answer_id, row.voter, row.vote, row.at, json.loads(row.comment) if row.comment else None)
                for row in rows
            ]

    def tally(self) -> dict[Vote, int]:
        """How many votes there are of each kind."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(_votes.c.vote, sa.func.count()).group_by(_votes.c.vote))
            return {row[0]: row[1] for row in rows}

    def forget(self, days: float) -> int:
        """Delete what was asked and voted more than so many days ago; how many questions that were."""
        before = (datetime.now(UTC) - timedelta(days=days)).isoformat()
        with self._engine.begin() as connection:
            connection.execute(_votes.delete().where(_votes.c.at < before))
            return connection.execute(_questions.delete().where(_questions.c.at < before)).rowcount

    def close(self) -> None:
        self._engine.dispose()


def _record(row: sa.Row[tuple[object, ...]]) -> Record:
    return Record(
        id=row.id,
        at=row.at,
        surface=row.surface,
        event=row.event,
        question=json.loads(row.question),
        answer=_ANSWER.validate_json(row.answer) if row.answer else None,
        failure=row.failure,
        seconds=json.loads(row.seconds),
    )
