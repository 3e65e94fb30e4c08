"""The chat model against a real vLLM: what its fake promises, the server keeps.

The model is far too small to answer well. What is asserted must hold whatever it says.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from server import VllmServer

from bot.chat.client import ChatModel, ModelOptions
from bot.chat.server import ModelServer
from bot.model import NOT_FOUND, ModelFailure, Reply
from bot.retrieval import Found
from bot.types import Question, Turn
from fakes.found import found, passage

# The first test of a machine makes the environment and the model.
pytestmark = [pytest.mark.vllm, pytest.mark.timeout(1800)]

QUESTION = Question("How does the warehouse evict old items? Explain in detail, step by step.")
CODE = """\
class Warehouse:
    \"\"\"Keeps at most `limit` items; the one stored first leaves first.\"\"\"

    def evict(self) -> str:
        \"\"\"Remove the item that was stored first and return its name.\"\"\"
        name, _ = self.items.popitem(last=False)
        return name
"""
FOUND = found(passage(1, CODE, path="warehouse/store.py"), passage(2, "The default limit is 100.", path="README.md"))
PATIENCE_S = 240.0
SOON_S = 20.0


def model(server: VllmServer, **changes: Any) -> ChatModel:
    options = {"timeout_s": PATIENCE_S, "answer_tokens": 24, "structured": "off"} | changes
    return ChatModel(ModelOptions(url=server.base_url, model=server.model, **options))


async def told(asked: ChatModel, to: Found = FOUND, question: Question = QUESTION) -> tuple[list[str], Reply]:
    """The pieces of a whole reply, and what it brought beside them."""
    async with asked.answering(question, to) as reply:
        return [piece async for piece in reply.pieces if piece], reply


async def until(condition: Callable[[], bool], seconds: float = SOON_S) -> bool:
    deadline = time.monotonic() + seconds
    while not (met := await asyncio.to_thread(condition)) and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    return met


def run(work: Awaitable[Any]) -> Any:
    async def waited() -> Any:
        return await work

    return asyncio.run(waited())


def test_it_is_ready_and_serves_its_model(vllm_server: VllmServer) -> None:
    assert run(model(vllm_server).ready()).ready
    other = ChatModel(ModelOptions(vllm_server.base_url, "other"))
    assert "does not serve other" in run(other.ready()).reason


def test_a_reply_streams_and_tells_its_tokens(vllm_server: VllmServer) -> None:
    pieces, reply = run(told(model(vllm_server, logprobs=True)))
    usage = reply.ending.usage
    assert len(pieces) > 2 and usage and 1 < usage.completion <= 24
    assert reply.ending.cut == (usage.completion == 24)
    assert reply.ending.logprob is not None and -20 < reply.ending.logprob < 0


def test_a_prompt_near_the_limit_of_the_context_is_taken(vllm_server: VllmServer) -> None:
    """The server's own tokenizer measures: nothing is refused, and hardly any room is wasted."""
    many = found(*(passage(at, "\n".join(f"x{at}_{line} = {line}" for line in range(300))) for at in range(1, 9)))
    _, reply = run(told(model(vllm_server), to=many))
    [card] = httpx.get(f"{vllm_server.base_url}/models", timeout=30).json()["data"]
    limit, usage = card["max_model_len"], reply.ending.usage
    assert usage and 0.9 * limit < usage.prompt + 24 <= limit
    last = reply.passages[-1]
    assert 1 <= len(reply.passages) < 8 and last.end_line == last.text.count("\n") + 1 < 300


def test_the_rules_are_read_once(vllm_server: VllmServer) -> None:
    """What stays the same comes first: another question over other passages finds it in the prefix cache."""

    async def twice() -> tuple[float, int]:
        asked = model(vllm_server, answer_tokens=4)
        await told(asked)
        before = vllm_server.metric("vllm:prefix_cache_hits_total")
        _, reply = await told(asked, found(passage(3, "y = 2")), Question("What is y?"))
        [rules] = await ModelServer(vllm_server.base_url, vllm_server.model).count([reply.system])
        return vllm_server.metric("vllm:prefix_cache_hits_total") - before, rules

    hits, rules = run(twice())
    assert hits > rules / 2  # whole blocks of it


def test_statements_keep_to_the_passages(vllm_server: VllmServer) -> None:
    try:
        pieces, _ = run(told(model(vllm_server, structured="on", answer_tokens=160)))
    except ModelFailure as failure:  # so small a model may find no end to its first statement
        assert "cut off" in str(failure)
        return
    text = "".join(pieces)
    numbers = set(re.findall(r"\[(\d+)\]", text))
    assert text == NOT_FOUND or (numbers and numbers <= {"1", "2"}), text


def test_leaving_a_reply_stops_the_server(vllm_server: VllmServer) -> None:
    async def leave() -> None:
        async with model(vllm_server, answer_tokens=1_000).answering(QUESTION, FOUND) as reply:
            async for piece in reply.pieces:
                if piece:
                    assert vllm_server.metric("vllm:num_requests_running") == 1
                    break
        assert await until(lambda: vllm_server.metric("vllm:num_requests_running") == 0)

    run(leave())


def test_a_question_that_is_cancelled_before_its_first_word_stops_the_server(vllm_server: VllmServer) -> None:
    async def give_up() -> None:
        task = asyncio.ensure_future(told(model(vllm_server, answer_tokens=1_000)))
        assert await until(lambda: vllm_server.metric("vllm:num_requests_running") == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await until(lambda: vllm_server.metric("vllm:num_requests_running") == 0)

    run(give_up())


def test_sixteen_questions_at_once_are_all_answered(vllm_server: VllmServer) -> None:
    async def crowd() -> list[tuple[list[str], Reply]]:
        asked = model(vllm_server, answer_tokens=8)
        return await asyncio.gather(*(told(asked, question=Question(f"{n}: {QUESTION.text}")) for n in range(16)))

    replies = run(crowd())
    assert len(replies) == 16 and all("".join(pieces).strip() for pieces, _ in replies)


def test_a_follow_up_is_rewritten_or_left_alone(vllm_server: VllmServer) -> None:
    """Whatever so small a model says, what is used says nothing that the conversation does not."""
    history = (Turn("user", "What does `WAREHOUSE_LIMIT` do?"), Turn("assistant", "It bounds the warehouse."))
    before = vllm_server.metric("vllm:request_success_total")
    rewritten = run(model(vllm_server, rewriting_s=60.0).standalone(Question("And its default?", history)))
    assert rewritten is None or 0 < len(rewritten) < 300
    assert vllm_server.metric("vllm:request_success_total") == before + 1
