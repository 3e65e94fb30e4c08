"""Votes over HTTP: for an answer that is kept, one of each voter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot import types as domain
from bot.database import now
from bot.history import History, Record
from bot.keys import Keyring

INDEX = domain.Index("acme/demo", "main", "c0ffee", "2026-11-29T12:00:00+00:00")
ANSWER = domain.Answer("a1", "It is 16 [1].", (), False, None, "scripted", INDEX)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'jobs.sqlite'}"


@pytest.fixture
def history(url: str) -> Iterator[History]:
    history = History(url)
    history.record(Record("a1", now(), "http", None, "x", ANSWER))
    history.record(Record("failed", now(), "http", None, "x", None, "Busy"))
    yield history
    history.close()


def vote(client: httpx.Client, vote: str = "up", answer_id: str = "a1", key: str = "", **more: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return client.post("/feedback", json={"answer_id": answer_id, "vote": vote} | more, headers=headers)


def test_a_vote_is_kept_and_a_later_one_replaces_it(serve: Any, history: History) -> None:
    client = serve(history=history)
    assert vote(client, "up", voter="b-1").json() == {"answer_id": "a1", "vote": "up"}
    assert vote(client, "down", voter="b-1", comment="Wrong\r\nversion\x07.").status_code == 200
    assert vote(client, "up", voter="b-2", comment=None).status_code == 200
    kept = [(f.voter, f.vote, f.comment) for f in history.feedback("", "9")]
    assert kept == [("http:b-1", "down", "Wrong\nversion ."), ("http:b-2", "up", None)]


def test_who_says_no_name_votes_as_a_key_or_an_address(serve: Any, history: History, url: str) -> None:
    keyring = Keyring(url)
    _, secret = keyring.add("ci")
    client = serve(history=history, keys=keyring)
    assert vote(client, "up", key=secret).status_code == 200
    keyless = serve(history=history)
    for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2"):
        keyless.post("/feedback", json={"answer_id": "a1", "vote": "down"}, headers={"X-Forwarded-For": address})
    key, *addresses = sorted(history.votes("a1"), reverse=True)
    assert key == "http:key:ci" and len(addresses) == 2
    assert all(voter.startswith("http:address:") and "192" not in voter[:20] for voter in addresses)
    keyring.close()


@pytest.mark.parametrize("answer_id", ["nope", "failed", "a1\x00", "\ud800", "' OR 1=1"])
def test_an_answer_that_is_not_kept(serve: Any, history: History, answer_id: str) -> None:
    body = b'{"vote": "up", "answer_id": "%s"}' % answer_id.encode("unicode_escape").replace(b"\\x", b"\\u00")
    response = serve(history=history).post("/feedback", content=body)
    assert (response.status_code, response.json()["error"]["code"]) == (404, "unknown_answer")
    assert history.tally() == {}


def test_where_nothing_is_kept_no_answer_is_known(serve: Any) -> None:
    assert vote(serve()).status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [
        {"vote": "sideways"},
        {"vote": None},
        {"vote": 1},
        {"answer_id": ""},
        {"answer_id": 5},
        {"answer_id": "x" * 65},
        {"comment": "x" * 2_001},
        {"comment": 5},
        {"voter": ""},
        {"voter": "x" * 65},
        {"voter": "a b"},
        {"voter": "key:ci"},
        {"voter": "é"},
        {"voter": "a\n"},
    ],
)
def test_votes_that_are_wrong(serve: Any, history: History, wrong: dict[str, Any]) -> None:
    response = serve(history=history).post("/feedback", json={"answer_id": "a1", "vote": "up"} | wrong)
    assert (response.status_code, response.json()["error"]["code"]) == (422, "invalid")
    assert history.tally() == {}


def test_a_blank_comment_is_none(serve: Any, history: History) -> None:
    client = serve(history=history)
    assert vote(client, comment=" \n ", voter="b").status_code == 200
    assert [feedback.comment for feedback in history.feedback("", "9")] == [None]


def test_a_vote_needs_a_key_where_there_are_any(serve: Any, history: History) -> None:
    client = serve(history=history, api_token="sesame")
    assert vote(client).status_code == 401
    assert vote(client, key="sesame").status_code == 200
    assert history.votes("a1") == {"http:key:token": "up"}


def test_an_answer_that_was_just_given_can_be_voted_on(equipped: httpx.Client) -> None:
    given = equipped.post("/ask", json={"question": "how many blocks hold the tokens"}).json()
    response = equipped.post("/feedback", json={"answer_id": given["id"], "vote": "up"})
    assert response.json() == {"answer_id": given["id"], "vote": "up"}
