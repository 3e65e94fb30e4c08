from __future__ import annotations

from collections.abc import Iterator

import pytest

from fakes.discord.server import DiscordServer


@pytest.fixture
def server() -> Iterator[DiscordServer]:
    with DiscordServer() as discord:
        yield discord
