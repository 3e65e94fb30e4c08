"""What is written on the fake: messages with their reactions, and what people do with the application's commands."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any

from fakes.discord.people import Channel, Role, User


class MessageType(IntEnum):
    """https://discord.com/developers/docs/resources/message#message-object-message-types"""

    DEFAULT = 0
    REPLY = 19
    CHAT_INPUT_COMMAND = 20
    THREAD_STARTER_MESSAGE = 21
    CONTEXT_MENU_COMMAND = 23


class MessageFlags(IntFlag):
    """https://discord.com/developers/docs/resources/message#message-object-message-flags"""

    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    IS_COMPONENTS_V2 = 1 << 15


class InteractionType(IntEnum):
    """https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object-interaction-type"""

    APPLICATION_COMMAND = 2
    MESSAGE_COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL_SUBMIT = 5


@dataclass(frozen=True, slots=True)
class Pings:
    """Whom a message notifies."""

    users: frozenset[int] = frozenset()
    roles: frozenset[int] = frozenset()
    everyone: bool = False

    def __bool__(self) -> bool:
        return bool(self.users or self.roles or self.everyone)


@dataclass(eq=False, slots=True, kw_only=True)
class Message:
    """A message; times in epoch seconds. `body` is the request that made it, or the last one that changed it."""

    id: int
    channel: Channel
    author: User
    content: str = ""
    type: int = MessageType.DEFAULT
    reference: int | None = None
    """the id of the message that it replies to"""
    mentions: list[User] = field(default_factory=list)
    mention_roles: list[Role] = field(default_factory=list)
    mention_everyone: bool = False
    pings: Pings = Pings()
    flags: int = 0
    components: Sequence[Any] = ()
    embeds: Sequence[Any] = ()
    attachments: Sequence[Any] = ()
    nonce: str | int | None = None
    webhook_id: int | None = None
    application_id: int | None = None
    interaction: Interaction | None = None
    thread: Channel | None = None
    reactions: dict[str, list[User]] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    created_at: float = field(default_factory=time.time)
    edited_at: float | None = None
    deleted: bool = False

    @property
    def ephemeral(self) -> bool:
        return bool(self.flags & MessageFlags.EPHEMERAL)

    @property
    def buttons(self) -> list[Mapping[str, Any]]:
        """The buttons below it, whatever they stand in."""
        return list(_buttons(self.components))


def _buttons(components: Sequence[Any]) -> list[Mapping[str, Any]]:
    found = []
    for component in components:
        found += [component] if component.get("type") == 2 else _buttons(component.get("components") or ())
    return found


@dataclass(eq=False, slots=True, kw_only=True)
class Interaction:
    """Somebody's use of a command, a button or a field; `at` and `answered_at` are monotonic.

    `response` is the type of the callback that came, `original` the message that it made (or changed), `callback` its
    whole body. A token is good for 15 minutes, a first answer must come within 3 seconds.
    """

    id: int
    type: InteractionType
    token: str
    user: User
    channel: Channel
    data: Mapping[str, Any]
    message: Message | None = None
    at: float = field(default_factory=time.monotonic)
    answered_at: float | None = None
    response: int | None = None
    callback: Mapping[str, Any] = field(default_factory=dict)
    original: Message | None = None
    followups: list[Message] = field(default_factory=list)

    @property
    def waited_s(self) -> float | None:
        """How long the first answer took."""
        return None if self.answered_at is None else self.answered_at - self.at

    @property
    def choices(self) -> list[Mapping[str, Any]]:
        """What an autocompletion offered."""
        return list((self.callback.get("data") or {}).get("choices") or ())
