"""The gateway: connections by WebSocket, the sessions in them, and the events that go to each session.

https://discord.com/developers/docs/events/gateway
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web

from fakes.discord import documents
from fakes.discord.connection import Connection
from fakes.discord.people import EVERY_INTENT, PRIVILEGED, Channel, Intents, User
from fakes.discord.posts import Interaction, Message
from fakes.discord.sessions import HEARTBEAT, INVALID, RECONNECT, Closed, Frame, Session, readable
from fakes.discord.world import World

HEARTBEAT_MS = 41_250
WRONG_TOKEN, BAD_SHARD, BAD_INTENTS, DISALLOWED_INTENTS = 4004, 4010, 4013, 4014

WRITTEN = ("MESSAGE_CREATE", "MESSAGE_UPDATE")


class Gateway:
    """Switches for tests, what passed, and the events that happen.

    `refuse` is a close code with which every IDENTIFY is answered; `acknowledging` False answers no heartbeat;
    `compressions` are those that were asked for; `connections` counts every one that was ever opened.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.url = ""
        self.heartbeat_ms = HEARTBEAT_MS
        self.recommended_shards = 1
        self.refuse: tuple[int, str] | None = None
        self.acknowledging = True
        self.connections = self.identified = 0
        self.compressions: list[str | None] = []
        self.frames: list[Frame] = []
        self._sessions: dict[str, Session] = {}
        self._open: list[Connection] = []
        self.lock = world.lock

    @property
    def sessions(self) -> list[Session]:
        """Those that are alive, connected or not."""
        with self.lock:
            return [each for each in self._sessions.values() if not each.dead]

    @property
    def ready(self) -> bool:
        """Whether somebody listens."""
        return any(session.connected for session in self.sessions)

    def received(self, op: int) -> list[Frame]:
        """The frames of this kind that clients sent."""
        return [frame for frame in list(self.frames) if frame.direction == "in" and frame.op == op]

    # What happens to connections.

    def drop(self) -> None:
        """Cut every connection without a word; sessions can be resumed."""
        self._each(lambda connection: connection.abort())

    def close(self, code: int, reason: str = "") -> None:
        """Close every connection with this code."""
        self._each(lambda connection: connection.end(code, reason))

    def reconnect(self) -> None:
        """Ask every client to reconnect and resume."""
        self._each(lambda connection: connection.send({"op": RECONNECT}))

    def ask_for_heartbeat(self) -> None:
        self._each(lambda connection: connection.send({"op": HEARTBEAT}))

    def invalidate(self, *, resumable: bool = False) -> None:
        """Tell every client that its session is over, or merely to be resumed."""
        if not resumable:
            self.forget()
        self._each(lambda connection: connection.send({"op": INVALID, "d": resumable}))

    def forget(self) -> None:
        """Let no session be resumed."""
        with self.lock:
            for session in self._sessions.values():
                session.dead = True

    def _each(self, act: Callable[[Connection], None]) -> None:
        with self.lock:
            for connection in list(self._open):
                act(connection)

    # What happens on Discord.

    def dispatch(self, name: str, data: Mapping[str, Any], intents: int = 0, guild_id: int | None = None) -> None:
        """Send an event to the sessions that asked for it (`intents` 0: to all), each as it may read it."""
        with self.lock:
            for session in self.sessions:
                if session.hears(guild_id) and (not intents or session.intents & intents):
                    session.dispatch(name, self._readable(data, session) if name in WRITTEN else dict(data))

    def _readable(self, data: Mapping[str, Any], session: Session) -> dict[str, Any]:
        allowed = bool(session.intents & Intents.MESSAGE_CONTENT)
        return dict(readable(data, self.world.bot.id, allowed=allowed, direct="guild_id" not in data))

    def message(self, event: str, message: Message, **over: Any) -> None:
        """A message was made, changed or deleted; `over` are fields that the event has otherwise."""
        guild = message.channel.guild
        intent = Intents.GUILD_MESSAGES if guild else Intents.DIRECT_MESSAGES
        if event == "MESSAGE_DELETE":
            about = {"id": str(message.id), "channel_id": str(message.channel.id)}
            data = about | ({"guild_id": str(guild.id)} if guild else {})
        else:
            data = documents.dispatched(message, self.world) | over
        self.dispatch(event, data, intent, guild.id if guild else None)

    def channel(self, event: str, channel: Channel, **over: Any) -> None:
        guild_id = channel.guild.id if channel.guild else None
        self.dispatch(event, documents.channel(channel) | over, Intents.GUILDS, guild_id)

    def reaction(self, event: str, message: Message, by: User, emoji: str) -> None:
        guild = message.channel.guild
        intent = Intents.GUILD_MESSAGE_REACTIONS if guild else Intents.DIRECT_MESSAGE_REACTIONS
        data: dict[str, Any] = {
            "user_id": str(by.id),
            "channel_id": str(message.channel.id),
            "message_id": str(message.id),
            "message_author_id": str(message.author.id),
            "emoji": {"id": None, "name": emoji},
            "burst": False,
            "type": 0,
        }
        if guild:
            data["guild_id"] = str(guild.id)
            if event.endswith("_ADD") and by.id in guild.members:
                data["member"] = documents.member(guild.members[by.id])
        self.dispatch(event, data, intent, guild.id if guild else None)

    def interaction(self, interaction: Interaction) -> None:
        """An interaction is for the application whatever its intents are."""
        guild = interaction.channel.guild
        data = documents.interaction(interaction, self.world)
        self.dispatch("INTERACTION_CREATE", data, 0, guild.id if guild else None)

    # What serves.

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One connection, from HELLO to its end."""
        socket = web.WebSocketResponse(autoclose=False, compress=False)
        await socket.prepare(request)
        connection = Connection(self, socket, request)
        with self.lock:
            self._open.append(connection)
            self.connections += 1
            self.compressions.append(request.query.get("compress"))
        try:
            await connection.run(request.query)
        finally:
            with self.lock:
                self._open.remove(connection)
                connection.leave()
        return socket

    def begin(self, data: Mapping[str, Any]) -> Session:
        """What IDENTIFY asks for. Raises Closed."""
        self.identified += 1
        if self.refuse:
            raise Closed(*self.refuse)
        application = self.world.application
        if data.get("token", "").removeprefix("Bot ") != application.token:
            raise Closed(WRONG_TOKEN, "Authentication failed.")
        intents, shard = data.get("intents"), tuple(data.get("shard") or (0, 1))
        if not isinstance(intents, int) or intents & ~EVERY_INTENT:
            raise Closed(BAD_INTENTS, "Invalid intent(s).")
        if intents & PRIVILEGED & ~application.allowed:
            raise Closed(DISALLOWED_INTENTS, "Disallowed intent(s).")
        if len(shard) != 2 or not 0 <= shard[0] < shard[1]:
            raise Closed(BAD_SHARD, "Invalid shard.")
        return Session(intents, (shard[0], shard[1]))

    def keep(self, session: Session) -> None:
        """Greet a new session: READY, then its guilds one by one."""
        with self.lock:
            self._sessions[session.id] = session
            guilds = [each for each in self.world.guilds.values() if session.hears(each.id)]
            application = self.world.application
            ready = {
                "v": 10,
                "user": documents.user(self.world.bot) | {"verified": True, "mfa_enabled": False, "email": None},
                "guilds": [{"id": str(each.id), "unavailable": True} for each in guilds],
                "session_id": session.id,
                "resume_gateway_url": f"{self.url}resume",
                "shard": list(session.shard),
                "application": {"id": str(application.id), "flags": application.flags},
                "private_channels": [],
                "relationships": [],
            }
            session.dispatch("READY", ready)
            for guild in guilds if session.intents & Intents.GUILDS else ():
                session.dispatch("GUILD_CREATE", documents.guild(guild, self.world))

    def find(self, id: str) -> Session | None:
        held = self._sessions.get(id)
        return None if held is None or held.dead else held
