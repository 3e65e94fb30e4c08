"""The answers that were given, as the ledger keeps them: for buttons, `/sources` and feedback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from anyio.to_thread import run_sync
from pydantic import TypeAdapter

from bot.ledger import Ledger
from bot.rendering.discord import listing
from bot.types import Answer, Citation

Lines = Callable[[Answer, Citation], str | None]
"""The lines that a citation of an answer refers to; None when their version is not indexed any more."""

_ANSWER = TypeAdapter(Answer)


class Answers:
    def __init__(self, ledger: Ledger, lines: Lines) -> None:
        self._ledger = ledger
        self._lines = lines

    async def keep(self, answer: Answer, channel: int) -> None:
        """Keep an answer, as the latest in its channel."""
        await run_sync(self._ledger.keep, f"answer:{answer.id}", asdict(answer))
        await run_sync(self._ledger.keep, f"discord:latest:{channel}", answer.id)

    async def kept(self, number: str) -> Answer | None:
        found = await run_sync(self._ledger.kept, f"answer:{number}")
        return _ANSWER.validate_python(found) if found else None

    async def latest(self, channel: int) -> str | None:
        """The id of the latest answer in a channel."""
        found: str | None = await run_sync(self._ledger.kept, f"discord:latest:{channel}")
        return found

    async def vote(self, number: str, voter: str, vote: str) -> None:
        await run_sync(self._ledger.vote, number, voter, vote)

    async def sources(self, number: str) -> list[str]:
        """Messages that show the lines an answer cites; none when it cites none or is not kept any more."""
        answer = await self.kept(number)
        if not answer:
            return []
        shown = [(citation, await run_sync(self._lines, answer, citation)) for citation in answer.citations]
        return listing(shown)
