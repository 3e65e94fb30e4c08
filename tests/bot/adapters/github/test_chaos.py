"""Killed at any step, delivered twice, refused and cut off: each question has exactly one reply in the end.

`make chaos` runs the same with 50 kills and 1,000 deliveries.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cases.program import free_port
from fakes.faults import Answer
from fakes.github.calls import Call
from fakes.github.posts import subject
from fakes.github.script import Faults
from fakes.github.server import REPOSITORY, GitHubServer
from fakes.running import Running

SECRET = "a secret of the webhook"
KILLS = int(os.environ.get("CHAOS_KILLS", "3"))
DELIVERIES = int(os.environ.get("CHAOS_DELIVERIES", "30"))
# What a job asks of GitHub: two requests to know itself, then 👀, the thread, the reply, 👀 away.
REQUESTS = 6


class Killer(Faults):
    """Kills the program at a request: before it takes effect or after, so that it never hears of it."""

    def __init__(self) -> None:
        super().__init__()
        self._left = 0
        self._where: Any = "before"
        self._kill: Callable[[], None] = lambda: None

    def arm(self, request: int, where: str, kill: Callable[[], None]) -> None:
        self._left, self._where, self._kill = request, where, kill

    @property
    def armed(self) -> bool:
        return self._left > 0

    def take(self, call: Call) -> Answer | None:
        if self._left > 0:
            self._left -= 1
            if self._left == 0:
                self._kill()
                return Answer(cut=self._where)
        return super().take(call)


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        server.faults = Killer()
        yield server


@pytest.fixture
def program(github: GitHubServer, tmp_path: Path) -> Iterator[Running]:
    settings = {
        "REPOPILOT_GITHUB_APP_ID": "424242",
        "REPOPILOT_GITHUB_PRIVATE_KEY": github.private_key,
        "REPOPILOT_GITHUB_WEBHOOK_SECRET": SECRET,
        "REPOPILOT_GITHUB_URL": github.url,
    }
    with Running(tmp_path, free_port(), settings, REPOSITORY) as running:
        github.world.app.hook_url = f"{running.url}/webhooks/github"
        github.world.app.hook_secret = SECRET
        running.start()
        yield running


def replies(github: GitHubServer) -> Counter[str]:
    """How many replies each question has: replies name no question, so each is asked in an issue of its own."""
    return Counter(str(subject(change.post).title) for change in github.replies)


def left_eyes(github: GitHubServer) -> list[str]:
    return [post.body or "" for post in github.world.posts if any(r.content == "eyes" for r in post.reactions)]


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_killed_at_any_request(github: GitHubServer, program: Running) -> None:
    killer, chance = github.faults, random.Random(0)
    assert isinstance(killer, Killer)
    missed = 0
    for at in range(KILLS):
        issue = github.world.issue(f"issue {at}", "It keeps growing.")
        killer.arm(1 + (5 * at + 4) % REQUESTS, chance.choice(("before", "after")), program.kill)
        github.deliver(github.world.comment(issue, "@RepoPilot what is the default block size?"))
        if not github.wait_until(lambda _: not killer.armed, 20):  # a life that knew itself made fewer requests
            missed += 1
            killer.arm(0, "before", program.kill)
            program.kill()
        program.wait_for_death()
        program.start()
        program.wait_until_idle()
    assert replies(github) == {f"issue {at}": 1 for at in range(KILLS)}
    assert left_eyes(github) == []
    assert missed <= 1, "requests are not what REQUESTS says"


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_many_deliveries(github: GitHubServer, program: Running) -> None:
    """A fifth comes twice, a twentieth of the requests fails, and the program is killed twice."""
    chance = random.Random(1)
    github.faults = Flaky(chance)
    restarts = {DELIVERIES // 3, 2 * DELIVERIES // 3}
    for at in range(DELIVERIES):
        issue = github.world.issue(f"issue {at}", "It keeps growing.")
        delivery = github.deliver(github.world.comment(issue, "@RepoPilot what is the default block size?"))
        if at in restarts:
            program.kill()
            program.wait_for_death()
            program.start()
        if not delivery.ok or chance.random() < 0.2:
            github.deliveries.redeliver(delivery)
    program.wait_until_idle(1_800)
    assert replies(github) == {f"issue {at}": 1 for at in range(DELIVERIES)}
    assert program.jobs()["set_aside"] == 0


class Flaky(Faults):
    """Fails a twentieth of the requests: a server error, or an answer that gets lost after it took effect."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance

    def take(self, call: Call) -> Answer | None:
        if self._chance.random() < 0.05:
            return self._chance.choice((Answer(status=502, json={"message": "Bad Gateway"}), Answer(cut="after")))
        return super().take(call)
