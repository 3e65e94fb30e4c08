"""Who and what there is on the fake: users, roles, guilds, channels and the application with its bot."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag


class Intents(IntFlag):
    """https://discord.com/developers/docs/events/gateway#list-of-intents (those that the fake has events for)"""

    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    GUILD_MESSAGE_REACTIONS = 1 << 10
    DIRECT_MESSAGES = 1 << 12
    DIRECT_MESSAGE_REACTIONS = 1 << 13
    MESSAGE_CONTENT = 1 << 15


PRIVILEGED = Intents.GUILD_MEMBERS | Intents.GUILD_PRESENCES | Intents.MESSAGE_CONTENT
EVERY_INTENT = (1 << 26) - 1


class Permission(IntFlag):
    """https://discord.com/developers/docs/topics/permissions (those that the fake asks for)"""

    ADMINISTRATOR = 1 << 3
    MANAGE_GUILD = 1 << 5
    ADD_REACTIONS = 1 << 6
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    READ_MESSAGE_HISTORY = 1 << 16
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    SEND_MESSAGES_IN_THREADS = 1 << 38


EVERYBODY = (
    Permission.ADD_REACTIONS
    | Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.EMBED_LINKS
    | Permission.READ_MESSAGE_HISTORY
    | Permission.USE_APPLICATION_COMMANDS
    | Permission.CREATE_PUBLIC_THREADS
    | Permission.SEND_MESSAGES_IN_THREADS
)


class ChannelType(IntEnum):
    """https://discord.com/developers/docs/resources/channel#channel-object-channel-types"""

    TEXT = 0
    DM = 1
    PUBLIC_THREAD = 11
    FORUM = 15


@dataclass(eq=False, slots=True)
class User:
    """An account; `dms_closed` refuses direct messages of bots."""

    id: int
    username: str
    bot: bool = False
    global_name: str | None = None
    dms_closed: bool = False


@dataclass(eq=False, slots=True)
class Role:
    """`bot_id` is set for the role that came with a bot, which has its name and belongs to it alone."""

    id: int
    name: str
    permissions: int = 0
    position: int = 1
    bot_id: int | None = None


@dataclass(eq=False, slots=True)
class Member:
    user: User
    roles: list[Role] = field(default_factory=list)
    nick: str | None = None


@dataclass(eq=False, slots=True)
class Guild:
    """The role with the guild's own id is everybody's."""

    id: int
    name: str
    owner: User
    roles: dict[int, Role] = field(default_factory=dict)
    members: dict[int, Member] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.roles[self.id] = Role(self.id, "@everyone", int(EVERYBODY), 0)

    def permissions(self, user: User) -> int:
        """What a member may do where no channel says otherwise."""
        granted = self.roles[self.id].permissions
        for role in self.members[user.id].roles if user.id in self.members else ():
            granted |= role.permissions
        everything = user is self.owner or granted & Permission.ADMINISTRATOR
        return (1 << 50) - 1 if everything else granted


@dataclass(eq=False, slots=True)
class Channel:
    """A channel, a thread (`parent` is where it stands, `owner_id` who began it), or direct messages (`recipient`).

    `denied` are permissions that nobody has here, by an overwrite of the everybody role.
    """

    id: int
    type: ChannelType
    name: str = ""
    guild: Guild | None = None
    parent: Channel | None = None
    owner_id: int | None = None
    recipient: User | None = None
    denied: int = 0
    archived: bool = False
    locked: bool = False
    joined: bool = False
    """whether the bot is a member of the thread"""

    @property
    def is_thread(self) -> bool:
        return self.type is ChannelType.PUBLIC_THREAD

    @property
    def in_forum(self) -> bool:
        return self.parent is not None and self.parent.type is ChannelType.FORUM

    def permissions(self, user: User) -> int:
        """What a user may do here."""
        if self.guild is None:
            return int(EVERYBODY)
        granted = self.guild.permissions(user)
        denied = self.denied | (self.parent.denied if self.parent else 0)
        return granted if granted & Permission.ADMINISTRATOR else granted & ~denied


@dataclass(eq=False, slots=True)
class Application:
    """The registered application; `allowed` are the privileged intents that its owner has switched on."""

    id: int
    name: str
    owner: User
    bot: User
    token: str
    allowed: int = int(PRIVILEGED)

    @property
    def flags(self) -> int:
        """https://discord.com/developers/docs/resources/application#application-object-application-flags"""
        limited = {Intents.GUILD_PRESENCES: 13, Intents.GUILD_MEMBERS: 15, Intents.MESSAGE_CONTENT: 19}
        return sum(1 << bit for intent, bit in limited.items() if self.allowed & intent)
