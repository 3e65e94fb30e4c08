"""A question that is sent again with its Idempotency-Key is not asked again: it gets the answer that it got.

draft-ietf-httpapi-idempotency-key-header-07. The few packages for this keep whole responses in Redis, as middleware
that would hold a stream back until it ends; what is kept here is an answer, where everything else is kept.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from typing import Final
from uuid import uuid4

import anyio
import sqlalchemy as sa
from anyio.to_thread import run_sync
from pydantic import TypeAdapter

from bot.adapters.http.problem import Problem, Refused
from bot.adapters.http.wire import BARE_KEY, KEY_IN_QUOTES
from bot.database import now, open_database
from bot.types import Answer, Event, PassagesFound, Token

log = logging.getLogger("repopilot.http")

KEPT: Final = timedelta(hours=24)
SWEEP_S: Final = 3600.0
# A process that died in the middle holds its key for the time of a request, and this.
MARGIN_S: Final = 5.0
BUSY_S: Final = 2

_QUOTED: Final = re.compile(KEY_IN_QUOTES)
_BARE: Final = re.compile(BARE_KEY)

MALFORMED: Final = Problem(
    400, "bad_idempotency_key", 'Idempotency-Key should be one string of 1 to 255 characters, such as "8e03978e".'
)
REUSED: Final = Problem(422, "idempotency_key_reused", "This Idempotency-Key was sent with another question.")
IN_PROGRESS: Final = Problem(
    409,
    "in_progress",
    "The question with this Idempotency-Key is being answered; ask again in a moment.",
    {"Retry-After": str(BUSY_S)},
)

_metadata = sa.MetaData()
_attempts = sa.Table(
    "repopilot_attempts",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("begun_at", sa.Text, nullable=False, index=True),
    sa.Column("until", sa.Text, nullable=False),
    sa.Column("found", sa.Text),
    sa.Column("answer", sa.Text),
)
_FOUND = TypeAdapter(PassagesFound)
_ANSWER = TypeAdapter(Answer)


def idempotency_key(sent: list[str]) -> str | None:
    """The key in a request's headers of that name. Raises Refused when it is malformed."""
    if not sent:
        return None
    quoted, bare = _QUOTED.fullmatch(sent[0]), _BARE.fullmatch(sent[0])
    if len(sent) > 1 or not (quoted or bare):
        raise Refused(MALFORMED)
    return re.sub(r"\\(.)", r"\1", quoted[1]) if quoted else sent[0]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A question under its key: being asked by us, or answered before."""

    id: str
    owner: str
    found: PassagesFound | None = None
    answer: Answer | None = None


class Attempts:
    """Questions under their keys, in SQLite or PostgreSQL, by an SQLAlchemy address. An attempt takes `seconds` at
    most."""

    def __init__(self, url: str, seconds: float) -> None:
        self._url = url
        self._lease = timedelta(seconds=seconds + MARGIN_S)

    async def events(self, attempt: Attempt, ask: Callable[[], AsyncGenerator[Event]]) -> AsyncGenerator[Event]:
        """The events of an answer, kept; or those of the answer that was kept, its text in one piece."""
        if attempt.answer and attempt.found:
            for event in (attempt.found, Token(attempt.answer.answer), attempt.answer):
                yield event
            return
        found, answered = None, False
        try:
            async with aclosing(ask()) as events:
                async for event in events:
                    if isinstance(event, PassagesFound):
                        found = event
                    elif isinstance(event, Answer) and found:
                        await run_sync(partial(self._end, attempt, found, event))
                        answered = True
                    yield event
        finally:
            if not answered:
                with anyio.CancelScope(shield=True):
                    await run_sync(partial(self._end, attempt))

    def begin(self, client: str, key: str, body: str) -> Attempt:
        """Take up a question: ours to ask, or answered before. Raises Refused when another has it, or the key is of
        another question, and SQLAlchemy's OperationalError."""
        attempt = Attempt(_hash(client, key), uuid4().hex)
        row = {
            "id": attempt.id,
            "body": _hash(body),
            "owner": attempt.owner,
            "begun_at": now(),
            "until": (datetime.now(UTC) + self._lease).isoformat(),
            "found": None,
            "answer": None,
        }
        try:
            with self._engine.begin() as connection:
                _forget(connection)
                there = connection.execute(sa.select(_attempts).where(_attempts.c.id == attempt.id)).one_or_none()
                if there is None:
                    connection.execute(_attempts.insert().values(row))
                    return attempt
        except sa.exc.IntegrityError:  # PostgreSQL: another began in the same moment
            raise Refused(IN_PROGRESS) from None
        return _taken_up(there, row["body"])

    async def sweep(self) -> None:
        """Forget every hour what is older than a day, also where nothing new is asked."""
        while True:
            try:
                await run_sync(self._sweep)
            except sa.exc.OperationalError as error:
                log.warning("old Idempotency-Keys were not deleted: %s", error)
            await anyio.sleep(SWEEP_S)

    def _sweep(self) -> None:
        with self._engine.begin() as connection:
            _forget(connection)

    def close(self) -> None:
        if "_engine" in vars(self):
            self._engine.dispose()

    def _end(self, attempt: Attempt, found: PassagesFound | None = None, answer: Answer | None = None) -> None:
        """Keep the answer; without one, let whoever comes try again. An answer is worth more than its being kept."""
        ours = (_attempts.c.id == attempt.id) & (_attempts.c.owner == attempt.owner)
        try:
            with self._engine.begin() as connection:
                if found and answer:
                    kept = {"found": json.dumps(asdict(found)), "answer": json.dumps(asdict(answer))}
                    connection.execute(_attempts.update().where(ours).values(kept))
                else:
                    connection.execute(_attempts.delete().where(ours))
        except sa.exc.SQLAlchemyError:
            log.exception("what became of a question with an Idempotency-Key was not kept")

    @cached_property
    def _engine(self) -> sa.Engine:
        return open_database(self._url, _metadata)


def _forget(connection: sa.Connection) -> None:
    """Delete what is older than a day, and what was begun and never ended."""
    forgotten = (datetime.now(UTC) - KEPT).isoformat()
    dead = _attempts.c.answer.is_(None) & (_attempts.c.until < now())
    connection.execute(_attempts.delete().where((_attempts.c.begun_at < forgotten) | dead))


def _taken_up(row: sa.Row[tuple[object, ...]], body: str | None) -> Attempt:
    if row.body != body:
        raise Refused(REUSED)
    if row.answer is None:
        raise Refused(IN_PROGRESS)
    found, answer = (json.loads(text) for text in (row.found, row.answer))
    return Attempt(row.id, row.owner, _FOUND.validate_python(found), _ANSWER.validate_python(answer))


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
