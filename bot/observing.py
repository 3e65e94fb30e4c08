"""Answering as a surface sees it, with others looking on: each question that ends is told to them, whatever its end."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Final
from uuid import uuid4

import anyio
from anyio.to_thread import run_sync

from bot.database import now
from bot.events import current_event, is_late
from bot.history import Record, Surface
from bot.model import Busy
from bot.types import Answer, Event, PassagesFound, Question, Token, answer_of
from indexer.errors import RepoPilotError

if TYPE_CHECKING:
    from bot.answering import Answerer

log = logging.getLogger(__name__)

Observer = Callable[[Record], None]
"""Is told of a question that has ended, in a thread; what it raises is logged, and loses no answer."""

_STAGES: Final = {PassagesFound: "retrieval", Token: "first_token", Answer: "whole"}


class ObservedAnswerer:
    """The answerer of one surface. An answer is told of before it is given, so that whoever has it finds its record."""

    def __init__(self, answerer: Answerer, surface: Surface, observers: Sequence[Observer]) -> None:
        self._answerer = answerer
        self._surface = surface
        self._observers = observers

    async def answer(self, question: Question) -> Answer:
        """The whole answer. Raises as `Answerer.answer` does."""
        return await answer_of(self.stream(question))

    async def stream(self, question: Question) -> AsyncGenerator[Event]:
        """The events of an answer in the making. Raises as `Answerer.stream` does."""
        at, began, seconds, answer, failure = now(), time.perf_counter(), dict[str, float](), None, None
        try:
            async with aclosing(self._answerer.stream(question)) as events:
                async for event in events:
                    seconds.setdefault(_STAGES[type(event)], round(time.perf_counter() - began, 4))
                    if isinstance(event, Answer):
                        answer = event
                        break
                    yield event
        except Exception as error:
            failure = _code(error)
            raise
        finally:
            number = answer.id if answer else uuid4().hex
            ended = None if answer else failure or ("too_late" if is_late() else "abandoned")
            record = Record(number, at, self._surface, current_event(), question.text, answer, ended, seconds)
            with anyio.CancelScope(shield=True):
                await run_sync(self._tell, record)
        if answer:
            yield answer

    def _tell(self, record: Record) -> None:
        for observer in self._observers:
            try:
                observer(record)
            except Exception:  # the answer is worth more than its record
                log.exception("a question could not be told to %s", getattr(observer, "__qualname__", observer))


def _code(error: Exception) -> str:
    """What failed, in a word that tells no secret: the name of an expected error, else `error`."""
    return type(error).__name__ if isinstance(error, RepoPilotError | Busy) else "error"
