"""What people do on the fake: they write, edit, delete, react, use commands and press buttons, and the bot is told."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from typing import Any

from fakes.discord import documents
from fakes.discord.gateway import Gateway
from fakes.discord.people import Channel, ChannelType, Guild, User
from fakes.discord.posts import Interaction, InteractionType, Message, MessageFlags, MessageType
from fakes.discord.world import World

OPTION_TYPES: Mapping[type, int] = {str: 3, int: 4, bool: 5, float: 10}
PREVIEW = {"type": "link", "url": "https://example.org", "title": "Example"}


class Deeds:
    """Each deed changes the state and tells the gateway; `by` is a name, made a member where it is none."""

    def __init__(self, world: World, gateway: Gateway, channel: Channel) -> None:
        self._world, self._gateway, self._channel = world, gateway, channel

    def person(self, name: str, guild: Guild | None = None) -> User:
        user = self._world.user(name, global_name=name.title())
        if guild:
            self._world.join(guild, user)
        return user

    def say(
        self,
        content: str,
        by: str = "alice",
        channel: Channel | None = None,
        *,
        reply_to: Message | None = None,
        ping: bool = True,
        **more: Any,
    ) -> Message:
        """Write a message. A reply mentions whom it answers unless `ping` is off."""
        where = channel or self._channel
        author = self.person(by, where.guild)
        more.setdefault("type", MessageType.REPLY if reply_to else MessageType.DEFAULT)
        message = self._world.add_message(where, author, content, **more)
        if reply_to:
            message.reference = reply_to.id
            if ping and reply_to.author not in message.mentions:
                message.mentions.append(reply_to.author)
        self._gateway.message("MESSAGE_CREATE", message)
        return message

    def ask(self, question: str, by: str = "alice", channel: Channel | None = None, **more: Any) -> Message:
        """Write a message that mentions the bot."""
        return self.say(f"<@{self._world.bot.id}> {question}", by, channel, **more)

    def tell_directly(self, content: str, by: str = "alice") -> Message:
        return self.say(content, by, self._world.direct(self.person(by)))

    def post(self, forum: Channel, title: str, content: str, by: str = "alice") -> Message:
        """Begin a post in a forum; returns the message that it begins with."""
        owner = self.person(by, forum.guild)
        thread = self._world.thread(title, forum, owner.id)
        self._gateway.channel("THREAD_CREATE", thread, newly_created=True)
        return self.say(content, by, thread, id=thread.id)

    def open_thread(self, message: Message, name: str, by: str = "alice") -> Channel:
        owner = self.person(by, message.channel.guild)
        thread = self._world.thread(name, message.channel, owner.id, id=message.id)
        message.thread, message.flags = thread, message.flags | MessageFlags.HAS_THREAD
        self._gateway.channel("THREAD_CREATE", thread, newly_created=True)
        return thread

    def archive(self, thread: Channel, *, locked: bool = False) -> None:
        thread.archived, thread.locked = True, locked
        self._gateway.channel("THREAD_UPDATE", thread)

    def edit(self, message: Message, content: str) -> None:
        message.content, message.edited_at = content, time.time()
        for name, value in self._world.read_mentions(message.channel, content).items():
            setattr(message, name, value)
        self._gateway.message("MESSAGE_UPDATE", message)

    def preview(self, message: Message, embed: Mapping[str, Any] = PREVIEW) -> None:
        """Discord has read a link in the message: the same text, with a picture of where it leads."""
        message.embeds = [*message.embeds, embed]
        self._gateway.message("MESSAGE_UPDATE", message)

    def delete(self, message: Message) -> None:
        message.deleted = True
        self._gateway.message("MESSAGE_DELETE", message)

    def react(self, message: Message, emoji: str, by: str = "alice") -> None:
        user = self.person(by, message.channel.guild)
        message.reactions.setdefault(emoji, []).append(user)
        self._gateway.reaction("MESSAGE_REACTION_ADD", message, user, emoji)

    def unreact(self, message: Message, emoji: str, by: str = "alice") -> None:
        user = self.person(by, message.channel.guild)
        message.reactions[emoji].remove(user)
        self._gateway.reaction("MESSAGE_REACTION_REMOVE", message, user, emoji)

    # Interactions.

    def command(
        self, name: str, options: Mapping[str, Any] | None = None, by: str = "alice", channel: Channel | None = None
    ) -> Interaction:
        """Use a slash command that the bot has registered (`group sub` names one of a group)."""
        top, *rest = name.split()
        data = self._named(top, channel or self._channel)
        given: list[dict[str, Any]] = [_option(key, value) for key, value in (options or {}).items()]
        for depth, part in enumerate(reversed(rest)):
            given = [{"type": 1 if depth == 0 else 2, "name": part, "options": given}]
        return self._interact(InteractionType.APPLICATION_COMMAND, data | {"options": given}, by, channel)

    def complete(
        self, name: str, option: str, typed: str, by: str = "alice", channel: Channel | None = None
    ) -> Interaction:
        """Type in an option that completes itself; what was offered are the interaction's `choices`."""
        field = _option(option, typed) | {"focused": True}
        data = self._named(name, channel or self._channel) | {"options": [field]}
        return self._interact(InteractionType.AUTOCOMPLETE, data, by, channel)

    def context_menu(self, name: str, target: Message, by: str = "alice") -> Interaction:
        """Choose a command from the menu of a message."""
        shown = documents.message(target, self._world)
        resolved = {"messages": {str(target.id): shown}}
        data = self._named(name, target.channel, type=3) | {"target_id": str(target.id), "resolved": resolved}
        return self._interact(InteractionType.APPLICATION_COMMAND, data, by, target.channel)

    def press(self, message: Message, label: str, by: str = "alice") -> Interaction:
        """Press the button with this label, emoji or custom id; raises LookupError when there is none."""
        named = [each for each in message.buttons if label in _names(each) and each.get("custom_id")]
        if not named:
            raise LookupError(f"no button {label!r} among {[_names(each) for each in message.buttons]}")
        data = {"custom_id": named[0]["custom_id"], "component_type": 2, "id": named[0].get("id", 1)}
        return self._interact(InteractionType.MESSAGE_COMPONENT, data, by, message.channel, message=message)

    def submit(self, modal: Interaction, values: Mapping[str, str]) -> Interaction:
        """Send the form that answered an interaction, with these values by custom id."""
        fields = [{"type": 4, "custom_id": name, "value": value, "id": 1} for name, value in values.items()]
        rows = [{"type": 1, "id": 1, "components": [each]} for each in fields]
        data = {"custom_id": modal.callback["data"]["custom_id"], "components": rows}
        by, message = modal.user.username, modal.message
        return self._interact(InteractionType.MODAL_SUBMIT, data, by, modal.channel, message=message)

    def _named(self, name: str, channel: Channel, type: int = 1) -> dict[str, Any]:
        guild = None if channel.type is ChannelType.DM else channel.guild
        found = self._world.command(name, guild, type)
        if found is None:
            raise LookupError(f"the command {name!r} is not registered")
        return {"id": found["id"], "name": name, "type": type}

    def _interact(
        self, type: InteractionType, data: Mapping[str, Any], by: str, channel: Channel | None, **more: Any
    ) -> Interaction:
        where = channel or self._channel
        user, token = self.person(by, where.guild), secrets.token_urlsafe(24)
        return self.begin(
            Interaction(id=self._world.new_id(), type=type, token=token, user=user, channel=where, data=data, **more)
        )

    def begin(self, interaction: Interaction) -> Interaction:
        """Tell the application of an interaction; its three seconds begin now."""
        interaction.at = time.monotonic()
        with self._world.lock:
            self._world.interactions[interaction.token] = interaction
        self._gateway.interaction(interaction)
        return interaction


def _option(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, User):
        return {"name": name, "type": 6, "value": str(value.id)}
    if isinstance(value, Channel):
        return {"name": name, "type": 7, "value": str(value.id)}
    return {"name": name, "type": OPTION_TYPES[type(value)], "value": value}


def _names(button: Mapping[str, Any]) -> tuple[Any, ...]:
    return button.get("label"), (button.get("emoji") or {}).get("name"), button.get("custom_id")
