"""Passages and a question become a language model's words: a vLLM (or any OpenAI-compatible) server, by LangChain."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import openai
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from bot.model import Busy, ModelFailure, Reply
from bot.retrieval import Found
from bot.types import Passage, Question, Turn
from prompts import render

# Code takes about three characters a token in the tokenizers of today's models; measured budgets come later.
CHARACTERS_A_TOKEN = 3
# System prompt and chat template beside the passages, the question and its history.
OVERHEAD_TOKENS = 900
LONGEST_HISTORY_CHARACTERS = 2_000
TRANSIENT_RETRIES = 2
CONNECT_TIMEOUT_S = 5.0

# What LangChain and openai raise when a body is not what the API promises.
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)
# Where a text could open or close a passage of its own.
_PASSAGE_TAG = re.compile(r"<(?=\s*/?\s*passage)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How the model is reached and how much is asked of it at once."""

    url: str
    model: str
    api_key: str | None = None
    timeout_s: float = 90.0
    context_tokens: int = 8_192
    answer_tokens: int = 1_000
    concurrency: int = 16
    queue: int = 64


class ChatModel:
    def __init__(self, options: ModelOptions) -> None:
        self.name = options.model
        self._options = options
        self._slots = asyncio.Semaphore(options.concurrency)
        self._waiting = 0
        self._chat = ChatOpenAI(
            model=options.model,
            base_url=options.url,
            api_key=SecretStr(options.api_key or "none"),
            temperature=0,
            max_completion_tokens=options.answer_tokens,
            max_retries=TRANSIENT_RETRIES,
            timeout=httpx.Timeout(options.timeout_s, connect=CONNECT_TIMEOUT_S),
            # Its `asyncio.wait_for` loses a cancellation that comes with a chunk (python/cpython#86296).
            stream_chunk_timeout=None,
        )

    @asynccontextmanager
    async def answering(self, question: Question, found: Found) -> AsyncIterator[Reply]:
        """The reply to a question; leaving the context stops the model. Raises ModelFailure or Busy.

        A prompt that turns out too long is tried once more with half the passages.
        """
        async with self._slot():
            offered = fitting(question, found.passages, self._options)
            deadline = asyncio.get_running_loop().time() + self._options.timeout_s
            first, rest = await self._start(question, found, offered, deadline)
            if first is None:
                offered = offered[: max(1, len(offered) // 2)]
                first, rest = await self._start(question, found, offered, deadline)
            if first is None:
                raise ModelFailure("The question does not fit into the language model's context.")
            async with aclosing(rest):
                yield Reply(tuple(offered), _pieces(first, rest))

    async def _start(
        self, question: Question, found: Found, offered: Sequence[Passage], deadline: float
    ) -> tuple[_Chunk | None, Any]:
        """The first chunk and the iterator of the rest; None as first when the prompt was too long."""
        stream = _guarded(self._chat.astream(messages(question, found, offered)), deadline)
        try:
            return await anext(stream), stream
        except StopAsyncIteration:
            raise ModelFailure("The language model gave an empty answer.") from None
        except _PromptTooLong:
            return None, stream

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        if self._slots.locked() and self._waiting >= self._options.queue:
            raise Busy
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._slots.release()


class _PromptTooLong(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Chunk:
    text: str
    finish: str | None


async def _guarded(stream: AsyncIterator[Any], deadline: float) -> AsyncIterator[_Chunk]:
    """The stream's chunks, its failures as ModelFailure, and an end to it at the deadline (loop time)."""
    try:
        while True:
            async with asyncio.timeout_at(deadline):  # never across a yield: it would cancel whoever reads us
                message = await anext(stream, None)
            if message is None:
                return
            yield _Chunk(_text(message.content), message.response_metadata.get("finish_reason"))
    except openai.BadRequestError as error:
        if "context length" in str(error):
            raise _PromptTooLong from error
        raise ModelFailure("The language model refused the request.") from error
    except (TimeoutError, openai.OpenAIError, httpx.HTTPError, *UNREADABLE) as error:
        raise ModelFailure(_failure(error)) from error
    finally:
        await stream.aclose()  # type: ignore[attr-defined]


async def _pieces(first: _Chunk, rest: AsyncIterator[_Chunk]) -> AsyncIterator[str]:
    yield first.text
    finish = first.finish
    async for chunk in rest:
        finish = chunk.finish or finish
        yield chunk.text
    if finish != "stop":
        raise ModelFailure("The language model's answer was cut off.")


def messages(question: Question, found: Found, offered: Sequence[Passage]) -> list[BaseMessage]:
    """The prompt, what stays the same first, so that vLLM's prefix cache is used."""
    origin = found.snapshot.origin
    asked = render(
        "question",
        repository=origin.repository,
        ref=origin.ref,
        passages="\n".join(_passage(number, p) for number, p in enumerate(offered, start=1)),
        question=question.text,
    )
    return [SystemMessage(render("system")), *_history(question), HumanMessage(asked)]


def fitting(question: Question, passages: Sequence[Passage], options: ModelOptions) -> list[Passage]:
    """As many of the best passages as the context has room for beside the question; always at least one."""
    room = (options.context_tokens - options.answer_tokens - OVERHEAD_TOKENS) * CHARACTERS_A_TOKEN
    room -= len(question.text) + sum(len(turn.content) for turn in _kept(question.history))
    kept: list[Passage] = []
    for passage in passages:
        room -= len(passage.text) + len(passage.path) + len(passage.symbol) + 60
        if kept and room < 0:
            break
        kept.append(passage)
    return kept


def _passage(number: int, passage: Passage) -> str:
    return render(
        "passage",
        number=str(number),
        path=_attribute(passage.path),
        lines=f"{passage.start_line}-{passage.end_line}",
        symbol=_attribute(passage.symbol),
        text=_PASSAGE_TAG.sub("<\\\\", passage.text),
    )


def _attribute(text: str) -> str:
    return _PASSAGE_TAG.sub("<\\\\", " ".join(text.replace('"', "'").split()))


def _history(question: Question) -> list[BaseMessage]:
    kinds: dict[str, Callable[[str], BaseMessage]] = {"user": HumanMessage, "assistant": AIMessage}
    return [kinds[turn.role](turn.content) for turn in _kept(question.history)]


def _kept(history: Sequence[Turn]) -> Sequence[Turn]:
    """The latest turns that fit, oldest first."""
    room = LONGEST_HISTORY_CHARACTERS
    for at, turn in reversed(list(enumerate(history))):
        room -= len(turn.content)
        if room < 0:
            return history[at + 1 :]
    return history


def _text(content: str | list[Any]) -> str:
    """Only what a model says: reasoning and tool parts of a message are not for readers."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content if isinstance(part, dict) and part.get("type") == "text")


def _failure(error: Exception) -> str:
    if isinstance(error, TimeoutError | openai.APITimeoutError | httpx.TimeoutException):
        return "The language model did not answer in time."
    if isinstance(error, openai.APIConnectionError | httpx.TransportError):
        return "The connection to the language model failed."
    if isinstance(error, openai.APIStatusError):
        return f"The language model answered with an error ({error.status_code})."
    return "The language model's answer could not be read."
