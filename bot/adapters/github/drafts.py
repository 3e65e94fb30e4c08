"""Answers that only maintainers publish: posted folded up, and unfolded once somebody who may write reacts with 👍."""

from __future__ import annotations

import logging
from typing import Final

from anyio.to_thread import run_sync

from bot.adapters.github.client import Client
from bot.adapters.github.failures import GitHubError
from bot.adapters.github.types import TEXTS
from bot.ledger import Ledger, Subject

log = logging.getLogger("repopilot.github")

DAYS: Final = 14
_FOLDED: Final = """\
<details>
<summary>A draft of an answer, for the maintainers: a 👍 of theirs on this comment publishes it.</summary>

{body}

</details>
"""


def folded(body: str) -> str:
    """A comment's body as a draft."""
    return _FOLDED.format(body=body)


class Drafts:
    """The drafts that wait for a maintainer."""

    def __init__(self, client: Client, ledger: Ledger) -> None:
        self._client = client
        self._ledger = ledger

    async def publish(self) -> None:
        """Publish what maintainers have approved."""
        for subject in await run_sync(self._ledger.replied, DAYS):
            if subject.reply and "draft" in subject.reply:
                try:
                    await self._look_at(subject)
                except GitHubError as error:
                    log.info("a draft was not looked at: %s", error.message)

    async def _look_at(self, subject: Subject) -> None:
        text, reply = TEXTS.validate_python(subject.asked), dict(subject.reply or {})
        for login, vote in (await self._client.votes(text, reply)).items():
            if vote == "up" and await self._client.may_write(text, login):
                await self._client.edit(text, reply, reply.pop("draft"))
                await run_sync(self._ledger.settle, subject.key, subject.revision, reply, subject.answer_id)
                return
