"""A question that is sent again with its Idempotency-Key: asked once, whatever happened in between."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx_sse
import pytest
import sqlalchemy as sa

from bot import types as domain
from bot.adapters.http.idempotency import Attempts, idempotency_key
from bot.adapters.http.problem import Refused
from bot.keys import Keyring
from bot.model import Busy
from fakes.answerer import ScriptedAnswerer
from fakes.library import REPOSITORY

INDEX = domain.Index("acme/demo", "main", "c0ffee", "2026-11-29T12:00:00+00:00")
PASSAGE = domain.Passage("a.py", 1, 2, "f", "code", "python", 0.5, "def f():\n    ...\0", "/source/x#L1-L2")
FOUND = domain.PassagesFound((PASSAGE,), INDEX, {"--x": ("--y", "z")})
CITED = (domain.Citation(1, "a.py", 1, 2, "f", "/source/x#L1-L2"),)
USAGE = domain.Usage(3, 4)
ASK = {"question": "x"}
STREAM = {"question": "x", "stream": True}
QUOTED = {"Idempotency-Key": '"k-1"'}


def answer(number: int = 1, text: str = "It is 16 \ud83d\0 [1].") -> domain.Answer:
    return domain.Answer(f"a{number}", text, CITED, False, None, "scripted", INDEX, ("a warning",), USAGE)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'jobs.sqlite'}"


class Counting:
    """Answers each question with an answer of its own."""

    def __init__(self, *before: Any) -> None:
        self.count = 0
        self.before = before

    async def stream(self, question: domain.Question) -> Any:
        self.count += 1
        scripted = ScriptedAnswerer(FOUND, domain.Token("It "), *self.before, answer(self.count))
        async for event in scripted.stream(question):
            yield event


def events(client: httpx.Client, key: str) -> list[tuple[str, Any]]:
    headers = {"Idempotency-Key": key}
    with httpx_sse.connect_sse(client, "POST", "/ask", json=STREAM, headers=headers) as source:
        return [(event.event, json.loads(event.data)) for event in source.iter_sse()]


def test_the_same_question_gets_the_same_answer_also_after_a_restart(serve: Any, database_url: str) -> None:
    first, second = Counting(), Counting()
    one = serve(first, attempts_url=database_url)
    given = one.post("/ask", json=ASK, headers=QUOTED)
    again = one.post("/ask", json={"stream": False, "question": "x"}, headers={"Idempotency-Key": "k-1"})
    later = serve(second, attempts_url=database_url).post("/ask", json=ASK, headers=QUOTED)
    assert given.json() == again.json() == later.json() and given.json()["id"] == "a1"
    assert [r.headers.get("Idempotent-Replayed") for r in (given, again, later)] == [None, "true", "true"]
    assert (first.count, second.count) == (1, 0)


def test_another_key_or_none_asks_anew(serve: Any, url: str) -> None:
    answerer = Counting()
    client = serve(answerer, attempts_url=url)
    headers = [QUOTED, {"Idempotency-Key": "k-2"}, {}, {}]
    assert [client.post("/ask", json=ASK, headers=each).json()["id"] for each in headers] == ["a1", "a2", "a3", "a4"]


def test_a_stream_is_given_again_with_what_it_was_made_from(serve: Any, url: str) -> None:
    answerer = Counting()
    client = serve(answerer, attempts_url=url)
    given, again = events(client, "k"), events(client, "k")
    assert [name for name, _ in given] == ["passages", "token", "answer"]
    assert [name for name, _ in again] == ["passages", "token", "answer"]
    assert (given[0], given[-1]) == (again[0], again[-1])
    assert again[1][1]["text"] == again[-1][1]["answer"]
    assert answerer.count == 1


@pytest.mark.parametrize("other", [{"question": "y"}, {"question": "x", "repository": REPOSITORY}, STREAM])
def test_the_same_key_with_another_question_is_refused(serve: Any, url: str, other: dict[str, Any]) -> None:
    answerer = Counting()
    client = serve(answerer, attempts_url=url)
    assert client.post("/ask", json=ASK, headers=QUOTED).status_code == 200
    response = client.post("/ask", json=other, headers=QUOTED)
    assert (response.status_code, response.json()["error"]["code"]) == (422, "idempotency_key_reused")
    assert answerer.count == 1


def test_a_question_that_is_being_answered_is_not_asked_twice(serve: Any, database_url: str) -> None:
    answerer = Counting(0.8)
    client = serve(answerer, attempts_url=database_url)
    got: list[httpx.Response] = []
    threads = [
        threading.Thread(target=lambda: got.append(client.post("/ask", json=ASK, headers=QUOTED))) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(response.status_code for response in got) == [200, 409, 409, 409, 409]
    refused = next(response for response in got if response.status_code == 409)
    assert refused.json()["error"]["code"] == "in_progress" and int(refused.headers["Retry-After"]) > 0
    assert client.post("/ask", json=ASK, headers=QUOTED).json()["id"] == "a1"
    assert answerer.count == 1


@pytest.mark.parametrize("failure", [Busy(), RuntimeError("torn")])
@pytest.mark.parametrize("body", [ASK, STREAM])
def test_what_failed_may_be_tried_again(serve: Any, url: str, failure: Exception, body: dict[str, Any]) -> None:
    client = serve(ScriptedAnswerer(failure), attempts_url=url)
    assert client.post("/ask", json=body, headers=QUOTED).status_code in (500, 503)
    assert client.post("/ask", json=body, headers=QUOTED).status_code in (500, 503)
    assert "a1" in serve(Counting(), attempts_url=url).post("/ask", json=body, headers=QUOTED).text


def test_what_failed_in_the_middle_of_a_stream_may_be_tried_again(serve: Any, url: str) -> None:
    broken = serve(ScriptedAnswerer(FOUND, domain.Token("a"), Busy()), attempts_url=url)
    assert events(broken, "k")[-1][0] == "error"
    assert events(serve(Counting(), attempts_url=url), "k")[-1][0] == "answer"


def test_a_client_that_left_may_try_again(serve: Any, url: str) -> None:
    slow = ScriptedAnswerer(FOUND, 60.0, answer())
    client = serve(slow, attempts_url=url)
    with pytest.raises(httpx.ReadTimeout):
        client.post("/ask", json=ASK, headers=QUOTED, timeout=0.3)
    assert slow.closed.wait(2)
    retry = serve(Counting(), attempts_url=url)
    assert until(200, lambda: retry.post("/ask", json=ASK, headers=QUOTED)).json()["id"] == "a1"


def until(status: int, ask: Callable[[], httpx.Response]) -> httpx.Response:
    """The response, after at most a second of others: what follows a disconnection is done behind it."""
    for _ in range(20):
        if (response := ask()).status_code == status:
            break
        threading.Event().wait(0.05)
    return response


def test_what_took_too_long_may_be_tried_again(serve: Any, url: str) -> None:
    late = serve(ScriptedAnswerer(60.0, answer()), attempts_url=url, request_timeout_s=0.3)
    assert late.post("/ask", json=ASK, headers=QUOTED).status_code == 504
    retry = serve(Counting(), attempts_url=url)
    assert until(200, lambda: retry.post("/ask", json=ASK, headers=QUOTED)).status_code == 200


def test_each_client_has_its_own_keys(serve: Any, url: str) -> None:
    keyring = Keyring(url)
    bearers = [{"Authorization": f"Bearer {keyring.add(name)[1]}"} for name in ("a", "b")]
    client = serve(Counting(), attempts_url=url, keys=keyring)
    asked = [client.post("/ask", json=ASK, headers=QUOTED | bearer).json()["id"] for bearer in bearers * 2]
    assert asked == ["a1", "a2", "a1", "a2"]
    keyring.close()


@pytest.mark.parametrize("key", ["", '""', '"a', 'a"', "a b", "é", "x" * 256, '"a\tb"', "'a'", '"a", "b"', "a;b=1"])
def test_keys_that_are_malformed(serve: Any, url: str, key: str) -> None:
    answerer = Counting()
    client = serve(answerer, attempts_url=url)
    response = client.post("/ask", json=ASK, headers={"Idempotency-Key": key.encode("latin-1")})
    assert (response.status_code, response.json()["error"]["code"]) == (400, "bad_idempotency_key")
    assert answerer.count == 0


def test_how_keys_are_read() -> None:
    assert idempotency_key([]) is None
    assert idempotency_key(['"a b"']) == "a b"
    assert idempotency_key([r'"a\"b\\"']) == r'a"b' + "\\"
    assert idempotency_key(["8e03978e-40d5"]) == idempotency_key(['"8e03978e-40d5"'])
    with pytest.raises(Refused):
        idempotency_key(["a", "a"])


def test_a_database_that_is_down_is_told_and_nothing_is_asked(serve: Any) -> None:
    answerer = Counting()
    client = serve(answerer, attempts_url="sqlite:////nowhere/at/all.sqlite")
    response = client.post("/ask", json=ASK, headers=QUOTED)
    assert (response.status_code, response.json()["error"]["code"]) == (503, "database_unavailable")
    assert "nowhere" not in response.text and answerer.count == 0
    assert client.post("/ask", json=ASK).status_code == 200


def backdate(url: str, **columns: timedelta) -> None:
    """As if so much time had passed since what these columns say."""
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        for column, passed in columns.items():
            moment = (datetime.now(UTC) - passed).isoformat()
            connection.execute(sa.text(f"UPDATE repopilot_attempts SET {column} = :moment"), {"moment": moment})
    engine.dispose()


@pytest.fixture
def attempts(database_url: str) -> Iterator[Attempts]:
    attempts = Attempts(database_url, seconds=60)
    yield attempts
    attempts.close()


def test_a_process_that_died_blocks_only_for_the_time_of_a_request(attempts: Attempts, database_url: str) -> None:
    attempts.begin("key ci", "k", "body")
    with pytest.raises(Refused) as caught:
        attempts.begin("key ci", "k", "body")
    assert caught.value.problem.status == 409
    backdate(database_url, until=timedelta(seconds=1))
    assert attempts.begin("key ci", "k", "body").answer is None


def test_answers_are_kept_for_a_day(attempts: Attempts, database_url: str) -> None:
    attempt = attempts.begin("key ci", "k", "body")
    attempts._end(attempt, FOUND, answer())
    backdate(database_url, begun_at=timedelta(hours=23), until=timedelta(hours=22))
    kept = attempts.begin("key ci", "k", "body")
    assert (kept.found, kept.answer) == (FOUND, answer())
    backdate(database_url, begun_at=timedelta(hours=25))
    assert attempts.begin("key ci", "k", "body").answer is None


def test_old_answers_go_also_where_nothing_is_asked(attempts: Attempts, database_url: str) -> None:
    attempts._end(attempts.begin("key ci", "k", "body"), FOUND, answer())

    async def for_a_moment() -> None:
        with anyio.move_on_after(0.5):
            await attempts.sweep()

    backdate(database_url, begun_at=timedelta(hours=25))
    anyio.run(for_a_moment)
    engine = sa.create_engine(database_url)
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM repopilot_attempts")).scalar() == 0
    engine.dispose()


def test_of_several_who_begin_at_once_one_asks(attempts: Attempts) -> None:
    attempts.begin("key ci", "other", "body")
    got: list[int] = []

    def begin() -> None:
        try:
            attempts.begin("key ci", "k", "body")
            got.append(200)
        except Refused as refused:
            got.append(refused.problem.status)

    threads = [threading.Thread(target=begin) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [200] + [409] * 7
