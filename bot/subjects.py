"""The frame of a job: a subject is read, our reply brought to what it asks, and that recorded, each in a step."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any

from anyio.to_thread import run_sync

from bot.events import about_event
from bot.insisting import Gone, SetAside
from bot.ledger import Ledger
from bot.steps import Steps

log = logging.getLogger(__name__)

Json = Mapping[str, Any]


class Subjects:
    """The ledger, as the steps of jobs use it; a subject is passed on as plain data."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def bring(
        self, steps: Steps, key: str, settling_s: float, act: Callable[[Steps, Json], Awaitable[None]]
    ) -> None:
        """Let an act bring our reply to the newest revision of a subject, once that has settled for so many seconds.

        What it raises ends the job: Gone settles the subject without a reply, SetAside leaves it to a person.
        """
        with about_event(key):
            await steps.sleep(settling_s)
            subject = await steps.run("read", self._read, key)
            if subject is None or subject["state"] != "open":
                return
            try:
                await act(steps, subject)
            except Gone:
                await self.settle(steps, subject, None, None)
            except SetAside as aside:
                log.warning("set aside: %s: %s", key, aside)
                await steps.run("set aside", self._set_aside, key, subject["revision"], str(aside))

    async def is_newest(self, steps: Steps, subject: Json) -> bool:
        """Whether a subject has not changed since it was read."""
        newest: bool = await steps.run("still the newest", self._is_newest, subject["key"], subject["revision"])
        return newest

    async def settle(self, steps: Steps, subject: Json, reply: Json | None, answer_id: str | None) -> None:
        """Record our reply to a subject, and which answer it shows."""
        await steps.run("settle", self._settled, subject["key"], subject["revision"], reply, answer_id)

    async def _read(self, key: str) -> Json | None:
        subject = await run_sync(self._ledger.subject, key)
        return asdict(subject) if subject else None

    async def _is_newest(self, key: str, revision: int) -> bool:
        subject = await run_sync(self._ledger.subject, key)
        return subject is not None and subject.revision == revision

    async def _settled(self, key: str, revision: int, reply: Json | None, answer_id: str | None) -> None:
        await run_sync(self._ledger.settle, key, revision, reply, answer_id)

    async def _set_aside(self, key: str, revision: int, reason: str) -> None:
        await run_sync(self._ledger.set_aside, key, revision, reason)
