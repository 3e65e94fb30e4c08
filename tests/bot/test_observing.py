from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

import anyio
import pytest

from bot.events import about_event
from bot.history import Record
from bot.model import Busy
from bot.observing import ObservedAnswerer
from bot.types import Answer, Event, PassagesFound, Question, Token
from fakes.answers import answer

GIVEN = answer("It is `16` [1].", 1)
EVENTS = (PassagesFound((), GIVEN.index), Token("It is "), Token("`16` [1]."), GIVEN)


class Scripted:
    """Gives events; an exception among them is raised."""

    def __init__(self, events: Sequence[Event | Exception] = EVENTS) -> None:
        self._events = events
        self.closed = False

    async def stream(self, question: Question) -> AsyncGenerator[Event]:
        try:
            for event in self._events:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            self.closed = True


def observed(events: Sequence[Event | Exception], *observers: Callable[[Record], None]) -> ObservedAnswerer:
    return ObservedAnswerer(Scripted(events), "page", observers)  # type: ignore[arg-type]


def test_an_answer_is_told_of_before_it_is_given() -> None:
    told: list[Record] = []

    async def ask() -> None:
        with about_event("request-1"):
            async for event in observed(EVENTS, told.append).stream(Question("How large?")):
                assert isinstance(event, Answer) == bool(told)

    anyio.run(ask)
    (record,) = told
    assert (record.id, record.surface, record.event, record.question) == (GIVEN.id, "page", "request-1", "How large?")
    assert record.answer == GIVEN and record.outcome == "answered"
    assert list(record.seconds) == ["retrieval", "first_token", "whole"]
    assert record.seconds["retrieval"] <= record.seconds["first_token"] <= record.seconds["whole"]


def test_what_fails_is_told_with_its_kind_alone_and_raised() -> None:
    told: list[Record] = []
    with pytest.raises(Busy):
        anyio.run(observed((EVENTS[0], Busy()), told.append).answer, Question("?"))
    with pytest.raises(ValueError, match="secret"):
        anyio.run(observed((ValueError("a secret"),), told.append).answer, Question("?"))
    assert [(record.failure, record.outcome) for record in told] == [("Busy", "failed"), ("error", "failed")]
    assert told[0].id != told[1].id


def test_whoever_leaves_is_told_of_and_the_work_ends() -> None:
    told: list[Record] = []
    scripted = Scripted()

    async def leave() -> None:
        answerer = ObservedAnswerer(scripted, "page", [told.append])  # type: ignore[arg-type]
        async with aclosing(answerer.stream(Question("?"))) as events:
            await anext(events)

    anyio.run(leave)
    assert scripted.closed and [record.outcome for record in told] == ["abandoned"]


def test_cancelling_is_told_of_too() -> None:
    told: list[Record] = []

    class Slow:
        async def stream(self, question: Question) -> AsyncGenerator[Event]:
            await anyio.sleep(60)
            yield GIVEN

    async def cancel() -> None:
        with anyio.move_on_after(0.05):
            await ObservedAnswerer(Slow(), "page", [told.append]).answer(Question("?"))  # type: ignore[arg-type]

    anyio.run(cancel)
    assert [record.outcome for record in told] == ["abandoned"]


def test_an_observer_that_fails_loses_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    told: list[Record] = []

    def broken(record: Record) -> None:
        raise OSError("no space left on device")

    assert anyio.run(observed(EVENTS, broken, told.append).answer, Question("?")) == GIVEN
    assert len(told) == 1 and "no space" in caplog.text
