"""Answers as server-sent events: their order and framing, and what happens when a client leaves."""

from __future__ import annotations

import json
import logging
from typing import Any

import httpx
import httpx_sse
import pytest

from bot import types as domain
from bot.model import Busy
from fakes.answerer import ScriptedAnswerer

INDEX = domain.Index("acme/demo", "main", "c0ffee", "2026-11-29T12:00:00+00:00")
PASSAGE = domain.Passage("a.py", 1, 2, "f", "code", "python", 0.5, "def f():\n    ...", "/source/x#L1-L2")
FOUND = domain.PassagesFound((PASSAGE,), INDEX)
ASK = {"question": "x", "stream": True}


def answer(text: str) -> domain.Answer:
    return domain.Answer("a1", text, (), False, None, "scripted", INDEX)


def events(client: httpx.Client) -> list[tuple[str, Any]]:
    with httpx_sse.connect_sse(client, "POST", "/ask", json=ASK) as source:
        return [(event.event, json.loads(event.data)) for event in source.iter_sse()]


def test_an_answer_comes_as_events(serve: Any) -> None:
    names = [name for name, _ in events(serve())]
    assert names[0] == "passages"
    assert names[-1] == "answer"
    assert set(names[1:-1]) <= {"token"}


def test_the_events_of_a_script(serve: Any) -> None:
    pieces = ["line1\n\nevent: x\ndata: y\r\n: z\r", "\ud83d", " 16 [1]."]
    script = ScriptedAnswerer(FOUND, *map(domain.Token, pieces), answer("".join(pieces)))
    (_, found), *tokens, (_, final) = got = events(serve(script))
    assert [name for name, _ in got] == ["passages", "token", "token", "token", "answer"]
    assert found["passages"][0]["text"] == "def f():\n    ..."
    assert found["index"]["commit"] == INDEX.commit
    assert "".join(data["text"] for _, data in tokens) == final["answer"]
    assert final["answer"] == "".join(pieces).replace("\ud83d", "\ufffd")


def test_the_headers_keep_proxies_from_holding_events_back(serve: Any) -> None:
    with serve().stream("POST", "/ask", json=ASK) as response:
        assert response.headers["Content-Type"].startswith("text/event-stream")
        assert response.headers["Cache-Control"] == "no-cache"
        assert response.headers["X-Accel-Buffering"] == "no"
        assert "Content-Length" not in response.headers


def test_silence_is_filled_with_comments(serve: Any) -> None:
    client = serve(ScriptedAnswerer(FOUND, 0.3, answer("done")), ping_s=0.05)
    text = client.post("/ask", json=ASK).text
    assert text.count("\n: ping\n\n") >= 2
    assert text.endswith("\n\n")
    assert [name for name, _ in events(client)] == ["passages", "answer"]


@pytest.mark.parametrize("error, code", [(Busy(), "busy"), (RuntimeError("/home/x"), "internal")])
def test_what_fails_in_the_middle_is_the_last_event(serve: Any, error: Exception, code: str) -> None:
    *before, (name, data) = events(serve(ScriptedAnswerer(FOUND, domain.Token("a"), error)))
    assert [name for name, _ in before] == ["passages", "token"]
    assert (name, data["error"]["code"], set(data["error"])) == ("error", code, {"code", "message"})
    assert "/home/x" not in str(data)


def test_a_client_that_leaves_stops_the_answer(serve: Any, journal: Any, caplog: pytest.LogCaptureFixture) -> None:
    answerer = ScriptedAnswerer(FOUND, domain.Token("a"), 60.0, answer("late"))
    client = serve(answerer)
    with client.stream("POST", "/ask", json=ASK) as response:
        pieces = response.iter_bytes()  # held, since httpx hangs up when it is dropped
        next(pieces)
        assert not answerer.closed.is_set()
    assert answerer.closed.wait(2)
    assert client.get("/healthz").status_code == 200
    assert [line["status"] for line in journal(1)] == [499]  # a probe that is answered is not news
    assert [r for r in caplog.records if r.levelno >= logging.WARNING] == []


def test_a_client_that_leaves_between_tokens_stops_the_answer(serve: Any) -> None:
    answerer = ScriptedAnswerer(FOUND, *[step for n in range(5_000) for step in (domain.Token(str(n)), 0.001)])
    client = serve(answerer)
    with client.stream("POST", "/ask", json=ASK) as response:
        next(response.iter_bytes())
    assert answerer.closed.wait(2)


@pytest.mark.parametrize("body", [{"question": "x"}, ASK])
def test_a_client_that_leaves_before_anything_came_stops_the_answer(
    serve: Any, journal: Any, caplog: pytest.LogCaptureFixture, body: dict[str, Any]
) -> None:
    answerer = ScriptedAnswerer(60.0, answer("late"))
    client = serve(answerer)
    with pytest.raises(httpx.ReadTimeout):
        client.post("/ask", json=body, timeout=0.3)
    assert answerer.closed.wait(2)
    assert client.get("/healthz").status_code == 200
    assert [line["status"] for line in journal(1)] == [499]  # a probe that is answered is not news
    assert [r for r in caplog.records if r.levelno >= logging.WARNING] == []
