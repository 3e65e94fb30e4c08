"""What was asked where, and what became of it: the one durable record from which any job can be taken up again.

A subject is one text that may ask us something (a comment, a message). Each change of it is a revision; a job brings
our reply to the newest one and then settles it. What has not been settled is found again after any crash.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

import sqlalchemy as sa

from bot.database import now, open_database

# ISO 8601 times compare as text; this is after all of them.
FOR_GOOD: Final = "9999"
# With what begins the key of a kept value that somebody has chosen: the ones that are not forgotten.
CHOSEN: Final = "discord:config"

State = Literal["open", "settled", "set_aside"]
Json = Mapping[str, Any]

_metadata = sa.MetaData()
_subjects = sa.Table(
    "repopilot_subjects",
    _metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("author", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("words", sa.Text),
    sa.Column("asked", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False, index=True),
    sa.Column("reason", sa.Text),
    sa.Column("reply", sa.Text),
    sa.Column("answer_id", sa.Text, index=True),
    sa.Column("noted_at", sa.Text, nullable=False, index=True),
    sa.Column("settled_at", sa.Text),
)
_kept = sa.Table(
    "repopilot_kept",
    _metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False, index=True),
)


@dataclass(frozen=True, slots=True)
class Subject:
    """A text as it was last seen. `scope` is the repository or server that it belongs to; `at` its platform's time of
    the last change; `words` what it asks, None when it asks nothing any more; `asked` what the adapter needs to know
    of it, and `reply` what it needs to find its reply."""

    key: str
    scope: str
    author: str
    at: str
    revision: int
    words: str | None
    asked: Json
    state: State
    reason: str | None
    reply: Json | None
    answer_id: str | None

    @property
    def kind(self) -> str:
        """Which surface it is on, and so what kind of job it takes: what its key begins with."""
        return self.key.partition(":")[0]


class Ledger:
    """Subjects in SQLite or PostgreSQL, by an SQLAlchemy address. Safe to use from several threads and
    processes."""

    def __init__(self, url: str) -> None:
        self._engine = open_database(url, _metadata)

    def note(self, key: str, scope: str, author: str, at: str, words: str | None, asked: Json | None) -> int | None:
        """The newest revision of a subject if it is still open, after noting that it was so `at` some time.

        What is older than what is known changes nothing; of equal times the later word counts. None when there is
        nothing to do: it is settled, or it asks nothing and never did.
        """
        said = None if words is None else json.dumps(words)  # PostgreSQL takes no NUL, and JSON escapes it
        with self._changing(key) as (connection, known):
            if known is None:
                if said is None or asked is None:
                    return None
                row = {"key": key, "scope": scope, "author": author, "noted_at": now()}
                connection.execute(_subjects.insert().values(**row, revision=1, **_changed(at, said, asked)))
                return 1
            if at < known.at or said == known.words:
                return known.revision if known.state == "open" else None
            changes = _changed(at, said, asked) if asked else {"at": at, "words": said, "state": "open"}
            mine = _subjects.c.key == key
            connection.execute(_subjects.update().where(mine).values(revision=known.revision + 1, **changes))
            return int(known.revision) + 1

    def subject(self, key: str) -> Subject | None:
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(_subjects).where(_subjects.c.key == key)).one_or_none()
        return _subject(row) if row else None

    def settle(self, key: str, revision: int, reply: Json | None, answer_id: str | None) -> bool:
        """Record our reply to a revision. Whether that was the newest: otherwise the subject stays open."""
        values = {"reply": json.dumps(reply) if reply else None, "answer_id": answer_id, "settled_at": now()}
        newest = (_subjects.c.key == key) & (_subjects.c.revision == revision)
        with self._engine.begin() as connection:
            connection.execute(_subjects.update().where(_subjects.c.key == key).values(values))
            done = connection.execute(_subjects.update().where(newest).values(state="settled", reason=None))
        return done.rowcount == 1

    def set_aside(self, key: str, revision: int, reason: str) -> None:
        """Give a revision up, for a person to look at."""
        newest = (_subjects.c.key == key) & (_subjects.c.revision == revision)
        with self._engine.begin() as connection:
            connection.execute(_subjects.update().where(newest).values(state="set_aside", reason=reason))

    def reopen(self, key: str) -> int | None:
        """The revision to take up again of a subject that was set aside, as a new one; None when it is not."""
        aside = (_subjects.c.key == key) & (_subjects.c.state == "set_aside")
        values = {"state": "open", "reason": None, "revision": _subjects.c.revision + 1}
        with self._engine.begin() as connection:
            done = connection.execute(_subjects.update().where(aside).values(values))
        known = self.subject(key)
        return known.revision if known and done.rowcount else None

    def open(self) -> list[Subject]:
        """What is not settled, oldest first."""
        return self._in_state("open")

    def put_aside(self) -> list[Subject]:
        """What was given up, oldest first."""
        return self._in_state("set_aside")

    def earlier(
        self, key: str | None, seconds: float, author: str | None = None, scope: str = "", prefix: str = ""
    ) -> int:
        """How many subjects were brought up in so many seconds before another, or (None) before now: by somebody, in a
        scope, or with keys that begin so."""
        known = self._noted_at(key) if key else now()
        if known is None:
            return 0
        at = _subjects.c.noted_at
        since = (datetime.fromisoformat(known) - timedelta(seconds=seconds)).isoformat()
        where = (at > since) & ((at < known) | ((at == known) & (_subjects.c.key < (key or ""))))
        where &= (_subjects.c.author == author) if author else sa.true()
        where &= (_subjects.c.scope == scope) if scope else sa.true()
        where &= _subjects.c.key.startswith(prefix, autoescape=True) if prefix else sa.true()
        with self._engine.connect() as connection:
            return connection.execute(sa.select(sa.func.count()).select_from(_subjects).where(where)).scalar_one()

    def _noted_at(self, key: str) -> str | None:
        with self._engine.connect() as connection:
            return connection.execute(sa.select(_subjects.c.noted_at).where(_subjects.c.key == key)).scalar()

    def recent(self, seconds: float, prefix: str) -> list[Subject]:
        """What was brought up in the last seconds, with keys that begin so; oldest first."""
        since = (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat()
        return self._all((_subjects.c.noted_at > since) & _subjects.c.key.startswith(prefix, autoescape=True))

    def replied(self, days: float) -> list[Subject]:
        """What we replied to in the last days and the reply still stands, oldest first."""
        since = (datetime.now(UTC) - timedelta(days=days)).isoformat()
        where = _subjects.c.reply.is_not(None) & (_subjects.c.settled_at > since) & _subjects.c.answer_id.is_not(None)
        return self._all(where)

    def keep(self, key: str, value: Any) -> None:
        """Keep something that is plain data: an answer, a server's settings."""
        with self._engine.begin() as connection:
            connection.execute(_kept.delete().where(_kept.c.key == key))
            connection.execute(_kept.insert().values(key=key, value=json.dumps(value), at=now()))

    def kept(self, key: str) -> Any:
        """What was kept under a key, or None."""
        with self._engine.connect() as connection:
            found = connection.execute(sa.select(_kept.c.value).where(_kept.c.key == key)).scalar()
        return json.loads(found) if found else None

    def counts(self) -> dict[str, int]:
        """How many subjects are in each state."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(_subjects.c.state, sa.func.count()).group_by(_subjects.c.state))
            return {row[0]: row[1] for row in rows}

    def forget(self, days: float) -> int:
        """Delete subjects that were settled, and what was kept, more than so many days ago; how many subjects. What is
        open, what a person is to look at, and what servers have chosen stay."""
        before = (datetime.now(UTC) - timedelta(days=days)).isoformat()
        settled = (_subjects.c.state == "settled") & (_subjects.c.settled_at < before)
        passing = (_kept.c.at < before) & ~_kept.c.key.startswith(CHOSEN, autoescape=True)
        with self._engine.begin() as connection:
            connection.execute(_kept.delete().where(passing))
            return connection.execute(_subjects.delete().where(settled)).rowcount

    def close(self) -> None:
        self._engine.dispose()

    def _in_state(self, state: State) -> list[Subject]:
        return self._all(_subjects.c.state == state)

    def _all(self, where: sa.ColumnElement[bool]) -> list[Subject]:
        with self._engine.connect() as connection:
            return list(map(_subject, connection.execute(sa.select(_subjects).where(where).order_by("noted_at"))))

    @contextmanager
    def _changing(self, key: str) -> Iterator[tuple[sa.Connection, sa.Row[Any] | None]]:
        """A transaction that nobody else changes the subject in."""
        with self._engine.begin() as connection:
            if self._engine.dialect.name == "postgresql":  # a row that is not there yet cannot be locked
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(key, 0))))
            yield connection, connection.execute(sa.select(_subjects).where(_subjects.c.key == key)).one_or_none()


def _changed(at: str, words: str | None, asked: Json) -> dict[str, Any]:
    return {"at": at, "words": words, "asked": json.dumps(asked), "state": "open", "reason": None}


def _subject(row: sa.Row[Any]) -> Subject:
    return Subject(
        key=row.key,
        scope=row.scope,
        author=row.author,
        at=row.at,
        revision=row.revision,
        words=json.loads(row.words) if row.words else None,
        asked=json.loads(row.asked),
        state=row.state,
        reason=row.reason,
        reply=json.loads(row.reply) if row.reply else None,
        answer_id=row.answer_id,
    )
