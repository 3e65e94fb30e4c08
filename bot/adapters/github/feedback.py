"""What people think of our replies: 👍 and 👎 on them. GitHub tells nobody of reactions, so we look now and then."""

from __future__ import annotations

import logging
import time
from typing import Final

from anyio.to_thread import run_sync

from bot.adapters.github.client import Client
from bot.adapters.github.failures import GitHubError
from bot.adapters.github.types import TEXTS
from bot.history import History
from bot.ledger import Ledger, Subject

log = logging.getLogger("repopilot.github")

# Most who react do so soon. A request a reply: 300 replies a day are 2,100 an hour at most, of 5,000 that an App has.
DAYS: Final = 7
EVERY_S: Final = 3_600.0
MOST_A_ROUND: Final = 500


class Feedback:
    def __init__(self, client: Client, ledger: Ledger, history: History, every_s: float = EVERY_S) -> None:
        self._client = client
        self._ledger = ledger
        self._history = history
        self._every_s = every_s
        self._looked_at = time.monotonic()

    async def gather(self) -> None:
        """Count the reactions to recent replies, once in a while."""
        if time.monotonic() - self._looked_at < self._every_s:
            return
        self._looked_at = time.monotonic()
        for subject in (await run_sync(self._ledger.replied, DAYS))[-MOST_A_ROUND:]:
            try:
                await self.count(subject)
            except GitHubError as error:
                log.info("reactions were not read: %s", error.message)
                if error.kind != "gone":
                    return

    async def count(self, subject: Subject) -> None:
        """Bring what is recorded of a reply's reactions up to date. Raises GitHubError."""
        if not subject.reply or not subject.answer_id:
            return
        found = await self._client.votes(TEXTS.validate_python(subject.asked), subject.reply)
        known = await run_sync(self._history.votes, subject.answer_id)
        for voter in {*found, *(name.removeprefix("github:") for name in known if name.startswith("github:"))}:
            if known.get(f"github:{voter}") != found.get(voter):
                await run_sync(self._history.vote, subject.answer_id, f"github:{voter}", found.get(voter), None)
