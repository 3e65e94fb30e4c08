"""A loopback Discord, and the adapter at it. Its limits are wide, except where a test is about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.adapters.discord.limits import Limits
from bot.adapters.discord.policy import Policy
from fakes.discord.server import DiscordServer
from fakes.discord_desk import Desk

AT_ONCE = Limits(settling_s=0)
MakeDesk = Callable[..., Desk]


@pytest.fixture
def discord() -> Iterator[DiscordServer]:
    with DiscordServer() as server:
        server.limits.rates = {}
        yield server


@pytest.fixture
def make_desk(discord: DiscordServer, tmp_path: Path) -> Iterator[MakeDesk]:
    desks: list[Desk] = []

    def make(limits: Limits = AT_ONCE, *, start: bool = True, streaming: bool = False, **how: object) -> Desk:
        """A desk that listens; `how` are fields of Policy, or of DiscordOptions."""
        options = {name: how.pop(name) for name in ("token", "message_content", "shards") if name in how}
        policy = Policy(streaming=streaming, **how)  # type: ignore[arg-type]
        desks.append(Desk(discord, tmp_path, policy, limits, **options))
        if start:
            desks[-1].start()
        return desks[-1]

    yield make
    for desk in desks:
        desk.stop()


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    return make_desk()
