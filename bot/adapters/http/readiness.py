"""Whether an index answers: found out by a real search, and remembered for a moment, since probes need no token."""

from __future__ import annotations

import time
from contextlib import suppress

import anyio
import anyio.to_thread

from bot.retrieval import Retriever
from bot.types import Question
from indexer.errors import RepoPilotError

# At most one search a second, however many probe.
REMEMBERED_S = 1.0
PROBE = Question("readiness")


class Readiness:
    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self._lock = anyio.Lock()
        self._asked_at = float("-inf")
        self._error: RepoPilotError | None = None

    async def warm(self) -> None:
        """Search once, so that what a first search loads is loaded; what it raises, `demand` will raise."""
        with suppress(RepoPilotError):
            await self.demand()

    async def demand(self) -> None:
        """Raises what the search raised: IndexMissing, IndexDamaged, EmbedderMismatch, EmbedderError, StorageError."""
        async with self._lock:
            if time.monotonic() - self._asked_at > REMEMBERED_S:
                self._error = await anyio.to_thread.run_sync(self._probe)
                self._asked_at = time.monotonic()
        if self._error:
            raise self._error

    def _probe(self) -> RepoPilotError | None:
        try:
            self._retriever.search(PROBE, 1)
        except RepoPilotError as error:
            return error
        return None
