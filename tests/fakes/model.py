"""A language model that says what it was told to: a queue of replies, and a history of what it was asked."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bot.model import Ending, Readiness, Reply
from bot.retrieval import Found
from bot.types import Question

Piece = str | float | Exception
"""A piece of the reply, seconds to wait, or what the model fails with."""


@dataclass
class ScriptedModel:
    """`replies` are given in turn; `asked` are the questions, `open` how many replies are being read; `alone` is what
    it makes of a question that follows up on others."""

    name: str = "scripted"
    offered: int | None = None
    replies: deque[Sequence[Piece]] = field(default_factory=deque)
    asked: list[tuple[Question, Found]] = field(default_factory=list)
    open: int = 0
    alone: str | None = None
    ending: Ending = field(default_factory=Ending)
    judges: bool = False
    readiness: Readiness = field(default_factory=lambda: Readiness(True))

    def say(self, *pieces: Piece) -> ScriptedModel:
        self.replies.append(pieces)
        return self

    def demand_room(self) -> None: ...

    @asynccontextmanager
    async def answering(self, question: Question, found: Found) -> AsyncIterator[Reply]:
        self.asked.append((question, found))
        pieces = self.replies.popleft()
        self.open += 1
        try:
            yield Reply(found.passages[: self.offered], _played(pieces), self.ending)
        finally:
            await asyncio.sleep(0)  # closing awaits, as closing a connection does
            self.open -= 1

    async def standalone(self, question: Question) -> str | None:
        return self.alone

    async def ready(self) -> Readiness:
        return self.readiness


async def _played(pieces: Sequence[Piece]) -> AsyncIterator[str]:
    for piece in pieces:
        if isinstance(piece, Exception):
            raise piece
        if isinstance(piece, str):
            yield piece
        else:
            await asyncio.sleep(piece)
