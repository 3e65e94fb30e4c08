"""The same on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.ledger import FOR_GOOD, Ledger

KEY = "github:acme/engine:issue:1:2"
EARLY, LATE = "2026-01-05T10:00:00Z", "2026-01-05T10:05:00Z"


@pytest.fixture
def ledger(database_url: str) -> Iterator[Ledger]:
    found = Ledger(database_url)
    yield found
    found.close()


def note(ledger: Ledger, at: str, words: str | None, key: str = KEY, author: str = "ada") -> int | None:
    return ledger.note(key, "acme/engine", author, at, words, {"text": words})


def test_what_asks_nothing_and_never_did_is_not_kept(ledger: Ledger) -> None:
    assert note(ledger, EARLY, None) is None
    assert ledger.subject(KEY) is None


def test_the_same_twice_is_one_revision(ledger: Ledger) -> None:
    assert note(ledger, EARLY, "why?") == note(ledger, EARLY, "why?") == 1
    found = ledger.subject(KEY)
    assert found and (found.words, found.asked, found.state, found.reply) == ("why?", {"text": "why?"}, "open", None)


def test_a_change_is_a_new_revision_and_a_latecomer_none(ledger: Ledger) -> None:
    assert note(ledger, LATE, "why?") == 1
    assert note(ledger, EARLY, "what?") == 1  # delivered after what is newer
    assert note(ledger, LATE, "how?") == 2
    found = ledger.subject(KEY)
    assert found and found.words == "how?"


def test_what_is_settled_is_done_until_it_changes(ledger: Ledger) -> None:
    note(ledger, EARLY, "why?")
    assert ledger.settle(KEY, 1, {"id": 7}, "a1")
    assert note(ledger, EARLY, "why?") is None
    assert ledger.open() == []
    assert note(ledger, LATE, "how?") == 2
    found = ledger.subject(KEY)
    assert found and (found.state, found.reply, found.answer_id) == ("open", {"id": 7}, "a1")


def test_settling_what_has_changed_meanwhile_leaves_it_open(ledger: Ledger) -> None:
    note(ledger, EARLY, "why?")
    note(ledger, LATE, "how?")
    assert not ledger.settle(KEY, 1, {"id": 7}, "a1")
    (found,) = ledger.open()
    assert (found.revision, found.reply) == (2, {"id": 7})


def test_gone_is_for_good(ledger: Ledger) -> None:
    note(ledger, EARLY, "why?")
    assert ledger.note(KEY, "acme/engine", "", FOR_GOOD, None, None) == 2
    found = ledger.subject(KEY)
    assert found and found.words is None and found.asked == {"text": "why?"}
    ledger.settle(KEY, 2, None, None)
    assert note(ledger, LATE, "why?") is None


def test_what_is_set_aside_waits_for_somebody(ledger: Ledger) -> None:
    note(ledger, EARLY, "why?")
    ledger.set_aside(KEY, 1, "GitHub answered 403")
    assert ledger.open() == [] and [s.reason for s in ledger.put_aside()] == ["GitHub answered 403"]
    assert ledger.counts() == {"set_aside": 1}
    assert note(ledger, EARLY, "why?") is None
    assert ledger.reopen(KEY) == 2 and ledger.reopen(KEY) is None
    assert [s.revision for s in ledger.open()] == [2]


def test_how_many_somebody_brought_up_just_before(ledger: Ledger) -> None:
    for number in range(4):
        note(ledger, EARLY, "why?", key=f"k{number}")
    note(ledger, EARLY, "why?", key="other", author="grace")
    assert [ledger.earlier(f"k{number}", 60, "ada") for number in range(4)] == [0, 1, 2, 3]
    assert ledger.earlier("k3", 0, "ada") == ledger.earlier("unknown", 60, "ada") == 0
    assert ledger.earlier("other", 60) == ledger.earlier("other", 60, scope="acme/engine") == 4
    assert ledger.earlier("other", 60, prefix="k") == 4 and ledger.earlier("other", 60, prefix="k%") == 0


def test_how_many_somebody_brought_up_until_now(ledger: Ledger) -> None:
    for number in range(3):
        note(ledger, EARLY, "why?", key=f"k{number}")
    assert ledger.earlier(None, 60, "ada") == 3 and ledger.earlier(None, 0, "ada") == 0


def test_what_came_up_lately(ledger: Ledger) -> None:
    note(ledger, EARLY, "why?", key="discord:1:2")
    note(ledger, EARLY, "why?")
    assert [subject.key for subject in ledger.recent(60, "discord:")] == ["discord:1:2"]
    assert list(ledger.recent(0, "discord:")) == []


def test_what_is_kept(ledger: Ledger) -> None:
    assert ledger.kept("a") is None
    ledger.keep("a", {"b": [1]})
    ledger.keep("a", {"b": [2]})
    assert ledger.kept("a") == {"b": [2]}


def test_replies_that_stand(ledger: Ledger) -> None:
    note(ledger, EARLY, "why?")
    ledger.settle(KEY, 1, {"id": 7}, "a1")
    assert [s.key for s in ledger.replied(days=1)] == [KEY] and ledger.replied(days=0) == []
    ledger.settle(KEY, 1, {"id": 7}, None)
    assert ledger.replied(days=1) == []


def test_many_at_once_count_once(ledger: Ledger, database_url: str) -> None:
    """Two hooks deliver the same comment, and the workers of two processes settle it."""
    other = Ledger(database_url)
    with ThreadPoolExecutor(8) as pool:
        noted = pool.map(lambda at: note((ledger, other)[at % 2], EARLY, "why?"), range(40))
        assert set(noted) == {1}
        changed = pool.map(lambda at: note((ledger, other)[at % 2], LATE, f"how {at}?"), range(20))
        assert sorted(revision for revision in changed if revision) == list(range(2, 22))
    other.close()


def test_any_words_come_back(ledger: Ledger) -> None:
    words = "zero \x00 width \u200b 🤔 \u202e \ud800"
    note(ledger, EARLY, words)
    found = ledger.subject(KEY)
    assert found and found.asked == {"text": words}
