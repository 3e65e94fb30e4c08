"""Refused, cut off, dropped, killed and started again: each question has exactly one whole answer in the end.

`make chaos` asks 200 questions.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from cases.program import free_port
from fakes.discord.script import Faults
from fakes.discord.server import DiscordServer
from fakes.faults import Answer
from fakes.running import Running

QUESTIONS = int(os.environ.get("CHAOS_QUESTIONS", "30"))
CHANNELS = 10
REPOSITORY = "example-org/engine"
LIMITED = {"message": "You are being rate limited.", "retry_after": 0.2, "global": False}
FAILURES = (
    Answer(status=502, json={"message": "Bad Gateway"}),
    Answer(status=429, headers={"Retry-After": "1", "X-RateLimit-Scope": "shared"}, json=LIMITED),
    Answer(cut="before"),
    Answer(cut="after"),
)


class Flaky(Faults):
    """Fails a tenth of the requests that write: a server error, a limit, or an answer that gets lost."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance

    def take(self, method: str, path: str, body: object) -> Answer | None:
        if method in ("POST", "PATCH") and self._chance.random() < 0.1:
            return self._chance.choice(FAILURES)
        return super().take(method, path, body)


@pytest.fixture
def discord() -> Iterator[DiscordServer]:
    with DiscordServer() as server:
        yield server


@pytest.fixture
def program(discord: DiscordServer, tmp_path: Path) -> Iterator[Running]:
    settings = {"REPOPILOT_DISCORD_TOKEN": discord.token, "REPOPILOT_DISCORD_URL": discord.url}
    with Running(tmp_path, free_port(), settings, REPOSITORY) as running:
        running.start()
        assert discord.wait_until(lambda server: server.gateway.ready, 30)
        yield running


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_many_questions(discord: DiscordServer, program: Running) -> None:
    """The gateway is dropped, a session is lost, and the program is killed, all in the middle of it."""
    discord.faults = Flaky(random.Random(0))
    places = [discord.world.channel(f"channel-{at}", discord.guild) for at in range(CHANNELS)]
    asked: list[int] = []
    happens = {
        QUESTIONS // 4: discord.gateway.drop,
        QUESTIONS // 2: lambda: _restart(program),
        3 * QUESTIONS // 4: discord.gateway.invalidate,
    }
    for at in range(QUESTIONS):
        question = f"What is the default block size, {at}?"
        asked.append(discord.people.ask(question, f"person-{at % 7}", places[at % CHANNELS]).id)
        if at in happens:
            happens[at]()
        time.sleep(0.05)
    patience_s = 60.0 + QUESTIONS
    assert discord.wait_until(lambda _: len(whole(discord)) >= QUESTIONS, patience_s), missing(discord, asked, program)
    assert discord.wait_until(lambda server: server.gateway.ready, 30)
    program.wait_until_idle(patience_s)
    assert answers(discord) == dict.fromkeys(asked, 1)
    assert whole(discord) == dict.fromkeys(asked, 1)
    assert program.jobs()["set_aside"] == 0 and discord.limits.ignored == 0
    assert discord.token not in program.log and "Traceback" not in program.log


def _restart(program: Running) -> None:
    program.kill()
    program.wait_for_death()
    program.start()


def answers(discord: DiscordServer) -> Counter[int]:
    """How many replies each question has."""
    with discord.world.lock:
        own = [m for m in discord.world.messages.values() if m.author is discord.world.bot and not m.deleted]
    return Counter(message.reference for message in own if message.reference)


def whole(discord: DiscordServer) -> Counter[int]:
    """How many replies each question has that are complete."""
    with discord.world.lock:
        own = [m for m in discord.world.messages.values() if m.author is discord.world.bot and not m.deleted]
    return Counter(m.reference for m in own if m.reference and m.buttons and "still writing" not in m.content)


def missing(discord: DiscordServer, asked: list[int], program: Running) -> str:
    return f"without an answer: {sorted(set(asked) - set(whole(discord)))}\n{program.jobs()}\n{program.log[-3_000:]}"
