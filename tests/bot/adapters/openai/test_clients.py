"""The service as programs see it that speak with OpenAI's models: the openai client and LangChain's."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import openai
import pytest
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from bot import types as domain
from bot.model import Busy
from fakes import answers
from fakes.answerer import ScriptedAnswerer
from fakes.library import REPOSITORY, Library

ASKED: list[Any] = [{"role": "user", "content": "How many tokens does a block hold?"}]
ANSWER = answers.answer("The hull is planked first [1], then caulked [2].", 2)
FOUND = domain.PassagesFound((), answers.INDEX)


def completion(client: openai.OpenAI, **more: Any) -> Any:
    return client.chat.completions.create(**({"model": "repopilot", "messages": ASKED} | more))


def chunks(client: openai.OpenAI, **more: Any) -> list[Any]:
    return list(completion(client, stream=True, **more))


def content(pieces: list[Any]) -> str:
    return "".join(choice.delta.content or "" for piece in pieces for choice in piece.choices)


def test_a_question_is_answered_with_citations(client_of: Any) -> None:
    answered = completion(client_of())
    assert answered.object == "chat.completion" and answered.model == "repopilot"
    (choice,) = answered.choices
    assert choice.finish_reason == "stop" and choice.message.role == "assistant"
    assert "BLOCK_SIZE" in choice.message.content and "[1]" in choice.message.content
    more = answered.model_extra
    assert more["declined"] is False and more["answer_id"]
    assert more["citations"][0]["path"] == "cache/blocks.py"
    assert more["index"]["repository"] == REPOSITORY
    assert answered.usage.prompt_tokens > 0 and answered.usage.completion_tokens > 20


def test_the_sources_stand_below_with_their_links(client_of: Any) -> None:
    text = completion(client_of(ScriptedAnswerer(FOUND, ANSWER))).choices[0].message.content
    body, sources = text.split("\n\n---\n\n")
    assert body == ANSWER.answer
    assert f"1. [`hull/part1.py` lines 1–10]({answers.url(1)})\n2. [" in sources
    assert "example-org/boat, `v1.2.0` at `0123456`" in sources


def test_what_is_declined_says_so(client_of: Any) -> None:
    answered = completion(client_of(), messages=[{"role": "user", "content": "What does --no-such-flag do?"}])
    assert answered.model_extra["declined"] is True
    assert "--no-such-flag" in answered.choices[0].message.content


def test_the_usage_is_the_model_s_own_where_there_is_one(client_of: Any) -> None:
    used = answers.answer("Yes [1].", 1)
    used = domain.Answer(**{name: getattr(used, name) for name in used.__slots__} | {"usage": domain.Usage(900, 7)})
    usage = completion(client_of(ScriptedAnswerer(used))).usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (900, 7, 907)


def test_a_stream_is_the_same_answer_in_pieces(client_of: Any) -> None:
    client = client_of()
    pieces = chunks(client, stream_options={"include_usage": True})
    first, *middle, end, usage = pieces
    assert first.choices[0].delta.role == "assistant"
    assert [piece.choices[0].finish_reason for piece in (first, *middle)] == [None] * (len(middle) + 1)
    assert end.choices[0].finish_reason == "stop" and end.model_extra["citations"][0]["number"] == 1
    assert usage.choices == [] and usage.usage.total_tokens > 0
    assert {piece.id for piece in pieces} == {first.id} and first.object == "chat.completion.chunk"
    assert len(middle) > 2 and content(pieces) == completion(client).choices[0].message.content


def test_a_stream_has_no_usage_unless_asked_for(client_of: Any) -> None:
    assert all(piece.choices and piece.usage is None for piece in chunks(client_of()))


def test_what_replaces_a_broken_beginning_comes_whole_behind_it(client_of: Any) -> None:
    script = ScriptedAnswerer(FOUND, domain.Token("The hull is made of"), ANSWER)
    text = content(chunks(client_of(script)))
    assert text.startswith("The hull is made of\n\n---\n\n*The language model did not finish")
    assert ANSWER.answer in text and text.endswith("`0123456`.*")


def test_the_async_client_gets_the_same(client_of: Any) -> None:
    sync = client_of()

    async def ask() -> tuple[str, str]:
        async with openai.AsyncOpenAI(base_url=str(sync.base_url), api_key="none", max_retries=0) as client:
            whole = await client.chat.completions.create(model="repopilot", messages=ASKED)
            stream = await client.chat.completions.create(model="repopilot", messages=ASKED, stream=True)
            return whole.choices[0].message.content or "", content([piece async for piece in stream])

    whole, streamed = anyio.run(ask)
    assert whole == streamed and "[1]" in whole


def test_every_version_is_a_model(client_of: Any) -> None:
    client = client_of()
    ids = [model.id for model in client.models.list()]
    assert ids[0] == "repopilot" and ids[1].startswith(f"repopilot/{REPOSITORY}@")
    for name in (*ids, f"repopilot/{REPOSITORY}"):
        assert client.models.retrieve(name).owned_by == "repopilot"
        assert completion(client, model=name).model_extra["index"]["repository"] == REPOSITORY


@pytest.mark.parametrize("model", ["gpt-4o", "repopilot/", "repopilot/acme/other", f"repopilot/{REPOSITORY}@v9"])
def test_any_other_model_is_not_found(client_of: Any, model: str) -> None:
    client = client_of()
    with pytest.raises(openai.NotFoundError) as caught:
        completion(client, model=model)
    assert caught.value.code == "model_not_found" and caught.value.type == "invalid_request_error"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve(model)


def test_a_wrong_key_is_an_authentication_error(client_of: Any) -> None:
    assert completion(client_of(api_token="sesame", key="sesame")).choices
    with pytest.raises(openai.AuthenticationError):
        client_of(api_token="sesame", key="open").models.list()


@pytest.mark.parametrize(
    "field, value, param",
    [
        ("n", 2, "n"),
        ("logprobs", True, "logprobs"),
        ("response_format", {"type": "json_object"}, "response_format"),
        ("modalities", ["text", "audio"], "modalities[1]"),
        ("tool_choice", "required", "tool_choice"),
        ("messages", [], "messages"),
        ("messages", [{"role": "system", "content": "Be brief."}], "messages"),
        ("messages", [{"role": "user", "content": " "}], "messages"),
        ("messages", [{"role": "user", "content": 7}], "messages[0]"),
        ("messages", [{"role": "pirate", "content": "arr"}], "messages[0]"),
    ],
)
def test_what_cannot_be_done_is_refused(client_of: Any, field: str, value: object, param: str | None) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        completion(client_of(), **{field: value})
    error = caught.value
    assert (error.param, error.type, error.code) == (param, "invalid_request_error", "invalid")
    assert field in error.message and "arr" not in error.message


def test_a_picture_is_refused_in_a_sentence(client_of: Any) -> None:
    seen = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "data:image/png,x"}}]
    with pytest.raises(openai.BadRequestError, match="only text can be read; leave out pictures") as caught:
        completion(client_of(), messages=[{"role": "user", "content": seen}])
    assert caught.value.param == "messages[0]"


def test_what_only_tunes_a_model_is_ignored(client_of: Any) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    tuned = {"temperature": 2, "max_tokens": 1, "stop": ["["], "seed": 7, "user": "ada", "tools": [tool], "n": 1}
    answered = completion(client_of(), tool_choice="auto", response_format={"type": "text"}, **tuned)
    assert "[1]" in answered.choices[0].message.content


class OnceBusy(ScriptedAnswerer):
    """Finds the model's queue full once its passages are found, and room in it when it is asked again."""

    async def stream(self, question: domain.Question) -> AsyncGenerator[domain.Event]:
        async for event in super().stream(question):
            yield event
            if len(self.asked) == 1:
                raise Busy(retry_after=1)


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_asks_again_when_the_model_is_busy(client_of: Any, stream: bool) -> None:
    script = OnceBusy(FOUND, ANSWER)
    answered = completion(client_of(script, max_retries=1), stream=stream)
    text = content(list(answered)) if stream else answered.choices[0].message.content
    assert text.startswith(ANSWER.answer) and len(script.asked) == 2


def test_a_client_does_not_ask_again_for_an_index_that_is_not_there(client_of: Any, tmp_path: Path) -> None:
    empty = Library.empty(tmp_path)
    with pytest.raises(openai.InternalServerError) as caught:
        completion(client_of(over=empty, max_retries=2))
    assert caught.value.code == "index_missing" and caught.value.response.headers["x-should-retry"] == "false"
    assert [model.id for model in client_of(over=empty).models.list()] == ["repopilot"]
    empty.close()


def test_langchain_s_chat_model_asks_and_streams(client_of: Any) -> None:
    sync = client_of()
    model = ChatOpenAI(model="repopilot", base_url=str(sync.base_url), api_key=SecretStr("none"), max_retries=0)
    question = [("system", "You are a pirate."), ("human", ASKED[0]["content"])]
    whole = model.invoke(question)
    streamed = "".join(str(piece.content) for piece in model.stream(question))
    assert "BLOCK_SIZE" in str(whole.content) and streamed == whole.content
    assert whole.usage_metadata and whole.usage_metadata["total_tokens"] > 0
