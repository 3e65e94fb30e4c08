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

# What is older than an hour is past.
ASKED_WITHIN_S: Final = 24 * 3_600.0
LOOK_BACK: Final = timedelta(hours=1)
# One request each.
MOST_CHANNELS: Final = 50
MOST_MESSAGES: Final = 100


async def missed(client: discord.Client, ledger: Ledger) -> AsyncIterator[discord.Message]:
    """The messages of the last hour that the ledger does not know as they are now, in the channels where somebody has
    asked within a day, and those where somebody has written since; oldest first in each. A channel that cannot be read
    is left out."""
    asked = asked_in(await run_sync(ledger.recent, ASKED_WITHIN_S, "discord:"))
    for place in list(dict.fromkeys([*asked, *talked_in(client.guilds)]))[:MOST_CHANNELS]:
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


def talked_in(guilds: Iterable[discord.Guild]) -> list[int]:
    """The channels and threads, of those we may read, where the last message is not too old; the latest first.

    Discord says which message was a channel's last when a session begins, so nothing is asked for it.
    """
    since = discord.utils.time_snowflake(discord.utils.utcnow() - LOOK_BACK)
    places: Iterable[Any] = (place for guild in guilds for place in (*guild.channels, *guild.threads))
    found = [
        place
        for place in places
        if hasattr(place, "history")
        and (place.last_message_id or 0) > since
        and place.permissions_for(place.guild.me).read_message_history
    ]
    return [place.id for place in sorted(found, key=lambda place: int(place.last_message_id), reverse=True)]


async def _written(client: discord.Client, place: int) -> list[discord.Message]:
    channel: Any = client.get_channel(place) or await client.fetch_channel(place)
    since = discord.utils.utcnow() - LOOK_BACK
    found = [message async for message in channel.history(limit=MOST_MESSAGES, after=since, oldest_first=False)]
    return found[::-1]


def _is_news(ledger: Ledger, message: discord.Message) -> bool:
    known = ledger.subject(f"discord:{message.channel.id}:{message.id}")
    return known is None or known.at < (message.edited_at or message.created_at).isoformat()
