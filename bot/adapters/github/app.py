"""The parts of the GitHub adapter put together."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from anyio.to_thread import run_sync
from pydantic import TypeAdapter

from bot.adapters.github.client import Client, Credentials
from bot.adapters.github.drafts import Drafts
from bot.adapters.github.feedback import Feedback
from bot.adapters.github.policy import Policy
from bot.adapters.github.types import Pushed
from bot.adapters.github.webhook import ANSWER, SYNC, Webhook
from bot.adapters.github.work import Limits, Work
from bot.jobs import Jobs
from bot.ledger import Ledger
from bot.steps import Steps
from bot.types import Answer, Question
from indexer.types import Address

_PUSHED = TypeAdapter(Pushed)


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
    jobs: Jobs,
    answer: Callable[[Question], Awaitable[Answer]],
    sync: Callable[[Address], str],
) -> Surface:
    """The adapter over these parts, with its jobs defined."""
    client = Client(options.credentials)
    work = Work(client, ledger, answer, options.policy, Limits(options.per_user_per_minute))
    jobs.define(ANSWER, work.reply)
    jobs.define(SYNC, lambda steps, key: _sync(steps, key, sync))
    rounds = [Feedback(client, ledger).gather, *([Drafts(client, ledger).publish] if options.policy.drafts else [])]
    return Surface(Webhook(options.webhook_secret, options.policy, ledger, jobs), rounds)


async def _sync(steps: Steps, key: str, sync: Callable[[Address], str]) -> None:
    """The job of a push or a release: one step, which takes up by itself where it was killed."""
    pushed = _PUSHED.validate_python(json.loads(key))
    address = Address(pushed.address, pushed.ref, pushed.repository)

    async def run() -> str:
        return await run_sync(sync, address)

    await steps.run("index", run)
