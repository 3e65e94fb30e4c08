"""What we write on Discord, through discord.py, which waits for its limits and tries again what failed by chance."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, cast

import aiohttp
import discord

from bot.adapters.discord.failures import UNREACHABLE, DiscordError
from bot.adapters.discord.types import Ask, Said

# A typing indicator is shown for ten seconds.
TYPING_S: Final = 8.0
# How far back a conversation is followed.
MOST_BEFORE: Final = 20
MOST_REPLIES: Final = 8
MOST_SINCE: Final = 100
THREAD_EXISTS: Final = 160004
# Unknown webhook, invalid webhook token: fifteen minutes after a command.
_RAN_OUT: Final = frozenset({10015, 50027})
_ORIGINAL: Final = cast(int, "@original")  # what Discord calls the response to a command


Client = Callable[[], Awaitable[discord.Client]]


class Channels:
    """Writes as the account of a client that `client` gives once it is let in. Every method raises DiscordError."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._quiet = discord.AllowedMentions.none()
        self._typing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[discord.Client]:
        """The client; what it raises becomes a DiscordError."""
        try:
            yield await self._client()
        except discord.HTTPException as error:
            told = f"Discord answered {error.status}: {error.text}"[:300]
            raise DiscordError(error.status, error.code, told) from error
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise DiscordError(UNREACHABLE, 0, f"Discord could not be reached ({type(error).__name__}).") from error

    async def send(self, ask: Ask, channel: int, text: str, nonce: str, first: bool, view: Any = None) -> int:
        """Post a message, the first of an answer as a reply; its id. One nonce posts once, for some minutes."""
        async with self._asking() as client:
            if ask.command:
                try:
                    return await self._follow_up(client, ask, text, first, view)
                except discord.HTTPException as error:
                    if error.code not in _RAN_OUT:
                        raise
            more: dict[str, Any] = {"view": view} if view else {}
            if first and channel == ask.channel and ask.message:
                more["reference"] = discord.MessageReference(
                    message_id=ask.message, channel_id=ask.channel, guild_id=ask.guild, fail_if_not_exists=False
                )
            place = _place(client, channel, ask.guild)
            options = {"nonce": nonce, "allowed_mentions": self._quiet, "suppress_embeds": True, **more}
            sent = await place.send(text, **options)
            if sent.content.strip() != text.strip():  # its nonce was known: it is as it was posted then
                await sent.edit(content=text, view=view, allowed_mentions=self._quiet)
            return int(sent.id)

    async def _follow_up(self, client: discord.Client, ask: Ask, text: str, first: bool, view: Any) -> int:
        hook = _hook(client, ask)
        more = {"view": view} if view else {}
        if first:
            return int((await hook.edit_message(_ORIGINAL, content=text, allowed_mentions=self._quiet, **more)).id)
        sent = await hook.send(text, wait=True, allowed_mentions=self._quiet, suppress_embeds=True, **more)
        return int(sent.id)

    async def edit(self, ask: Ask, channel: int, message: int, text: str, view: Any = None) -> None:
        """Replace the words of a message of ours, and what stands below it."""
        async with self._asking() as client:
            if ask.command:
                try:
                    hook = _hook(client, ask)
                    await hook.edit_message(message, content=text, view=view, allowed_mentions=self._quiet)
                    return
                except discord.HTTPException as error:
                    if error.code not in _RAN_OUT:
                        raise
            place = _place(client, channel, ask.guild).get_partial_message(message)
            await place.edit(content=text, view=view, allowed_mentions=self._quiet)

    async def delete(self, ask: Ask, channel: int, message: int) -> None:
        async with self._asking() as client:
            await _place(client, channel, ask.guild).get_partial_message(message).delete()

    async def thread(self, ask: Ask, name: str) -> int:
        """The thread of a message, opened if it has none; its id, which is the message's. The message's own channel
        where the thread that it has cannot be found."""
        async with self._asking() as client:
            try:
                message = _place(client, ask.channel, ask.guild).get_partial_message(ask.message)
                return int((await message.create_thread(name=name)).id)
            except discord.HTTPException as error:
                if error.code != THREAD_EXISTS:
                    raise
            try:
                return int((await client.fetch_channel(ask.message)).id)
            except (discord.HTTPException, discord.InvalidData):
                return ask.channel

    async def said_before(self, ask: Ask) -> list[Said]:
        """What was said in a thread before a message, oldest first; ours as `own`."""
        async with self._asking() as client:
            place = _place(client, ask.channel, ask.guild)
            before = discord.Object(ask.message) if ask.message else None
            found = [message async for message in place.history(limit=MOST_BEFORE, before=before)]
        return [_said(client, message) for message in reversed(found) if message.content]

    async def begun(self, ask: Ask, channel: int) -> int | None:
        """Our first message that answers one; None when there is none among those that came next."""
        async with self._asking() as client:
            place = _place(client, channel, ask.guild)
            async for message in place.history(limit=MOST_SINCE, after=discord.Object(ask.message)):
                reference = message.reference.message_id if message.reference else None
                if message.author == client.user and (reference == ask.message or channel != ask.channel):
                    return message.id
        return None

    async def led_to(self, ask: Ask) -> list[Said]:
        """The messages that a message replies to, each a reply to the one before; oldest first."""
        found: list[Said] = []
        before = ask.replied_to.id if ask.replied_to else 0
        async with self._asking() as client:
            while before and len(found) < MOST_REPLIES:
                message = await _place(client, ask.channel, ask.guild).fetch_message(before)
                found.append(_said(client, message))
                before = message.reference.message_id or 0 if message.reference else 0
        return [said for said in reversed(found) if said.text]

    @asynccontextmanager
    async def typing(self, ask: Ask, channel: int) -> AsyncIterator[None]:
        """Show that we are writing; that it cannot be shown does not matter."""
        if ask.command:  # Discord itself shows that we think
            yield
            return
        done = asyncio.Event()
        shown = asyncio.create_task(self._type(channel, done))
        self._typing.add(shown)
        shown.add_done_callback(self._typing.discard)
        try:
            yield
        finally:
            # Not cancelled: discord.py lets all requests wait while one sits out the global limit, for good if it dies.
            done.set()

    async def _type(self, channel: int, done: asyncio.Event) -> None:
        while not done.is_set():
            try:
                async with self._asking() as client:
                    await client.http.send_typing(channel)
            except DiscordError:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(done.wait(), TYPING_S)


def _place(client: discord.Client, channel: int, guild: int | None) -> discord.PartialMessageable:
    return client.get_partial_messageable(channel, guild_id=guild)


def _hook(client: discord.Client, ask: Ask) -> discord.Webhook:
    assert client.application_id is not None
    return discord.Webhook.partial(client.application_id, ask.token, client=client)


def _said(client: discord.Client, message: discord.Message) -> Said:
    return Said(message.author.display_name, message.content, message.author == client.user)


def links_of(answer_links: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Labels and addresses for link buttons: only those that Discord takes."""
    return [(label, url) for label, url in answer_links if url.startswith(("https://", "http://")) and len(url) <= 512]
