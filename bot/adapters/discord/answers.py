"""The answers that were given, as the history keeps them: for buttons, `/sources` and feedback."""

from __future__ import annotations

from collections.abc import Callable

from anyio.to_thread import run_sync

from bot.history import History, Vote
from bot.ledger import Ledger
from bot.rendering.discord import listing
from bot.types import Answer, Citation

Lines = Callable[[Answer, Citation], str | None]
"""The lines that a citation of an answer refers to; None when their version is not indexed any more."""


class Answers:
    def __init__(self, history: History, ledger: Ledger, lines: Lines) -> None:
        self._history = history
        self._ledger = ledger
        self._lines = lines

    async def note(self, answer: Answer, channel: int) -> None:
        """Note an answer as the latest in its channel."""
        await run_sync(self._ledger.keep, f"discord:latest:{channel}", answer.id)

    async def kept(self, number: str) -> Answer | None:
        """An answer, as long as it is kept."""
        found = await run_sync(self._history.kept, number)
        return found.answer if found else None

    async def latest(self, channel: int) -> str | None:
        """The id of the latest answer in a channel."""
        found: str | None = await run_sync(self._ledger.kept, f"discord:latest:{channel}")
        return found

    async def vote(self, number: str, voter: str, vote: Vote) -> None:
        await run_sync(self._history.vote, number, voter, vote)

    async def sources(self, number: str) -> list[str]:
        """Messages that show the lines an answer cites; none when it cites none or is not kept any more."""
        answer = await self.kept(number)
        if not answer:
            return []
        shown = [(citation, await run_sync(self._lines, answer, citation)) for citation in answer.citations]
        return listing(shown)
