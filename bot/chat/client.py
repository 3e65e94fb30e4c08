"""A question and its passages go to a language model, at most so many at once, and its reply comes back in pieces."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

from bot.chat import prompt
from bot.chat.budget import Offer, composed, latest
from bot.chat.completion import Chunk, Completions, PromptTooLong, Refused
from bot.chat.manner import Manner, Structured, is_small
from bot.chat.rewriting import usable
from bot.chat.server import ModelServer, estimated_tokens
from bot.chat.speech import Speech, pieces
from bot.chat.thoughts import ThoughtAloud
from bot.chat.untrusted import visible
from bot.model import Busy, Ending, ModelFailure, Readiness, Reply
from bot.retrieval import Found
from bot.types import Question

# Where neither the settings nor the server say how long the context is: what nearly every model of today has.
CONTEXT_TOKENS = 8_192
REWRITTEN_TOKENS = 80
# A question of more characters says what it is about.
LONGEST_FOLLOW_UP = 1_500
REWRITING_THREAD_TOKENS = 1_500
# Reasoning models would spend all of a short answer on thinking; vLLM hands this to the chat template.
UNTHINKING = {"chat_template_kwargs": {"enable_thinking": False}}


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How the model is reached, how it is asked, and how much is asked of it at once. `instructions` are the
    operator's own words to it; without `context_tokens` the server says how long its context is."""

    url: str
    model: str
    api_key: str | None = None
    timeout_s: float = 90.0
    context_tokens: int | None = None
    answer_tokens: int = 1_000
    concurrency: int = 16
    queue: int = 64
    structured: Structured = "auto"
    instructions: str = ""
    logprobs: bool = False
    rewriting_s: float = 10.0


@dataclass(frozen=True, slots=True)
class _Begun:
    """A request whose first chunk is there."""

    offer: Offer
    form: prompt.Form
    first: Chunk
    rest: AsyncGenerator[Chunk]


class ChatModel:
    """One language model on an OpenAI-compatible server."""

    def __init__(self, options: ModelOptions) -> None:
        self.name = options.model
        self.judges = not is_small(options.model)
        self._options = options
        self._completions = Completions(options.url, options.model, options.api_key, options.timeout_s)
        self._server = ModelServer(options.url, options.model, options.api_key)
        self._manner = Manner(options.structured, options.model)
        self._unopened = False  # it thinks before it answers, and nothing says where that begins
        self._slots = asyncio.Semaphore(options.concurrency)
        self._waiting = 0

    def demand_room(self) -> None:
        """Raises Busy when the queue is full."""
        if self._slots.locked() and self._waiting >= self._options.queue:
            raise Busy

    @asynccontextmanager
    async def answering(self, question: Question, found: Found) -> AsyncIterator[Reply]:
        """The reply to a question; leaving the context stops the model. Raises ModelFailure or Busy.

        A prompt that turns out too long is tried once more in half the room.
        """
        async with self._slot():
            deadline = asyncio.get_running_loop().time() + self._options.timeout_s
            try:
                begun = await self._begin(question, found, deadline)
            except PromptTooLong:
                self._server.forget()
                begun = await self._begin(question, found, deadline, halved=True)
            async with aclosing(begun.rest):
                ending = Ending()
                yield Reply(begun.offer.passages, self._said(begun, ending), ending, begun.offer.prompt.system)

    async def standalone(self, question: Question) -> str | None:
        """The question with what its conversation says of it; None without one, or when nothing usable came soon."""
        if not question.history or len(question.text) > LONGEST_FOLLOW_UP:
            return None
        try:
            async with asyncio.timeout(self._options.rewriting_s), self._slot():
                return usable(await self._rewritten(question), question)
        except (ModelFailure, Busy, ThoughtAloud, TimeoutError):
            return None

    async def ready(self) -> Readiness:
        """Whether the model's server is there and serves it."""
        return await self._server.ready()

    async def _begin(self, question: Question, found: Found, deadline: float, halved: bool = False) -> _Begun:
        """The request as far as the first chunk, in the first form that the server takes."""
        context = await self._context_tokens()
        answer_tokens = min(self._options.answer_tokens, context // 3)
        *attempts, last = self._manner.attempts()
        for left_out in (*attempts, last):
            form = self._manner.form(left_out)
            rules = prompt.system(form, visible(self._options.instructions))
            offer = await composed(question, found, rules, context - answer_tokens, self._server.count, halved)
            extras = self._manner.extras(left_out, len(offer.passages), self._options.logprobs)
            stream = self._completions.stream(offer.prompt, answer_tokens, deadline, extras)
            try:
                first = await anext(stream)
            except StopAsyncIteration:
                raise ModelFailure("The language model gave an empty answer.") from None
            except Refused:
                if left_out == last:
                    raise
                continue
            self._manner.accepted(left_out)
            return _Begun(offer, form, first, stream)
        raise AssertionError("the last attempt returns or raises")

    async def _said(self, begun: _Begun, ending: Ending) -> AsyncGenerator[str]:
        """The pieces of the reply; what it shows of the model is remembered. Raises ModelFailure."""
        speech, text = Speech(begun.form, self._unopened), ""
        try:
            async for piece in pieces(begun.first, begun.rest, speech, ending):
                text += piece
                yield piece
        except ThoughtAloud:
            self._unopened = True
            raise ModelFailure("The language model thought aloud.") from None
        self._manner.heard(begun.form, text, ignored=speech.statements is not None and speech.statements.plain)

    async def _rewritten(self, question: Question) -> str:
        turns = [prompt.turn(said) for said in question.history]
        sizes = [estimated_tokens(turn) for turn in turns]
        thread, _ = latest(question.history, turns, sizes, REWRITING_THREAD_TOKENS)
        asked = prompt.Prompt(prompt.rewriting(), prompt.following_up(thread, prompt.written(question.text)))
        deadline = asyncio.get_running_loop().time() + self._options.rewriting_s
        try:
            return await self._whole(asked, deadline, UNTHINKING)
        except Refused:
            return await self._whole(asked, deadline, {})

    async def _whole(self, asked: prompt.Prompt, deadline: float, extras: Mapping[str, object]) -> str:
        speech = Speech("cited", self._unopened)
        async with aclosing(self._completions.stream(asked, REWRITTEN_TOKENS, deadline, extras)) as chunks:
            return "".join([speech.feed(chunk.text) async for chunk in chunks]) + speech.finish()

    async def _context_tokens(self) -> int:
        told = (self._options.context_tokens, await self._server.context_tokens())
        return min((tokens for tokens in told if tokens), default=CONTEXT_TOKENS)

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        self.demand_room()
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._slots.release()
