"""The parts of the GitHub adapter put together."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from anyio.to_thread import run_sync

from bot.adapters.github.client import Client, Credentials
from bot.adapters.github.drafts import Drafts
from bot.adapters.github.failures import GitHubError, judged
from bot.adapters.github.feedback import Feedback
from bot.adapters.github.policy import Policy
from bot.adapters.github.types import PUSHES, Pushed
from bot.adapters.github.webhook import ANSWER, SYNC, Webhook, sync_event
from bot.adapters.github.work import Limits, Work
from bot.events import about_event
from bot.history import History
from bot.insisting import Insisting
from bot.jobs import Jobs
from bot.ledger import Ledger
from bot.steps import Steps
from bot.types import Answer, Question
from indexer.types import Address

Sync = Callable[[Address, bool], str]
"""Brings the index of an address up to date, and says what was done; whether the address must be used as it is, since
it holds a token. Raises RepoPilotError."""


@dataclass(frozen=True, slots=True)
class GitHubOptions:
    """How we are set up on GitHub."""

    credentials: Credentials
    webhook_secret: str
    policy: Policy
    per_user_per_minute: int | None = None


@dataclass(frozen=True, slots=True)
class Surface:
    """What the service needs of the adapter: where deliveries go in, and what is to be done now and then."""

    webhook: Webhook
    rounds: Sequence[Callable[[], Awaitable[None]]]


def open_github(
    options: GitHubOptions,
    ledger: Ledger,
    history: History,
    jobs: Jobs,
    answer: Callable[[Question], Awaitable[Answer]],
    sync: Sync,
) -> Surface:
    """The adapter over these parts, with its jobs defined."""
    client = Client(options.credentials)
    work = Work(client, ledger, answer, options.policy, Limits(options.per_user_per_minute))
    jobs.define(ANSWER, work.reply)
    jobs.define(SYNC, Syncing(client, sync).job)
    rounds = [
        Feedback(client, ledger, history).gather,
        *([Drafts(client, ledger).publish] if options.policy.drafts else []),
    ]
    return Surface(Webhook(options.webhook_secret, options.policy, ledger, jobs), rounds)


class Syncing:
    """The job of a push or a release: what was indexed of the repository is brought up to date."""

    def __init__(self, client: Client, sync: Sync) -> None:
        self._client = client
        self._sync = sync
        self._insisting = Insisting(GitHubError, judged)

    async def job(self, steps: Steps, key: str) -> None:
        """One step, which takes up by itself where it was killed. Raises Gone or SetAside when it cannot be done."""
        pushed = PUSHES.validate_python(json.loads(key))
        with about_event(sync_event(pushed)):
            await self._insisting.on(steps, "index", self._indexed, pushed)

    async def _indexed(self, pushed: Pushed) -> str:
        source = pushed.address
        if pushed.private:
            token = await self._client.clone_token(pushed.repository, pushed.installation)
            source = source.replace("://", f"://x-access-token:{token}@", 1)
        return await run_sync(self._sync, Address(source, pushed.ref, pushed.repository), pushed.private)
