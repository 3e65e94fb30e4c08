"""What may fail for a while is tried again until it succeeds or is given up; each try and each wait is a step."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from bot.model import Busy
from bot.steps import Steps
from indexer.errors import IndexMissing, RepoPilotError

log = logging.getLogger(__name__)

# Answering failed for reasons of ours: an index that is being repaired, an embedding server that is down.
ANSWER_WAITS_S: Final = (5.0, 30.0, 120.0, 600.0)
# At five seconds each, half an hour of a language model that has no room.
MOST_BUSY: Final = 360

Act = Callable[..., Awaitable[Any]]


class SetAside(Exception):
    """A job cannot go on; the message says why, for whoever looks after us."""


class Gone(Exception):
    """What a job is about is not there any more, or closed to everybody."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do after a try that failed: wait so many seconds and try again, or (None) give up; `gone` when what it
    was about is."""

    wait_s: float | None
    gone: bool = False


Judge = Callable[[Exception, int], Verdict]
"""The verdict on an error of a platform, and on the how many-th of the same it was."""


class Insisting:
    """`platform` are the errors that `judge` judges."""

    def __init__(self, platform: type[Exception], judge: Judge) -> None:
        self._errors = (platform, Busy, RepoPilotError)
        self._platform = platform
        self._judge = judge

    async def on(
        self, steps: Steps, name: str, act: Act, *arguments: Any, waiting: Callable[[], Awaitable[None]] | None = None
    ) -> Any:
        """What an act gave, after as many tries and as long a wait as it takes; `waiting` tells whoever waits for a
        busy model, once. Raises Gone or SetAside."""
        tries, told = 1, False
        while True:
            outcome = await steps.run(name, self._tried, act, tries, *arguments)
            if "result" in outcome:
                return outcome["result"]
            if outcome["wait_s"] is None:
                raise (Gone if outcome["gone"] else SetAside)(outcome["message"])
            log.info("%s: again in %.0f s: %s", name, outcome["wait_s"], outcome["message"])
            if waiting and outcome["busy"] and not told:
                told = True
                await steps.run("say that it waits", waiting)
            await steps.sleep(outcome["wait_s"])
            tries += 1

    async def quietly(self, act: Act, *arguments: Any) -> Any:
        """What an act gave that nothing else depends on; None when the platform refused it."""
        try:
            return await act(*arguments)
        except self._platform as error:
            log.info("left undone: %s", error)
            return None

    async def _tried(self, act: Act, tries: int, *arguments: Any) -> dict[str, Any]:
        try:
            return {"result": await act(*arguments)}
        except self._errors as error:
            verdict = self._judge(error, tries) if isinstance(error, self._platform) else _ours(error, tries)
            busy = isinstance(error, Busy)
            return {"wait_s": verdict.wait_s, "gone": verdict.gone, "busy": busy, "message": str(error)}


def _ours(error: Exception, tries: int) -> Verdict:
    """The verdict on what kept us from answering."""
    if isinstance(error, Busy):
        return Verdict(float(error.retry_after) if tries < MOST_BUSY else None)
    if isinstance(error, IndexMissing) or tries > len(ANSWER_WAITS_S):
        return Verdict(None)
    return Verdict(ANSWER_WAITS_S[tries - 1])
