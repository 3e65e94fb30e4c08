"""The chat model over real HTTP, against a server that plays every way in which one can fail."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from bot.chat.client import ChatModel, ModelOptions
from bot.chat.completion import LONGEST_TOKEN
from bot.chat.manner import SCHEMA
from bot.model import NOT_FOUND, Busy, Ending, ModelFailure, Reply, Usage
from bot.retrieval import Found
from bot.types import Question, Turn
from fakes.found import found, passage
from fakes.openai_script import DEFAULT_ANSWER
from fakes.openai_server import OpenAIServer
from fakes.openai_wire import tokens

QUESTION = Question("What is the KV block size?")


@pytest.fixture
def llm() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


def options(llm: OpenAIServer, **changes: Any) -> ModelOptions:
    return ModelOptions(url=llm.url, model=llm.model, **({"timeout_s": 20.0} | changes))


async def reply(model: ChatModel, question: Question = QUESTION, to: Found | None = None) -> tuple[str, int]:
    """The whole reply and the number of passages it may cite."""
    async with model.answering(question, to or found()) as answer:
        return "".join([piece async for piece in answer.pieces]), len(answer.passages)


def asked(llm: OpenAIServer, script: object = None, to: Found | None = None, **changes: Any) -> tuple[str, int]:
    if script is not None:
        llm.play(script)
    return asyncio.run(reply(ChatModel(options(llm, **changes)), to=to))


def failure(llm: OpenAIServer, script: object, **changes: Any) -> str:
    with pytest.raises(ModelFailure) as caught:
        asked(llm, script, **changes)
    return str(caught.value)


def test_an_answer_is_streamed_as_it_comes(llm: OpenAIServer) -> None:
    llm.play({"tokens": 20, "delay_per_token_s": 0.05})

    async def arrivals() -> list[float]:
        async with ChatModel(options(llm)).answering(QUESTION, found()) as answer:
            return [time.monotonic() async for piece in answer.pieces if piece]

    times = asyncio.run(arrivals())
    assert len(times) >= 20 and times[-1] - times[0] > 0.5
    assert llm.records[0].body["stream"] is True


def test_an_answer_may_cite_what_was_offered(llm: OpenAIServer) -> None:
    assert asked(llm) == (DEFAULT_ANSWER, 2)


def test_the_request_is_bounded_and_repeatable(llm: OpenAIServer) -> None:
    asked(llm, answer_tokens=77)
    body = llm.records[0].body
    assert body["temperature"] == 0
    assert 77 in (body.get("max_tokens"), body.get("max_completion_tokens"))


def test_a_models_name_is_sent_as_it_is() -> None:
    with OpenAIServer(model='org/Mödel-7B: "fast" #1') as llm:
        assert asked(llm)[0] == DEFAULT_ANSWER
        assert ChatModel(options(llm)).name == llm.model


def test_the_key_is_sent() -> None:
    with OpenAIServer(api_key="s3cret") as llm:
        assert asked(llm, api_key="s3cret")[0] == DEFAULT_ANSWER
        assert "s3cret-not" not in failure(llm, "ok", api_key="s3cret-not")
        assert "(401)" in failure(llm, "ok")


def test_one_error_is_tried_again(llm: OpenAIServer) -> None:
    assert asked(llm, {"sequence": ["http_500", "ok"]})[0] == DEFAULT_ANSWER
    assert len(llm.records) == 2


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("http_500", "error (500)"),
        ("http_429", "error (429)"),
        ("http_400", "refused"),
        ("html", "could not be read"),
        ("truncated_json", "could not be read"),
        ("empty_choices", "could not be read"),
        ({"status": 200, "body": 'data: {"choices": 3}\n\n'}, "could not be read"),
        ({"status": 200, "body": 'data: {"choices": [{}]}\n\n'}, "could not be read"),
        ({"status": 200, "body": 'data: {"choices": [{"index": 0, "delta": 5}]}\n\n'}, "could not be read"),
        ({"status": 200, "body": "data: [1]\n\n"}, "could not be read"),
        ({"status": 200, "body": 'data: {"error": {"message": "engine died", "code": 500}}\n\n'}, "could not be read"),
        ({"status": 200, "body": ""}, "could not be read"),
        ({"answer": "", "finish_reason": "length"}, "cut off"),
        ({"answer": "16 [1].", "finish_reason": "content_filter"}, "cut off"),
        ("disconnect", "connection"),
    ],
)
def test_failures_are_sentences(llm: OpenAIServer, script: object, message: str) -> None:
    assert message in failure(llm, script)


@pytest.mark.parametrize(
    "script", ["empty", "null_content", {"message": {"content": None, "reasoning_content": "plan"}}]
)
def test_what_a_model_thinks_is_not_what_it_says(llm: OpenAIServer, script: object) -> None:
    assert asked(llm, script)[0] == ""


def test_nobody_listening_is_found_out_soon() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    started = time.monotonic()
    with pytest.raises(ModelFailure, match="connection"):
        asyncio.run(reply(ChatModel(ModelOptions(url, "fake"))))
    assert time.monotonic() - started < 15


@pytest.mark.parametrize("script", ["hang", {"tokens": 1_000, "delay_per_token_s": 0.1}])
def test_a_slow_model_is_given_up(llm: OpenAIServer, script: object) -> None:
    started = time.monotonic()
    assert "in time" in failure(llm, script, timeout_s=1.0)
    assert time.monotonic() - started < 5
    assert llm.wait_until(lambda fake: not fake.in_flight, 5)


TOO_LONG = {"status": 400, "json": {"error": {"message": "This model's maximum context length is 99 tokens."}}}


def test_a_prompt_that_is_too_long_is_tried_in_half_the_room(llm: OpenAIServer) -> None:
    many = found(*(passage(number, "x = 1\n" * 400) for number in range(1, 9)))
    script = {"sequence": [TOO_LONG, {"answer": "16 [1]."}]}
    text, offered = asked(llm, script, to=many, context_tokens=8_000, answer_tokens=100)
    first, second = llm.records
    assert text == "16 [1]." and 0.4 < len(second.prompt) / len(first.prompt) < 0.6
    assert f'number="{offered}"' in second.prompt and f'number="{offered + 1}"' not in second.prompt


def test_the_context_that_a_server_tells_is_kept_to() -> None:
    many = found(*(passage(number, "x = 1\n" * 200) for number in range(1, 9)))
    with OpenAIServer(max_model_len=3_000) as llm:
        _, offered = asked(llm, "ok", to=many, answer_tokens=300)
        assert len(llm.records) == 1 and 1 <= offered < 8
        assert 2_300 < sum(map(len, map(tokens, (m["content"] for m in llm.records[0].body["messages"])))) <= 2_700


def test_a_setting_may_take_less_than_the_server_has(llm: OpenAIServer) -> None:
    many = found(*(passage(number, "x = 1\n" * 200) for number in range(1, 9)))
    narrow = asked(llm, "ok", to=many, context_tokens=2_048)[1]
    assert narrow < asked(llm, "ok", to=many)[1]


def test_a_prompt_that_never_fits_is_said() -> None:
    with OpenAIServer(max_model_len=10) as llm:
        assert "does not fit" in failure(llm, "ok")
        assert not llm.records


def test_a_server_that_knows_only_openai_s_own_api_is_enough() -> None:
    with OpenAIServer(bare=True) as llm:
        assert asked(llm)[0] == DEFAULT_ANSWER


Leave = Callable[["asyncio.Task[object]"], Awaitable[None]]


async def _cancelled(task: asyncio.Task[object]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("script", ["hang", {"tokens": 1_000, "delay_per_token_s": 0.05}])
def test_cancelling_closes_the_request(llm: OpenAIServer, script: object) -> None:
    llm.play(script)

    async def give_up() -> None:
        model = ChatModel(options(llm, concurrency=1))
        task: asyncio.Task[object] = asyncio.ensure_future(reply(model))
        await asyncio.to_thread(llm.wait_until, lambda fake: bool(fake.in_flight), 5)
        await asyncio.sleep(0.3)
        await _cancelled(task)
        assert await asyncio.to_thread(llm.wait_until, lambda fake: not fake.in_flight, 5)
        llm.play("ok")
        assert (await reply(model))[0] == DEFAULT_ANSWER  # the slot is free again

    asyncio.run(give_up())


def test_leaving_the_context_closes_the_request(llm: OpenAIServer) -> None:
    llm.play({"tokens": 1_000, "delay_per_token_s": 0.02})

    async def leave() -> None:
        async with ChatModel(options(llm)).answering(QUESTION, found()) as answer:
            async for piece in answer.pieces:
                if piece:
                    break

    asyncio.run(leave())
    assert llm.wait_until(lambda fake: not fake.in_flight, 5)
    assert llm.records[0].outcome == "cancelled"


def test_no_more_are_asked_at_once_than_allowed(llm: OpenAIServer) -> None:
    llm.play({"delay_s": 0.2})

    async def crowd() -> list[tuple[str, int]]:
        model = ChatModel(options(llm, concurrency=3))
        return await asyncio.gather(*(reply(model) for _ in range(10)))

    assert [text for text, _ in asyncio.run(crowd())] == [DEFAULT_ANSWER] * 10
    assert llm.concurrency_max == 3 and len(llm.records) == 10


def test_more_than_the_queue_holds_are_sent_away(llm: OpenAIServer) -> None:
    llm.play({"delay_s": 0.5})

    async def crowd() -> Sequence[object]:
        model = ChatModel(options(llm, concurrency=2, queue=3))
        return await asyncio.gather(*(reply(model) for _ in range(9)), return_exceptions=True)

    results = asyncio.run(crowd())
    busy = [result for result in results if isinstance(result, Busy)]
    assert len(busy) == 4 and busy[0].retry_after > 0
    assert [r for r in results if not isinstance(r, Busy)] == [(DEFAULT_ANSWER, 2)] * 5


def test_those_who_leave_the_queue_make_room(llm: OpenAIServer) -> None:
    llm.play("hang")

    async def queue_up() -> None:
        model = ChatModel(options(llm, concurrency=1, queue=1))
        first: asyncio.Task[object] = asyncio.ensure_future(reply(model))
        await asyncio.sleep(0.2)
        second: asyncio.Task[object] = asyncio.ensure_future(reply(model))
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await reply(model)
        with pytest.raises(Busy):
            model.demand_room()
        await _cancelled(second)
        model.demand_room()
        third: asyncio.Task[object] = asyncio.ensure_future(reply(model))
        await asyncio.sleep(0.1)
        assert not third.done()
        await _cancelled(third)
        await _cancelled(first)

    asyncio.run(queue_up())


async def told(llm: OpenAIServer, question: Question = QUESTION, **changes: Any) -> tuple[str, Reply]:
    """The whole reply and what it brought beside its text."""
    async with ChatModel(options(llm, **changes)).answering(question, found()) as answer:
        return "".join([piece async for piece in answer.pieces]), answer


def ending(llm: OpenAIServer, script: object, **changes: Any) -> Ending:
    llm.play(script)
    return asyncio.run(told(llm, **changes))[1].ending


def test_a_server_that_does_not_stop_is_stopped(llm: OpenAIServer) -> None:
    llm.play({"answer": "It is 16 [1]. " * 10_000})

    async def heard() -> tuple[int, bool]:
        async with ChatModel(options(llm, answer_tokens=100)).answering(QUESTION, found()) as answer:
            return sum([len(piece) async for piece in answer.pieces]), answer.ending.cut

    assert asyncio.run(heard()) == (100 * LONGEST_TOKEN, True)


def test_a_reply_that_is_cut_off_is_kept_and_says_so(llm: OpenAIServer) -> None:
    llm.play("cut_off")
    text, answer = asyncio.run(told(llm))
    assert text == DEFAULT_ANSWER and answer.ending.cut
    assert not ending(llm, "ok").cut


def test_tokens_are_counted_by_the_server(llm: OpenAIServer) -> None:
    assert ending(llm, "ok").usage == Usage(
        sum(len(tokens(m["content"])) for m in llm.records[0].body["messages"]), len(tokens(DEFAULT_ANSWER))
    )


def test_how_sure_the_model_was_is_told_when_asked_for(llm: OpenAIServer) -> None:
    assert ending(llm, "ok", logprobs=True).logprob == pytest.approx(-0.5)
    assert ending(llm, "ok").logprob is None and "logprobs" not in llm.records[0].body


def test_what_the_model_was_told_in_confidence_comes_with_the_reply(llm: OpenAIServer) -> None:
    _, answer = asyncio.run(told(llm, instructions="Our chat is #harbour."))
    assert answer.system == llm.records[0].body["messages"][0]["content"]
    assert answer.system.endswith("Our chat is #harbour.")


def test_the_conversation_is_part_of_the_question(llm: OpenAIServer) -> None:
    history = (Turn("user", "What is KV?", "ada"), Turn("assistant", "Key and value."))
    asyncio.run(told(llm, Question("And its block size?", history)))
    roles = [message["role"] for message in llm.records[0].body["messages"]]
    assert roles == ["system", "user"] and "Key and value." in llm.records[0].prompt


@pytest.mark.parametrize("marks", [("<think>", "</think>"), ("[THINK]", "[/THINK]")])
def test_thoughts_in_the_text_are_left_out(llm: OpenAIServer, marks: tuple[str, str]) -> None:
    assert asked(llm, {"answer": f"{marks[0]}secret plan{marks[1]}\n\n16 [1]."})[0] == "16 [1]."


def test_thoughts_that_nothing_opens_are_learned(llm: OpenAIServer) -> None:
    async def twice() -> str:
        model = ChatModel(options(llm))
        with pytest.raises(ModelFailure, match="aloud"):
            await reply(model)
        return (await reply(model))[0]

    llm.play({"answer": "secret plan\n</think>\n\n16 [1]."})
    assert asyncio.run(twice()) == "16 [1]."


STATEMENTS = (
    '{"answerable": true, "statements": [{"text": "It is 16.", "sources": [2]}, {"text": "Set it.", "sources": [1]}]}'
)


def schema_sent(llm: OpenAIServer) -> list[bool]:
    return [SCHEMA in record.body for record in llm.records]


def test_statements_become_markdown(llm: OpenAIServer) -> None:
    assert asked(llm, {"answer": STATEMENTS}, structured="on")[0] == "It is 16 [2].\n\nSet it [1]."
    schema = llm.records[0].body[SCHEMA]["json_schema"]["schema"]
    assert schema["properties"]["statements"]["items"]["properties"]["sources"]["items"]["enum"] == [1, 2]
    assert '"answerable"' in llm.records[0].body["messages"][0]["content"]


def test_statements_stream(llm: OpenAIServer) -> None:
    llm.play({"answer": STATEMENTS, "delay_per_token_s": 0.02})

    async def arrivals() -> list[float]:
        async with ChatModel(options(llm, structured="on")).answering(QUESTION, found()) as answer:
            return [time.monotonic() async for piece in answer.pieces if piece]

    first, second = asyncio.run(arrivals())
    assert second - first > 0.1


def test_what_statements_do_not_answer_is_not_found(llm: OpenAIServer) -> None:
    assert asked(llm, {"answer": '{"answerable": false, "statements": []}'}, structured="on")[0] == NOT_FOUND


def test_statements_that_are_cut_off_keep_the_whole_ones(llm: OpenAIServer) -> None:
    llm.play({"answer": STATEMENTS[:-10], "finish_reason": "length"})
    text, answer = asyncio.run(told(llm, structured="on"))
    assert text == "It is 16 [2]." and answer.ending.cut
    assert "cut off" in failure(llm, {"answer": STATEMENTS[:40], "finish_reason": "length"}, structured="on")


def test_a_model_that_runs_away_is_stopped(llm: OpenAIServer) -> None:
    llm.play({"answer": STATEMENTS[:-2] + ', {"text": "' + "\\n" * 3_000, "delay_per_token_s": 0.001})
    text, answer = asyncio.run(told(llm, structured="on"))
    assert text == "It is 16 [2].\n\nSet it [1]." and answer.ending.cut
    assert llm.wait_until(lambda fake: not fake.in_flight, 5)
    assert llm.records[0].outcome == "cancelled"


def test_a_server_that_refuses_the_schema_is_asked_without_and_that_is_remembered() -> None:
    async def twice(llm: OpenAIServer) -> list[str]:
        model = ChatModel(options(llm, structured="on"))
        return [(await reply(model))[0] for _ in range(2)]

    with OpenAIServer(refuses={SCHEMA}) as llm:
        assert asyncio.run(twice(llm)) == [DEFAULT_ANSWER] * 2
        assert schema_sent(llm) == [False, False] and "stream_options" in llm.records[0].body
        assert '"answerable"' not in llm.records[0].prompt


def test_a_server_that_refuses_all_that_is_new_is_asked_plainly() -> None:
    with OpenAIServer(refuses={SCHEMA, "stream_options", "logprobs"}) as llm:
        assert asked(llm, structured="on", logprobs=True)[0] == DEFAULT_ANSWER
        assert not {SCHEMA, "stream_options", "logprobs"} & llm.records[0].body.keys()


def test_a_server_that_refuses_everything_is_believed_the_next_time(llm: OpenAIServer) -> None:
    async def twice() -> str:
        model = ChatModel(options(llm, structured="on"))
        with pytest.raises(ModelFailure, match="refused"):
            await reply(model)
        llm.play({"answer": STATEMENTS})
        return (await reply(model))[0]

    llm.play("http_400")
    assert asyncio.run(twice()).startswith("It is 16 [2].")


def test_a_server_that_ignores_the_schema_is_asked_without_the_next_time(llm: OpenAIServer) -> None:
    async def twice() -> list[str]:
        model = ChatModel(options(llm, structured="on"))
        return [(await reply(model))[0] for _ in range(2)]

    assert asyncio.run(twice()) == [DEFAULT_ANSWER] * 2
    assert schema_sent(llm) == [True, False]


def test_auto_holds_a_model_that_cites_nothing_to_the_schema(llm: OpenAIServer) -> None:
    async def thrice() -> None:
        model = ChatModel(options(llm))
        for _ in range(3):
            await reply(model)

    llm.play({"answer": "It is 16."})
    asyncio.run(thrice())
    assert schema_sent(llm) == [False, False, True]


def test_auto_holds_a_small_model_to_the_schema() -> None:
    with OpenAIServer(model="Acme-Coder-0.5B-Instruct") as llm:
        assert asked(llm, {"answer": STATEMENTS})[0].startswith("It is 16 [2].")
        assert schema_sent(llm) == [True]


FOLLOW_UP = Question("And how do I change it?", (Turn("user", "What does `block_size` do?"), Turn("assistant", "…")))


def rewritten(llm: OpenAIServer, script: object, question: Question = FOLLOW_UP, **changes: Any) -> str | None:
    llm.play(script)
    return asyncio.run(ChatModel(options(llm, **changes)).standalone(question))


def test_a_follow_up_is_rewritten_to_stand_alone(llm: OpenAIServer) -> None:
    assert rewritten(llm, {"answer": "How do I change `block_size`?"}) == "How do I change `block_size`?"
    [record] = llm.records
    assert record.body["temperature"] == 0 and record.body["max_completion_tokens"] <= 80
    assert "What does `block_size` do?" in record.prompt and FOLLOW_UP.text in record.prompt
    assert [message["role"] for message in record.body["messages"]] == ["system", "user"]


def test_without_a_conversation_nothing_is_asked(llm: OpenAIServer) -> None:
    assert rewritten(llm, "ok", QUESTION) is None and not llm.records


def test_a_long_question_stands_alone(llm: OpenAIServer) -> None:
    assert rewritten(llm, "ok", replace(FOLLOW_UP, text="x " * 1_000)) is None and not llm.records


@pytest.mark.parametrize(
    "script",
    ["empty", "http_500", "html", "disconnect", "http_400", {"answer": "See https://evil.example"}, {"tokens": 500}],
)
def test_a_rewriting_that_fails_is_none(llm: OpenAIServer, script: object) -> None:
    assert rewritten(llm, script) is None


def test_a_slow_rewriting_is_given_up(llm: OpenAIServer) -> None:
    started = time.monotonic()
    assert rewritten(llm, "hang", rewriting_s=0.5) is None
    assert time.monotonic() - started < 5
    assert llm.wait_until(lambda fake: not fake.in_flight, 5)


def test_thoughts_are_not_the_rewritten_question(llm: OpenAIServer) -> None:
    answer = "<think>it is `block_size`</think>How do I change `block_size`?"
    assert rewritten(llm, {"answer": answer}) == "How do I change `block_size`?"
    assert llm.records[0].body["chat_template_kwargs"] == {"enable_thinking": False}


def test_a_server_that_knows_no_thinking_is_asked_without() -> None:
    with OpenAIServer(refuses={"chat_template_kwargs"}) as llm:
        assert rewritten(llm, {"answer": "How do I change `block_size`?"}) == "How do I change `block_size`?"


def test_a_full_queue_leaves_the_question_as_it_is(llm: OpenAIServer) -> None:
    llm.play("hang")

    async def crowd() -> str | None:
        model = ChatModel(options(llm, concurrency=1, queue=0))
        first: asyncio.Task[object] = asyncio.ensure_future(reply(model))
        await asyncio.to_thread(llm.wait_until, lambda fake: bool(fake.in_flight), 5)
        rewritten = await model.standalone(FOLLOW_UP)
        await _cancelled(first)
        return rewritten

    assert asyncio.run(crowd()) is None


def test_a_model_says_whether_it_is_ready(llm: OpenAIServer) -> None:
    assert asyncio.run(ChatModel(options(llm)).ready()).ready
    assert not asyncio.run(ChatModel(ModelOptions(llm.url, "other")).ready()).ready
