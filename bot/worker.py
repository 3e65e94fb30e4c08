"""The jobs of this process while it runs: started, swept up after others and after crashes, stopped."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import anyio
from anyio.to_thread import run_sync

from bot.events import about_event
from bot.jobs import Jobs
from bot.ledger import Ledger
from indexer.errors import RepoPilotError

log = logging.getLogger(__name__)

Round = Callable[[], Awaitable[None]]


class Worker:
    """Works as long as its context is open. `rounds` are done with every sweep, every `sweep_s` seconds: what a crash
    left behind waits no longer. `listeners` listen all the while.

    When a listener cannot go on, `failure` says why, and `on_failure` is called to end the process.
    """

    def __init__(
        self,
        jobs: Jobs,
        ledger: Ledger,
        rounds: Sequence[Round] = (),
        listeners: Sequence[Round] = (),
        sweep_s: float = 30.0,
    ) -> None:
        self._sweep_s = sweep_s
        self._listeners = listeners
        self.failure: RepoPilotError | None = None
        self.on_failure: Callable[[], None] = lambda: None
        self._jobs = jobs
        self._ledger = ledger
        self._rounds = (jobs.take_over, self._sweep, *rounds)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        await self._jobs.start()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._go_round)
                for listener in self._listeners:
                    tasks.start_soon(self._listen, listener)
                yield
                tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await self._jobs.stop()
                self._ledger.close()

    async def run(self) -> None:
        """Work until a listener cannot go on. Raises what it raised."""
        failed = anyio.Event()
        self.on_failure = failed.set
        async with self.running():
            await failed.wait()
        assert self.failure
        raise self.failure

    async def _listen(self, listener: Round) -> None:
        try:
            await listener()
        except RepoPilotError as error:
            self.failure = error
            self.on_failure()

    async def counts(self) -> dict[str, int]:
        """Jobs that are queued and running, and subjects that were set aside."""
        aside = await run_sync(self._ledger.counts)
        return {**await self._jobs.under_way(), "set_aside": aside.get("set_aside", 0)}

    async def _go_round(self) -> None:
        while True:
            for work in self._rounds:
                try:
                    await work()
                except Exception:  # the next round may fare better; the others must go on
                    log.exception("a round failed: %s", getattr(work, "__qualname__", work))
            await anyio.sleep(self._sweep_s)

    async def _sweep(self) -> None:
        """Queue what is open: nothing happens to what is queued already. What failed for good is set aside."""
        for subject in await run_sync(self._ledger.open):
            with about_event(subject.key):
                job = (subject.kind, subject.key, str(subject.revision))
                if reason := await self._jobs.failed(*job):
                    log.warning("set aside: %s: %s", subject.key, reason)
                    await run_sync(self._ledger.set_aside, subject.key, subject.revision, reason)
                else:
                    await self._jobs.add(*job)
