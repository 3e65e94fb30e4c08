"""What is kept for a time is deleted after it, now and then, as long as the program runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final

import anyio
from anyio.to_thread import run_sync

log = logging.getLogger("repopilot")

# Days need no precision, and what was forgotten once leaves little to forget.
EVERY_S: Final = 6 * 3_600.0

Forget = Callable[[float], object]
"""Deletes what is older than so many days; it may take its time."""


class Retention:
    def __init__(self, days: float, stores: Sequence[Forget], every_s: float = EVERY_S) -> None:
        self._days = days
        self._stores = stores
        self._every_s = every_s

    async def keep(self) -> None:
        """Forget at once, and every few hours, until cancelled. A store that fails is tried again then."""
        while True:
            for forget in self._stores:
                try:
                    await run_sync(forget, self._days)
                except Exception:  # the other stores can be seen to
                    log.exception("what is older than %g days could not be deleted", self._days)
            await anyio.sleep(self._every_s)
