"""Steps of a job without a database: remembered over crashes that a test brings about, and without real waiting."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any


class Crash(BaseException):
    """The process ends here. No `except Exception` may hold it up."""


class RememberedSteps:
    """What DBOS promises a job: a step whose result was kept is not run again. `waits` are the seconds slept.

    `crash_at` is the number of a step, from 1: the process ends once it has had its effect and before that is kept.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.waits: list[float] = []
        self.on_sleep: Callable[[], None] = lambda: None
        self.crash_at: int | None = None
        self._kept: list[str] = []
        self._next = 0

    async def life(self, job: Callable[[], Awaitable[None]]) -> bool:
        """Run a job from its start in a new life; whether it came to its end."""
        self._next = 0
        try:
            await job()
        except Crash:
            return False
        return True

    async def run(self, name: str, act: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        self._next += 1
        if self._next <= len(self._kept):
            assert self.names[self._next - 1] == name, "the order of the steps depends on more than their results"
            return json.loads(self._kept[self._next - 1])
        result = json.dumps(await act(*arguments))
        if self.crash_at == self._next:
            self.crash_at = None
            raise Crash
        self.names.append(name)
        self._kept.append(result)
        return json.loads(result)

    async def sleep(self, seconds: float) -> None:
        async def slept() -> None:
            if seconds:
                self.waits.append(seconds)
                self.on_sleep()

        await self.run("sleep", slept)
