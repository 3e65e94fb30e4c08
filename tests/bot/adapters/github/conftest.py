"""A loopback GitHub, and the adapter's work at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.adapters.github.policy import Policy
from bot.adapters.github.work import Limits
from fakes.github.server import GitHubServer
from fakes.github_desk import Desk

MakeDesk = Callable[..., Desk]


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        yield server


@pytest.fixture
def make_desk(github: GitHubServer, tmp_path: Path) -> Iterator[MakeDesk]:
    desks: list[Desk] = []

    def make(per_user_per_minute: int | None = None, **policy: object) -> Desk:
        secret = github.world.app.hook_secret
        limits = Limits(per_user_per_minute, settling_s=0)
        desks.append(Desk(github, tmp_path, Policy("RepoPilot", **policy), limits, secret))  # type: ignore[arg-type]
        return desks[-1]

    yield make
    for desk in desks:
        desk.ledger.close()


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    return make_desk()
