"""What was written while no session was open never comes over the gateway: the histories of channels tell of it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable
from datetime import timedelta
from typing import Any, Final

import discord
from anyio.to_thread import run_sync

from bot.ledger import Ledger, Subject

log = logging.getLogger("repopilot.discord")

# Channels where nobody has asked for a day are not looked at, and what is older than an hour is past.
ASKED_WITHIN_S: Final = 24 * 3_600.0
LOOK_BACK: Final = timedelta(hours=1)
# One request each.
MOST_CHANNELS: Final = 50
MOST_MESSAGES: Final = 100


async def missed(client: discord.Client, ledger: Ledger) -> AsyncIterator[discord.Message]:
    """The messages of the last hour that the ledger does not know as they are now, in the channels where somebody has
    asked within a day; oldest first in each. A channel that cannot be read is left out."""
    for place in asked_in(await run_sync(ledger.recent, ASKED_WITHIN_S, "discord:")):
        try:
            written = await _written(client, place)
        except (discord.DiscordException, OSError) as error:
            log.info("the history of channel %s cannot be read: %s", place, error)
            continue
        for message in written:
            if await run_sync(_is_news, ledger, message):
                yield message


def asked_in(subjects: Iterable[Subject]) -> list[int]:
    """The channels of subjects, those of the latest first."""
    places = dict.fromkeys(int(subject.asked["channel"]) for subject in reversed(list(subjects)))
    return list(places)[:MOST_CHANNELS]


async def _written(client: discord.Client, place: int) -> list[discord.Message]:
    channel: Any = client.get_channel(place) or await client.fetch_channel(place)
    since = discord.utils.utcnow() - LOOK_BACK
    found = [message async for message in channel.history(limit=MOST_MESSAGES, after=since, oldest_first=False)]
    return found[::-1]


def _is_news(ledger: Ledger, message: discord.Message) -> bool:
    known = ledger.subject(f"discord:{message.channel.id}:{message.id}")
    return known is None or known.at < (message.edited_at or message.created_at).isoformat()
