"""What is to be done, under way, and was set aside, from the ledger and the queue, whether or not a service runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal

import sqlalchemy as sa

from bot.job import job_id, why_failed
from bot.ledger import Ledger, Subject
from indexer.errors import RepoPilotError

State = Literal["waiting", "queued", "running", "failed", "set_aside"]

# Where DBOS keeps its jobs (https://docs.dbos.dev/explanations/system-tables); on PostgreSQL in a schema of its own.
_TABLE: Final = "workflow_status"
_SCHEMA: Final = "dbos"
_STATES: Final[Mapping[str, State]] = {
    "ENQUEUED": "queued",
    "DELAYED": "queued",
    "PENDING": "running",
    "ERROR": "failed",
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "failed",
}
_SYNC: Final = "sync:"
INDEXING: Final = "the index follows a push or a release"
# More than anybody reads; of failures, the latest.
MOST: Final = 1_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A job. `waiting` is noted and not queued yet; what was `set_aside` can be retried by its key."""

    key: str
    state: State
    about: str
    """the address of the text that it answers, or what else it does"""
    author: str | None = None
    reason: str | None = None


class BacklogError(RepoPilotError):
    """The database cannot be read, or there is no such job."""


def backlog(url: str) -> list[Entry]:
    """Every job that is not done; last what was set aside. `url` is the database's. Raises BacklogError."""
    with _ledger(url) as ledger:
        queued, waiting = _queued(url), ledger.open()
        asked = [_entry(subject, queued.pop(_id(subject), None)) for subject in waiting]
        others = [entry for entry in queued.values() if entry.key.startswith(_SYNC)]
        return [*asked, *others, *(_entry(subject, None) for subject in ledger.put_aside())]


def retry(url: str, keys: Sequence[str] | None) -> list[str]:
    """Take up again what was set aside, all of it or these keys: the keys. A service begins within half a minute.

    Raises BacklogError, before anything is taken up, when a key is not one of them.
    """
    with _ledger(url) as ledger:
        aside = [subject.key for subject in ledger.put_aside()]
        if unknown := [key for key in keys or () if key not in aside]:
            raise BacklogError(f"No job {unknown[0]} was set aside; `repopilot jobs` lists those that were.")
        return [key for key in (aside if keys is None else keys) if ledger.reopen(key) is not None]


@contextmanager
def _ledger(url: str) -> Iterator[Ledger]:
    """The ledger; what its database refuses is a BacklogError."""
    try:
        ledger = Ledger(url)
        try:
            yield ledger
        finally:
            ledger.close()
    except sa.exc.SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        message = f"The jobs' database cannot be read ({cause}): is REPOPILOT_DATABASE_URL right, or the disk full?"
        raise BacklogError(message) from error


def _entry(subject: Subject, queued: Entry | None) -> Entry:
    state: State = "set_aside" if subject.state == "set_aside" else queued.state if queued else "waiting"
    about = subject.asked.get("url") or subject.scope
    return Entry(subject.key, state, about, subject.author, subject.reason or (queued.reason if queued else None))


def _id(subject: Subject) -> str:
    """By what name the queue knows the newest job about a subject."""
    return job_id(subject.kind, subject.key, str(subject.revision))


def _queued(url: str) -> dict[str, Entry]:
    """The jobs of the queue that are not done, and the latest that failed, by their names."""
    engine = sa.create_engine(url)
    try:
        schema = None if engine.dialect.name == "sqlite" else _SCHEMA
        if not sa.inspect(engine).has_table(_TABLE, schema=schema):
            return {}
    finally:
        engine.dispose()
    from dbos import DBOSClient  # takes a second

    client = DBOSClient(system_database_url=url, retry_connection_errors=False)
    try:
        found = client.list_workflows(status=list(_STATES), load_input=False, sort_desc=True, limit=MOST)
    finally:
        client.destroy()
    return {
        job.workflow_id: Entry(job.workflow_id, _STATES[job.status], INDEXING, reason=why_failed(job.status, job.error))
        for job in reversed(found)
    }
