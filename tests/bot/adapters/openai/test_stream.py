"""Completions as server-sent events: when they begin, how they break, and what happens when a client leaves."""

from __future__ import annotations

import json
from typing import Any

import httpx
import openai
import pytest

from bot import types as domain
from bot.model import Busy
from fakes import answers
from fakes.answerer import ScriptedAnswerer

FOUND = domain.PassagesFound((), answers.INDEX)
ANSWER = answers.answer("Yes [1].", 1)
BODY = {"model": "repopilot", "messages": [{"role": "user", "content": "x"}], "stream": True}
PATH = "/v1/chat/completions"


def test_the_wire_is_openai_s(serve: Any) -> None:
    response = serve(ScriptedAnswerer(FOUND, domain.Token("Yes [1]."), ANSWER)).post(PATH, json=BODY)
    assert response.headers["content-type"].startswith("text/event-stream")
    *pieces, done = response.text.removesuffix("\n\n").split("\n\n")
    assert done == "data: [DONE]"
    chunks = [json.loads(piece.removeprefix("data: ")) for piece in pieces]
    assert [chunk["choices"][0]["delta"].keys() for chunk in chunks] == [
        {"role", "content"},
        {"content"},
        {"content"},
        set(),
    ]
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}


def test_a_slow_answer_begins_with_comments(serve: Any) -> None:
    script = ScriptedAnswerer(FOUND, 0.3, ANSWER)
    text = serve(script, ping_s=0.1).post(PATH, json=BODY).text
    assert text.index('"role":"assistant"') < text.index(": ping") < text.index("[DONE]")


def test_what_fails_behind_a_comment_comes_as_an_error(client_of: Any) -> None:
    client = client_of(ScriptedAnswerer(FOUND, 0.3, Busy()), ping_s=0.05)
    with pytest.raises(openai.APIError, match="Too many questions") as caught:
        list(client.chat.completions.create(**BODY))
    assert (caught.value.code, caught.value.type) == ("busy", "server_error")


def test_what_fails_in_the_middle_ends_the_stream_with_an_error(client_of: Any) -> None:
    stream = client_of(ScriptedAnswerer(FOUND, domain.Token("a"), RuntimeError("/home/x"))).chat.completions.create(
        **BODY
    )
    with pytest.raises(openai.APIError, match="Something went wrong") as caught:
        list(stream)
    assert "/home/x" not in str(caught.value.body)


def test_a_client_that_leaves_stops_the_answer(client_of: Any) -> None:
    script = ScriptedAnswerer(FOUND, domain.Token("a"), 60.0, ANSWER)
    with client_of(script).chat.completions.create(**BODY) as stream:
        next(iter(stream))
        assert not script.closed.is_set()
    assert script.closed.wait(2)


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_leaves_before_anything_came_stops_the_answer(serve: Any, stream: bool) -> None:
    script = ScriptedAnswerer(60.0, ANSWER)
    with pytest.raises(httpx.ReadTimeout):
        serve(script).post(PATH, json=BODY | {"stream": stream}, timeout=0.3)
    assert script.closed.wait(2)
