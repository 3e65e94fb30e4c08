"""Everything the fake remembers: who there is, what they wrote, and each change in its order."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from fakes.discord.markup import mentioned
from fakes.discord.people import Application, Channel, ChannelType, Guild, Member, Role, User
from fakes.discord.posts import Interaction, Message

EPOCH_MS = 1_420_070_400_000  # https://discord.com/developers/docs/reference#snowflakes
NONCE_WINDOW_S = 300.0  # "checked for uniqueness in the past few minutes"
Deed = Literal["sent", "edited", "deleted", "reacted", "unreacted", "threaded", "typed", "responded"]


@dataclass(frozen=True, slots=True)
class Change:
    """Something that the bot did through the API; `content` is the text after it, an emoji or a thread's name."""

    deed: Deed
    channel: Channel
    message: Message | None = None
    content: str = ""
    interaction: Interaction | None = None
    at: float = field(default_factory=time.monotonic)


class World:
    """The state behind the fake. Whoever changes more than one thing, or reads while it serves, holds `lock`."""

    def __init__(self, application: Application) -> None:
        self.lock = threading.RLock()
        self.application = application
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.messages: dict[int, Message] = {}
        self.interactions: dict[str, Interaction] = {}
        self.commands: dict[int | None, list[dict[str, Any]]] = {}
        """registered commands by guild; None holds those that are registered everywhere"""
        self.changes: list[Change] = []
        self._nonces: dict[tuple[int, str], tuple[float, Message]] = {}
        self._ids = itertools.count(1)
        for user in (application.owner, application.bot):
            self.users[user.id] = user

    @property
    def bot(self) -> User:
        return self.application.bot

    def new_id(self) -> int:
        """A snowflake of now, always a new one."""
        with self.lock:
            number = next(self._ids)
        return (int(time.time() * 1000) - EPOCH_MS) << 22 | number & 0x3FFFFF

    # Who there is.

    def user(self, name: str, id: int = 0, **more: Any) -> User:
        """The account of that name, made when there is none."""
        with self.lock:
            found = next((each for each in self.users.values() if each.username == name), None)
            if found is None:
                found = User(id or self.new_id(), name, **more)
                self.users[found.id] = found
            return found

    def guild(self, name: str, id: int = 0) -> Guild:
        """A new guild with the bot in it, which has the role of its own name."""
        with self.lock:
            guild = Guild(id or self.new_id(), name, self.application.owner)
            self.guilds[guild.id] = guild
            self.join(guild, self.application.owner)
            self.join(guild, self.bot, self.role(guild, self.application.name, bot_id=self.bot.id))
            return guild

    def role(self, guild: Guild, name: str, id: int = 0, **more: Any) -> Role:
        with self.lock:
            role = Role(id or self.new_id(), name, position=len(guild.roles), **more)
            guild.roles[role.id] = role
            return role

    def join(self, guild: Guild, user: User, *roles: Role) -> Member:
        """The member of the guild, made when the user is none yet; roles are added."""
        with self.lock:
            member = guild.members.setdefault(user.id, Member(user))
            member.roles += [role for role in roles if role not in member.roles]
            return member

    def managed_role(self, guild: Guild) -> Role:
        return next(role for role in guild.roles.values() if role.bot_id == self.bot.id)

    # Where they write.

    def channel(self, name: str, guild: Guild, id: int = 0, **more: Any) -> Channel:
        return self._add(Channel(id or self.new_id(), more.pop("type", ChannelType.TEXT), name, guild, **more))

    def thread(self, name: str, parent: Channel, owner_id: int, id: int = 0, **more: Any) -> Channel:
        thread = Channel(id or self.new_id(), ChannelType.PUBLIC_THREAD, name, parent.guild, parent, owner_id, **more)
        return self._add(thread)

    def direct(self, user: User, id: int = 0) -> Channel:
        """The channel of direct messages between this user and the bot."""
        with self.lock:
            held = (each for each in self.channels.values() if each.recipient is user)
            return next(held, None) or self._add(Channel(id or self.new_id(), ChannelType.DM, recipient=user))

    def _add(self, channel: Channel) -> Channel:
        with self.lock:
            self.channels[channel.id] = channel
            return channel

    def starter(self, thread: Channel) -> Message | None:
        """The message that a thread was begun from; in a forum, its post."""
        return self.messages.get(thread.id)

    # What they write.

    def add_message(self, channel: Channel, author: User, content: str, id: int = 0, **more: Any) -> Message:
        """A new message, with the mentions that Discord reads out of it unless they are given."""
        with self.lock:
            read = self.read_mentions(channel, content) | more
            message = Message(id=id or self.new_id(), channel=channel, author=author, content=content, **read)
            self.messages[message.id] = message
            channel.archived = False
            return message

    def read_mentions(self, channel: Channel, content: str) -> dict[str, Any]:
        """The fields of a message that say whom it mentions."""
        named = mentioned(content)
        roles = channel.guild.roles if channel.guild else {}
        return {
            "mentions": [self.users[each] for each in sorted(named.users) if each in self.users],
            "mention_roles": [roles[each] for each in sorted(named.roles) if each in roles],
            "mention_everyone": named.everyone,
        }

    def message(self, channel: Channel, id: int) -> Message | None:
        """The message of that id in the channel, unless it was deleted."""
        found = self.messages.get(id)
        return found if found and found.channel is channel and not found.deleted and not found.ephemeral else None

    def history(self, channel: Channel) -> list[Message]:
        """The channel's messages, the newest first."""
        with self.lock:
            held = (each for each in self.messages.values() if each.channel is channel)
            shown = [each for each in held if not each.deleted and not each.ephemeral]
            return sorted(shown, key=lambda each: each.id, reverse=True)

    def with_nonce(self, author: User, nonce: object) -> Message | None:
        """The message that this author made with the nonce in the last minutes."""
        at, made = self._nonces.get((author.id, str(nonce)), (0.0, None))
        return made if made and time.monotonic() - at < NONCE_WINDOW_S else None

    def keep_nonce(self, author: User, nonce: object, message: Message) -> None:
        self._nonces[author.id, str(nonce)] = (time.monotonic(), message)

    # What the bot does.

    def did(self, deed: Deed, channel: Channel, message: Message | None = None, content: str = "", **more: Any) -> None:
        with self.lock:
            self.changes.append(Change(deed, channel, message, content, **more))

    def done(self, deed: Deed) -> list[Change]:
        """What the bot did of this kind, in order."""
        with self.lock:
            return [change for change in self.changes if change.deed == deed]

    def change_message(self, message: Message, body: Mapping[str, Any]) -> None:
        """Put the fields of an edit into a message."""
        with self.lock:
            if body.get("content") is not None or "content" in body:
                message.content = (body.get("content") or "").strip()
                for name, value in self.read_mentions(message.channel, message.content).items():
                    setattr(message, name, value)
            message.components = body.get("components", message.components)
            message.embeds = body.get("embeds", message.embeds)
            message.flags = int(body.get("flags") or message.flags)
            message.body, message.edited_at = body, time.time()

    def command(self, name: str, guild: Guild | None, type: int = 1) -> dict[str, Any] | None:
        """The registered command of that name and type, the guild's own before the one for all."""
        registered: Sequence[dict[str, Any]] = self.commands.get(guild.id if guild else None, [])
        everywhere = self.commands.get(None, [])
        named = (each for each in (*registered, *everywhere) if each["name"] == name and each.get("type", 1) == type)
        return next(named, None)
