"""Where it is looked for what was missed; test_app looks for it at a loopback Discord."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.adapters.discord.catching_up import ASKED_WITHIN_S, MOST_CHANNELS, asked_in
from bot.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    found = Ledger(f"sqlite:///{tmp_path / 'jobs.sqlite'}")
    yield found
    found.close()


def note(ledger: Ledger, channel: int, message: int, surface: str = "discord") -> None:
    ledger.note(f"{surface}:{channel}:{message}", "discord:1", "discord:7", "2026", "why?", {"channel": channel})


def test_the_channels_of_a_day_the_latest_first(ledger: Ledger) -> None:
    for at, channel in enumerate((1, 2, 1, 3)):
        note(ledger, channel, at)
    note(ledger, 9, 9, "github")
    assert asked_in(ledger.recent(ASKED_WITHIN_S, "discord:")) == [3, 1, 2]
    assert asked_in(ledger.recent(0, "discord:")) == []


def test_no_more_than_is_asked_of_discord_at_once(ledger: Ledger) -> None:
    for channel in range(MOST_CHANNELS + 5):
        note(ledger, channel, 1)
    found = asked_in(ledger.recent(ASKED_WITHIN_S, "discord:"))
    assert len(found) == MOST_CHANNELS and found[0] == MOST_CHANNELS + 4
