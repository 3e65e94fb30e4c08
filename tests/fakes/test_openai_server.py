"""The fake model server, seen through the clients that the program and its users have: openai, LangChain and httpx."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import openai
import pytest

from fakes.openai_script import DEFAULT_ANSWER, ScriptError
from fakes.openai_server import OpenAIServer

QUESTION: Any = [{"role": "user", "content": "What is the KV block size?"}]


@pytest.fixture
def llm() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


def client(llm: OpenAIServer, timeout: float = 10) -> openai.OpenAI:
    return openai.OpenAI(base_url=llm.url, api_key="unused", max_retries=0, timeout=timeout)


def ask(llm: OpenAIServer, timeout: float = 10) -> str | None:
    completion = client(llm, timeout).chat.completions.create(model="fake", messages=QUESTION)
    return completion.choices[0].message.content


def root(llm: OpenAIServer) -> str:
    return llm.url.removesuffix("/v1")


def test_a_whole_answer_comes_with_its_usage_and_is_recorded(llm: OpenAIServer) -> None:
    completion = client(llm).chat.completions.create(model="fake", messages=QUESTION)
    assert completion.choices[0].message.content == DEFAULT_ANSWER
    assert completion.usage and completion.usage.total_tokens > completion.usage.prompt_tokens > 0
    assert [(r.prompt, r.outcome) for r in llm.records] == [(QUESTION[0]["content"], "finished")]


def test_a_stream_joins_to_the_answer_and_ends_with_usage(llm: OpenAIServer) -> None:
    llm.play({"answer": "line1\n\nevent: x\ndata: y\r\n: z\n16 [1]."})
    stream = client(llm).chat.completions.create(
        model="fake", messages=QUESTION, stream=True, stream_options={"include_usage": True}
    )
    received = list(stream)
    text = "".join(c.choices[0].delta.content or "" for c in received if c.choices)
    assert text == "line1\n\nevent: x\ndata: y\r\n: z\n16 [1]."
    assert received[-1].usage and received[-2].choices[0].finish_reason == "stop"


def test_langchain_streams_from_it(llm: OpenAIServer) -> None:
    chat = pytest.importorskip("langchain_openai").ChatOpenAI(base_url=llm.url, api_key="unused", model="fake")
    assert "".join(str(chunk.content) for chunk in chat.stream("hello")) == DEFAULT_ANSWER


def test_a_sequence_repeats_its_last_step(llm: OpenAIServer) -> None:
    llm.play({"sequence": ["http_500", "ok"]})
    with pytest.raises(openai.InternalServerError):
        ask(llm)
    assert [ask(llm), ask(llm)] == [DEFAULT_ANSWER, DEFAULT_ANSWER]


@pytest.mark.parametrize("script", ["html", "truncated_json", {"status": 200, "body": "<html>bad gateway</html>"}])
def test_a_body_that_is_no_completion_reaches_the_client_as_it_is(llm: OpenAIServer, script: object) -> None:
    llm.play(script)
    response = httpx.post(f"{llm.url}/chat/completions", json={"model": "fake", "messages": QUESTION})
    assert response.status_code == 200
    with pytest.raises(ValueError):
        response.json()


def test_null_content_leaves_the_text_in_the_reasoning(llm: OpenAIServer) -> None:
    llm.play({"message": {"content": None, "reasoning_content": "secret plan"}})
    message = client(llm).chat.completions.create(model="fake", messages=QUESTION).choices[0].message
    assert message.content is None and message.model_extra and message.model_extra["reasoning_content"] == "secret plan"


def test_a_prompt_over_the_context_is_refused_in_vllms_words() -> None:
    with OpenAIServer(max_model_len=5) as llm, pytest.raises(openai.BadRequestError, match="maximum context length"):
        ask(llm)


@pytest.mark.parametrize("script", ["connection_reset", "disconnect"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_dropped_connection_is_an_error_to_the_client(llm: OpenAIServer, script: str, stream: bool) -> None:
    llm.play(script)
    body = {"model": "fake", "messages": QUESTION, "stream": stream}
    with pytest.raises(httpx.TransportError):
        httpx.post(f"{llm.url}/chat/completions", json=body)


def test_a_slow_answer_is_cancelled_when_the_client_gives_up(llm: OpenAIServer) -> None:
    llm.play({"delay_s": 30, "answer": "late"})
    with pytest.raises(openai.APITimeoutError):
        ask(llm, timeout=0.3)
    assert llm.wait_until(lambda fake: not fake.in_flight, 2)
    assert llm.records[0].outcome == "cancelled"


def test_a_stream_is_cancelled_when_the_client_hangs_up(llm: OpenAIServer) -> None:
    llm.play({"tokens": 500, "delay_per_token_s": 0.02})
    body = {"model": "fake", "messages": QUESTION, "stream": True}
    with httpx.stream("POST", f"{llm.url}/chat/completions", json=body) as response:
        next(response.iter_lines())
    assert llm.wait_until(lambda fake: not fake.in_flight, 2)
    assert llm.records[0].outcome == "cancelled"


def test_the_delay_per_token_also_holds_without_a_stream(llm: OpenAIServer) -> None:
    llm.play({"tokens": 10, "delay_per_token_s": 0.01})
    started = time.monotonic()
    ask(llm)
    assert time.monotonic() - started >= 0.1


def test_it_counts_how_many_were_in_flight(llm: OpenAIServer) -> None:
    llm.play({"delay_s": 0.3})
    body = {"model": "fake", "messages": QUESTION}
    with httpx.Client() as http, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: http.post(f"{llm.url}/chat/completions", json=body), range(8)))
    assert llm.concurrency_max == 8 and len(llm.records) == 8


def test_the_small_routes_answer(llm: OpenAIServer) -> None:
    assert httpx.get(f"{root(llm)}/health").status_code == 200
    assert httpx.get(f"{llm.url}/models").json()["data"][0]["max_model_len"] == 8192
    counted = httpx.post(f"{root(llm)}/tokenize", json={"model": "fake", "prompt": "block size"}).json()
    assert counted["count"] == len(counted["tokens"]) > 1
    assert httpx.get(f"{root(llm)}/nowhere").status_code == 404


def test_a_bare_server_has_openai_s_own_routes_only() -> None:
    with OpenAIServer(bare=True) as llm:
        assert "max_model_len" not in httpx.get(f"{llm.url}/models").json()["data"][0]
        assert httpx.get(f"{root(llm)}/health").status_code == 404
        assert httpx.post(f"{root(llm)}/tokenize", json={"prompt": "x"}).status_code == 404
        assert ask(llm) == DEFAULT_ANSWER


def test_a_server_may_be_unwell(llm: OpenAIServer) -> None:
    llm.well = False
    assert httpx.get(f"{root(llm)}/health").status_code == 503


def test_fields_that_it_does_not_know_are_refused() -> None:
    with OpenAIServer(refuses={"logprobs"}) as llm, pytest.raises(openai.BadRequestError, match="logprobs"):
        client(llm).chat.completions.create(model="fake", messages=QUESTION, logprobs=True)


def test_a_schema_must_be_given_where_it_is_announced(llm: OpenAIServer) -> None:
    wanted: Any = {"type": "json_schema"}
    with pytest.raises(openai.BadRequestError, match="json_schema"):
        client(llm).chat.completions.create(model="fake", messages=QUESTION, response_format=wanted)


def test_each_token_has_its_logprob_when_asked_for(llm: OpenAIServer) -> None:
    stream = client(llm).chat.completions.create(model="fake", messages=QUESTION, stream=True, logprobs=True)
    told = [chunk.choices[0] for chunk in stream if chunk.choices and chunk.choices[0].delta.content]
    assert all(choice.logprobs and choice.logprobs.content for choice in told)
    assert "".join(choice.logprobs.content[0].token for choice in told) == DEFAULT_ANSWER  # type: ignore[union-attr,index]


def test_it_remembers_what_was_counted(llm: OpenAIServer) -> None:
    httpx.post(f"{root(llm)}/tokenize", json={"model": "fake", "prompt": "block size"})
    assert llm.tokenized == ["block size"]


def test_a_key_is_asked_for_when_there_is_one() -> None:
    with OpenAIServer(api_key="right") as llm:
        assert httpx.get(f"{llm.url}/models").status_code == 401
        with pytest.raises(openai.AuthenticationError):
            ask(llm)


def test_an_unknown_model_does_not_exist(llm: OpenAIServer) -> None:
    with pytest.raises(openai.NotFoundError):
        client(llm).chat.completions.create(model="other", messages=QUESTION)


@pytest.mark.parametrize("script", ["sing", {"behavior": "sing"}, {"song": "x"}])
def test_a_script_it_cannot_play_is_refused(llm: OpenAIServer, script: object) -> None:
    with pytest.raises(ScriptError, match=r"sing|song"):
        llm.play(script)
