"""The GitHub adapter's work at a loopback GitHub, without HTTP in or a queue: a delivery is noted, a job is done."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from bot.adapters.github.client import Client, Credentials
from bot.adapters.github.policy import Policy
from bot.adapters.github.webhook import Webhook
from bot.adapters.github.work import Limits, Work
from bot.history import History
from bot.ledger import Ledger, Subject
from bot.types import Answer, Question
from fakes.answers import answer
from fakes.github.posts import Post
from fakes.github.server import GitHubServer
from fakes.steps import RememberedSteps

ANSWER = "Blocks hold 16 tokens [1]."


class NotedJobs:
    """What would have been queued."""

    def __init__(self) -> None:
        self.added: list[tuple[str, str, str]] = []

    async def add(self, kind: str, key: str, occasion: str) -> None:
        self.added.append((kind, key, occasion))


class Desk:
    """`says` are the answers to come, the last one again and again; exceptions are raised. `asked`: the questions."""

    def __init__(self, github: GitHubServer, folder: Path, policy: Policy, limits: Limits, secret: str) -> None:
        self.github = github
        self.policy = policy
        self.ledger = Ledger(f"sqlite:///{folder / 'jobs.sqlite'}")
        self.history = History(f"sqlite:///{folder / 'jobs.sqlite'}")
        self.jobs = NotedJobs()
        self.webhook = Webhook(secret, policy, self.ledger, self.jobs)  # type: ignore[arg-type]
        self.asked: list[Question] = []
        self.says: list[Answer | Exception | str] = [ANSWER]
        self.credentials = Credentials(github.url, app_id="424242", private_key=github.private_key)
        self._limits = limits
        self._slept = 0.0

    def work(self) -> Work:
        """The work in a new life of the program."""
        client = Client(self.credentials, clock=lambda: time.monotonic() + self._slept)
        return Work(client, self.ledger, self._answer, self.policy, self._limits)

    async def _answer(self, question: Question) -> Answer:
        self.asked.append(question)
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(said, Exception):
            raise said
        made = answer(said, 1) if isinstance(said, str) else said
        return replace(made, id=f"answer{len(self.asked)}")

    def deliver(self, post: Post, action: str = "", **how: Any) -> list[tuple[str, str, str]]:
        """Take a delivery about a text; what it queued."""
        known = len(self.jobs.added)
        before, label = how.pop("before", None), how.pop("label", "")
        event, payload = self.github.payloads.about(post, action, before=before, label=label)
        made = self.github.deliveries.send(event, payload, url="http://127.0.0.1:9/", **how)  # signed; nobody listens

        async def receive() -> None:
            status, _ = await self.webhook.receive({n.lower(): v for n, v in made.headers.items()}, made.body)
            assert status == 202

        anyio.run(receive)
        return self.jobs.added[known:]

    def do(self, key: str, steps: RememberedSteps | None = None) -> RememberedSteps:
        """The job for a text, to its end."""
        steps = steps or RememberedSteps()
        while not anyio.run(steps.life, self._job(steps, key)):
            pass
        return steps

    def _job(self, steps: RememberedSteps, key: str) -> Callable[[], Awaitable[None]]:
        async def job() -> None:
            before = self._slept
            steps.on_sleep = lambda: setattr(self, "_slept", before + sum(steps.waits))
            await self.work().reply(steps, key)

        return job

    def ask(self, post: Post, action: str = "", **how: Any) -> RememberedSteps:
        """Deliver and do what was queued."""
        ((_, key, _),) = self.deliver(post, action, **how)
        return self.do(key)

    def subject(self) -> Subject:
        """The only one there is."""
        ((_, key, _), *_) = self.jobs.added
        found = self.ledger.subject(key)
        assert found
        return found
