"""How many questions were asked before one, noted or still to be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import anyio
import pytest

from bot.adapters.discord.limits import Excess, Limits, excess
from bot.adapters.discord.types import Ask
from bot.ledger import Ledger

ASK = Ask(channel=2, guild=1, parent=None, message=9, author=7, name="Ada", text="why?")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    found = Ledger(f"sqlite:///{tmp_path / 'jobs.sqlite'}")
    yield found
    found.close()


def found(ledger: Ledger, limits: Limits, ask: Ask, noted: bool) -> Excess | None:
    return anyio.run(excess, ledger, limits, ask, noted)


def note(ledger: Ledger, *asks: Ask) -> None:
    for ask in asks:
        ledger.note(ask.key, ask.scope, f"discord:{ask.author}", "2026", ask.text, asdict(ask))


def test_without_limits_all_is_answered(ledger: Ledger) -> None:
    asks = [replace(ASK, message=at) for at in range(1, 6)]
    note(ledger, *asks)
    assert found(ledger, Limits(), asks[-1], noted=True) is None


@pytest.mark.parametrize(
    ("limits", "other"),
    [
        (Limits(per_user=2), replace(ASK, author=8)),
        (Limits(per_channel=2), replace(ASK, channel=3)),
        (Limits(per_channel=2), replace(ASK, channel=22)),  # whose key begins alike
        (Limits(per_guild=2), replace(ASK, guild=5)),
        (Limits(per_guild=2), replace(ASK, guild=None)),
    ],
)
def test_each_limit(ledger: Ledger, limits: Limits, other: Ask) -> None:
    asks = [replace(ASK, message=at) for at in range(1, 5)]
    note(ledger, *asks)
    assert [found(ledger, limits, ask, noted=True) for ask in asks] == [
        None,
        None,
        Excess(2, first=True),
        Excess(2, first=False),
    ]
    assert found(ledger, limits, other, noted=False) is None
    assert found(ledger, limits, replace(ASK, message=99), noted=False) == Excess(2, first=False)
