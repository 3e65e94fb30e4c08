"""An answerer that says what it was told to say."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator

from bot.types import Answer, Event, Question

Step = Event | Exception | float
"""An event to give, an exception to raise, or seconds to wait."""


class ScriptedAnswerer:
    """`asked` are the questions that came; `closed` is set once an answer was finished or given up."""

    def __init__(self, *steps: Step) -> None:
        self.steps = steps
        self.asked: list[Question] = []
        self.closed = threading.Event()

    async def answer(self, question: Question) -> Answer:
        async for event in self.stream(question):
            if isinstance(event, Answer):
                return event
        raise AssertionError("the script has no answer")

    async def stream(self, question: Question) -> AsyncGenerator[Event]:
        self.asked.append(question)
        try:
            for step in self.steps:
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, int | float):
                    await asyncio.sleep(step)
                else:
                    yield step
        finally:
            await asyncio.sleep(0)  # cleaning up awaits, as closing the request to a model does
            self.closed.set()
