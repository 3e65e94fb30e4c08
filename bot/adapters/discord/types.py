"""What passes between the parts of the Discord adapter. Frozen values; ids are Discord's snowflakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Command = Literal["ask", "about"]
"""What was used in place of a message: the slash command, or the one in a message's menu."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message as context; `own` when we wrote it."""

    author: str
    text: str
    own: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """A message as the gateway told of it.

    `people` and `channels` are the names of what it mentions. `thread` is the name of the thread that it stands in;
    `opens` when it is the first message there, `ours` when we opened the thread to answer in it.
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
    at: str


@dataclass(frozen=True, slots=True)
class Ask:
    """What the ledger keeps of a message or command that asks us: enough to answer it in another life.

    `message` is 0 for a command, which has the interaction's `token` for fifteen minutes instead.
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
