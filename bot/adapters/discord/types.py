"""What passes between the parts of the Discord adapter. Frozen values; ids are Discord's snowflakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Command = Literal["ask", "about"]
"""What was used in place of a message: the slash command, or the one in a message's menu."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message as context; `own` when we wrote it. `id` is 0 where nothing is looked up by it."""

    author: str
    text: str
    own: bool = False
    id: int = 0


@dataclass(frozen=True, slots=True)
class Heard:
    """A message as the gateway told of it.

    `people` and `channels` are the names of what it mentions. `thread` is the name of the thread that it stands in;
    `opens` when it is the first message there, `ours` when we opened the thread to answer in it. `held` are the roles
    of its author, None where Discord does not say. `written` and `at` are the times of its first and its present words.
    """

    id: int
    channel: int
    guild: int | None
    parent: int | None
    author: int
    name: str
    by_machine: bool
    ordinary: bool
    text: str
    mentions: frozenset[int]
    roles: frozenset[int]
    people: tuple[tuple[int, str], ...]
    channels: tuple[tuple[int, str], ...]
    thread: str | None
    opens: bool
    ours: bool
    replied_to: Said | None
    held: frozenset[int] | None
    written: str
    at: str


@dataclass(frozen=True, slots=True)
class Ask:
    """What the ledger keeps of a message or command that asks us: enough to answer it in another life.

    A command has the interaction's `token` for fifteen minutes; its `message` is the one that says that we think.
    """

    channel: int
    guild: int | None
    parent: int | None
    message: int
    author: int
    name: str
    text: str
    thread: str | None = None
    opens: bool = False
    replied_to: Said | None = None
    command: Command | None = None
    interaction: int = 0
    token: str = ""
    version: str | None = None

    @property
    def key(self) -> str:
        """What tells it from every other."""
        own = f"interaction:{self.interaction}" if self.command else str(self.message)
        return f"discord:{self.channel}:{own}"

    @property
    def scope(self) -> str:
        """The server, or the person for direct messages."""
        return f"discord:{self.guild}" if self.guild else f"discord:@{self.author}"


@dataclass(frozen=True, slots=True)
class Me:
    """Who we are: our account, and in each server the role that Discord manages for us."""

    user: int
    roles: frozenset[int]
