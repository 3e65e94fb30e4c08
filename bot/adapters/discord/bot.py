"""Listens on Discord's gateway, through discord.py: events become values, for others to decide about."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, Final

import discord

from bot.adapters.discord.types import Ask, Command, Heard, Me, Said

log = logging.getLogger("repopilot.discord")

Hear = Callable[[Heard, Me], Awaitable[None]]
Forget = Callable[[int, int], Awaitable[None]]
Missed = Callable[[discord.Client], AsyncIterator[discord.Message]]

# What the invitation asks for: no more than is used.
PERMISSIONS: Final = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    create_public_threads=True,
    read_message_history=True,
)

_ORDINARY: Final = frozenset(
    {discord.MessageType.default, discord.MessageType.reply, discord.MessageType.thread_starter_message}
)


def intents(message_content: bool) -> discord.Intents:
    """What we ask the gateway for: servers, messages, and (privileged) what messages say that do not mention us."""
    wanted = discord.Intents.none()
    wanted.guilds = wanted.guild_messages = wanted.dm_messages = True
    wanted.message_content = message_content
    return wanted


def invitation(application: int) -> str:
    """Where somebody adds the bot to a server, with its commands and permissions."""
    return discord.utils.oauth_url(application, permissions=PERMISSIONS, scopes=("bot", "applications.commands"))


class Bot(discord.AutoShardedClient):
    """`hear` takes messages, new and edited; `forget` takes the channel and id of deleted ones. `missed` tells what was
    written while no session was open. `set_up` is done when Discord has let us in."""

    def __init__(self, hear: Hear, forget: Forget, missed: Missed, message_content: bool, shards: int | None) -> None:
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nobody misses a voice
        super().__init__(
            intents=intents(message_content),
            shard_count=shards,
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,  # the ledger remembers what there is to remember
            chunk_guilds_at_startup=False,
        )
        self._hear = hear
        self._forget = forget
        self._missed = missed
        self.tree = discord.app_commands.CommandTree(self)
        self.set_up: Callable[[], Awaitable[object]] = self.tree.sync

    async def setup_hook(self) -> None:
        await self.set_up()

    async def on_ready(self) -> None:
        """A new session: the first, or one after a session that was lost."""
        assert self.user and self.application_id
        log.info("listening as %s in %d servers", self.user.name, len(self.guilds))
        if not self.guilds:
            log.info("invite me to a server: %s", invitation(self.application_id))
        async for message in self._missed(self):
            await self._hear(self._heard(message), self._me(message))

    async def on_message(self, message: discord.Message) -> None:
        await self._hear(self._heard(message), self._me(message))

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """Edits by people have a time; what Discord itself changes, such as link previews, has none."""
        message, written = event.message, event.data.get("timestamp")
        if message.edited_at is not None:
            await self._hear(self._heard(message, written), self._me(message))

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        await self._forget(event.channel_id, event.message_id)

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        for message in event.message_ids:
            await self._forget(event.channel_id, message)

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        log.exception("an event was not handled: %s", event_method)

    def _me(self, message: discord.Message) -> Me:
        """Our account, and our own role there: not those that somebody gave us."""
        assert self.user
        roles = message.guild.roles if message.guild else []
        own = (role.id for role in roles if role.tags and role.tags.bot_id == self.user.id)
        return Me(self.user.id, frozenset(own))

    def _heard(self, message: discord.Message, written: str | None = None) -> Heard:
        assert self.user
        thread = message.channel if isinstance(message.channel, discord.Thread) else None
        return Heard(
            id=message.id,
            channel=message.channel.id,
            guild=message.guild.id if message.guild else getattr(message.channel, "guild_id", None),
            parent=thread.parent_id if thread else None,
            author=message.author.id,
            name=message.author.display_name,
            by_machine=message.author.bot or message.webhook_id is not None,
            ordinary=message.type in _ORDINARY,
            text=message.content,
            mentions=frozenset(user.id for user in message.mentions),
            roles=frozenset(message.raw_role_mentions) | frozenset(role.id for role in message.role_mentions),
            people=tuple((user.id, user.display_name) for user in message.mentions),
            channels=tuple((channel.id, channel.name) for channel in message.channel_mentions),
            thread=thread.name if thread else None,
            opens=thread is not None and thread.id == message.id,
            ours=thread is not None and thread.owner_id == self.user.id,
            replied_to=self._replied_to(message),
            held=_roles(message.author),
            written=written or message.created_at.isoformat(),
            at=(message.edited_at or message.created_at).isoformat(),
        )

    def _replied_to(self, message: discord.Message) -> Said | None:
        before = message.reference.resolved if message.reference else None
        if not isinstance(before, discord.Message) or not before.content:
            return None
        assert self.user
        return Said(before.author.display_name, before.content, before.author.id == self.user.id, before.id)


def _roles(author: discord.abc.User) -> frozenset[int] | None:
    return frozenset(role.id for role in author.roles) if isinstance(author, discord.Member) else None


def command_ask(
    interaction: discord.Interaction[Any], command: Command, text: str, version: str | None, about: Said | None
) -> Ask:
    """What the ledger keeps of a command."""
    channel = interaction.channel
    thread = channel if isinstance(channel, discord.Thread) else None
    return Ask(
        channel=interaction.channel_id or 0,
        guild=interaction.guild_id,
        parent=thread.parent_id if thread else None,
        message=0,
        author=interaction.user.id,
        name=interaction.user.display_name,
        text=text,
        replied_to=about,
        command=command,
        interaction=interaction.id,
        token=interaction.token,
        version=version,
    )


def now() -> str:
    return datetime.now(UTC).isoformat()
