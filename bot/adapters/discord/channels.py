"""What we write on Discord, through discord.py, which waits for its limits and tries again what failed by chance."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, cast

import aiohttp
import anyio
import discord

from bot.adapters.discord.failures import UNREACHABLE, DiscordError
from bot.adapters.discord.types import Ask, Said

# A typing indicator is shown for ten seconds.
TYPING_S: Final = 8.0
# How far back a conversation is followed.
MOST_BEFORE: Final = 20
THREAD_EXISTS: Final = 160004
_ORIGINAL: Final = cast(int, "@original")  # what Discord calls the response to a command


@asynccontextmanager
async def _told() -> AsyncIterator[None]:
    """Turns what discord.py raises into DiscordError."""
    try:
        yield
    except discord.HTTPException as error:
        raise DiscordError(error.status, error.code, f"Discord answered {error.status}: {error.text}"[:300]) from error
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise DiscordError(UNREACHABLE, 0, f"Discord could not be reached ({type(error).__name__}).") from error


class Channels:
    """Writes as the client's account. Every method raises DiscordError."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._quiet = discord.AllowedMentions.none()

    async def send(self, ask: Ask, channel: int, text: str, nonce: str, first: bool, view: Any = None) -> int:
        """Post a message, the first of an answer as a reply; its id. One nonce posts once, for some minutes."""
        async with _told():
            if ask.command:
                return await self._follow_up(ask, text, first, view)
            more: dict[str, Any] = {"view": view} if view else {}
            if first and channel == ask.channel:
                more["reference"] = discord.MessageReference(
                    message_id=ask.message, channel_id=ask.channel, guild_id=ask.guild, fail_if_not_exists=False
                )
            place = self._place(channel, ask.guild)
            options = {"nonce": nonce, "allowed_mentions": self._quiet, "suppress_embeds": True, **more}
            return int((await place.send(text, **options)).id)

    async def _follow_up(self, ask: Ask, text: str, first: bool, view: Any) -> int:
        hook = self._hook(ask)
        more = {"view": view} if view else {}
        if first:
            return int((await hook.edit_message(_ORIGINAL, content=text, allowed_mentions=self._quiet, **more)).id)
        sent = await hook.send(text, wait=True, allowed_mentions=self._quiet, suppress_embeds=True, **more)
        return int(sent.id)

    async def edit(self, ask: Ask, channel: int, message: int, text: str, view: Any = None) -> None:
        """Replace the words of a message of ours, and what stands below it."""
        async with _told():
            if ask.command:
                await self._hook(ask).edit_message(message, content=text, view=view, allowed_mentions=self._quiet)
            else:
                place = self._place(channel, ask.guild).get_partial_message(message)
                await place.edit(content=text, view=view, allowed_mentions=self._quiet)

    async def delete(self, ask: Ask, channel: int, message: int) -> None:
        async with _told():
            await self._place(channel, ask.guild).get_partial_message(message).delete()

    async def thread(self, ask: Ask, name: str) -> int:
        """The thread of a message, opened if it has none; its id, which is the message's. The message's own channel
        where the thread that it has cannot be found."""
        async with _told():
            try:
                message = self._place(ask.channel, ask.guild).get_partial_message(ask.message)
                return int((await message.create_thread(name=name)).id)
            except discord.HTTPException as error:
                if error.code != THREAD_EXISTS:
                    raise
            try:
                return int((await self._client.fetch_channel(ask.message)).id)
            except (discord.HTTPException, discord.InvalidData):
                return ask.channel

    async def said_before(self, ask: Ask) -> list[Said]:
        """What was said in a thread before a message, oldest first; ours as `own`."""
        async with _told():
            place = self._place(ask.channel, ask.guild)
            before = discord.Object(ask.message) if ask.message else None
            found = [message async for message in place.history(limit=MOST_BEFORE, before=before)]
        own = self._client.user
        return [Said(m.author.display_name, m.content, m.author == own) for m in reversed(found) if m.content]

    @asynccontextmanager
    async def typing(self, ask: Ask, channel: int) -> AsyncIterator[None]:
        """Show that we are writing; that it cannot be shown does not matter."""
        async with anyio.create_task_group() as tasks:
            if not ask.command:
                tasks.start_soon(self._type, channel, ask.guild)
            yield
            tasks.cancel_scope.cancel()

    async def _type(self, channel: int, guild: int | None) -> None:
        while True:
            try:
                async with _told():
                    await self._client.http.send_typing(channel)
            except DiscordError:
                return
            await anyio.sleep(TYPING_S)

    def _place(self, channel: int, guild: int | None) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(channel, guild_id=guild)

    def _hook(self, ask: Ask) -> discord.Webhook:
        application = self._client.application_id
        assert application is not None
        return discord.Webhook.partial(application, ask.token, client=self._client)


def links_of(answer_links: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Labels and addresses for link buttons: only those that Discord takes."""
    return [(label, url) for label, url in answer_links if url.startswith(("https://", "http://")) and len(url) <= 512]
