"""How many questions are answered, and what is said to those who ask more."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from anyio.to_thread import run_sync

from bot.adapters.discord.types import Ask
from bot.ledger import Ledger

SLOW_DOWN: Final = "-# That is more than {limit} questions within a minute; please ask again in a while."
_WINDOW_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Questions a minute of one person, in one channel and in one server (None: any number); seconds that a message is
    left to settle in."""

    per_user: int | None = None
    per_channel: int | None = None
    per_guild: int | None = None
    settling_s: float = 0.5


@dataclass(frozen=True, slots=True)
class Excess:
    """The limit that a question is beyond; `first` when none before it was."""

    limit: int
    first: bool


async def excess(ledger: Ledger, limits: Limits, ask: Ask, noted: bool) -> Excess | None:
    """The limit that a question, `noted` or still to be, is beyond; None when it is within all."""
    for limit, of in (
        (limits.per_user, {"author": f"discord:{ask.author}"}),
        (limits.per_channel, {"prefix": f"discord:{ask.channel}:"}),
        (limits.per_guild, {"scope": ask.scope}),
    ):
        if limit:
            earlier = await run_sync(partial(ledger.earlier, ask.key if noted else None, _WINDOW_S, **of))
            if earlier >= limit:
                return Excess(limit, earlier == limit)
    return None
