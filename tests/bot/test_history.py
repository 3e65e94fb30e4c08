"""The same on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from bot.history import PAGE, History, Record
from bot.ledger import FOR_GOOD
from fakes.answers import answer

AT = "2026-01-05T10:00:00+00:00"


@pytest.fixture
def history(database_url: str) -> Iterator[History]:
    found = History(database_url)
    yield found
    found.close()


def test_a_record_comes_back_as_it_was(history: History) -> None:
    given = answer("It is `16` [1].", 1)
    record = Record(given.id, AT, "github", "e1", "zero \x00 half \ud800 🤔", given, None, {"whole": 0.25})
    history.record(record)
    assert history.kept(given.id) == record and record.outcome == "answered"
    assert history.kept("another") is None


def test_what_failed_and_what_was_left_are_told_apart(history: History) -> None:
    history.record(Record("1", AT, "http", None, "why?", None, "Busy"))
    history.record(Record("2", AT, "http", None, "why?", None, "abandoned"))
    assert [record.outcome for record in history.records("", FOR_GOOD)] == ["failed", "abandoned"]


def test_records_are_read_by_time_and_over_pages(history: History) -> None:
    for number in range(PAGE + 3):
        history.record(Record(f"{number:04}", AT, "http", None, "why?", None, "Busy"))
    history.record(Record("later", "2026-02-01T00:00:00+00:00", "http", None, "why?", None, "Busy"))
    found = [record.id for record in history.records(AT, "2026-02-01T00:00:00+00:00")]
    assert found == [f"{number:04}" for number in range(PAGE + 3)]


def test_votes_are_one_each_and_can_be_taken_back(history: History) -> None:
    history.vote("a1", "github:ada", "up")
    history.vote("a1", "github:ada", "down", "It is 32.")
    history.vote("a1", "github:grace", "up")
    assert history.votes("a1") == {"github:ada": "down", "github:grace": "up"}
    assert [(each.voter, each.comment) for each in history.feedback("", FOR_GOOD)] == [
        ("github:ada", "It is 32."),
        ("github:grace", None),
    ]
    assert history.tally() == {"up": 1, "down": 1}
    history.vote("a1", "github:ada", None)
    assert history.votes("a1") == {"github:grace": "up"}


def test_what_is_old_is_forgotten(history: History) -> None:
    recent = (datetime.now(UTC) - timedelta(days=1)).isoformat()
    history.record(Record("old", AT, "http", None, "why?", None, "Busy"))
    history.record(Record("new", recent, "http", None, "why?", None, "Busy"))
    assert history.forget(2) == 1
    assert [record.id for record in history.records("", FOR_GOOD)] == ["new"]


def test_a_table_of_an_earlier_version_gets_the_columns_that_it_lacks(database_url: str) -> None:
    engine = sa.create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(
            sa.text("CREATE TABLE repopilot_votes (answer_id TEXT, voter TEXT, vote TEXT NOT NULL, at TEXT NOT NULL)")
        )
        connection.execute(sa.text(f"INSERT INTO repopilot_votes VALUES ('a1', 'github:ada', 'up', '{AT}')"))
    engine.dispose()
    history = History(database_url)
    history.vote("a1", "github:bob", "down", "No.")
    assert [(each.voter, each.comment) for each in history.feedback("", FOR_GOOD)] == [
        ("github:ada", None),
        ("github:bob", "No."),
    ]
    history.close()
