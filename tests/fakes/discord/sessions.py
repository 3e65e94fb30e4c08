"""One client's session on the gateway, and the frames that pass: what outlives a dropped connection."""

from __future__ import annotations

import json
import secrets
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, VOICE, RESUME, RECONNECT, MEMBERS, INVALID, HELLO, ACK = (
    0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11,
)  # fmt: skip
Encode = Callable[[bytes], bytes | str]


class Closed(Exception):
    """The connection is to be closed with this code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame as it passed; `at` is monotonic. `name` is the event of a dispatch."""

    direction: Literal["in", "out"]
    op: int
    data: Any = None
    name: str | None = None
    session: str = ""
    at: float = field(default_factory=time.monotonic)


@dataclass(eq=False, slots=True)
class Session:
    """What IDENTIFY began: `events` are kept so that a client that resumes misses nothing."""

    intents: int
    shard: tuple[int, int]
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    events: list[dict[str, Any]] = field(default_factory=list)
    send: Callable[[Mapping[str, Any]], None] | None = None
    """puts a frame into the open connection, None while there is none"""
    resumed: int = 0
    dead: bool = False

    @property
    def connected(self) -> bool:
        return self.send is not None

    def dispatch(self, name: str, data: Any) -> None:
        """Number an event, keep it, and send it when somebody listens."""
        event = {"op": DISPATCH, "t": name, "s": len(self.events) + 1, "d": data}
        self.events.append(event)
        if self.send:
            self.send(event)

    def hears(self, guild_id: int | None) -> bool:
        """Whether events of this guild are for this shard; direct messages are for the first.

        https://discord.com/developers/docs/events/gateway#sharding
        """
        number, count = self.shard
        return ((guild_id or 0) >> 22) % count == number


def readable(data: Mapping[str, Any], bot_id: int, *, allowed: bool, direct: bool) -> Mapping[str, Any]:
    """A message as an application may read it that was `allowed` the content of messages, or was not.

    https://discord.com/developers/docs/events/gateway#message-content-intent
    """
    named = any(each["id"] == str(bot_id) for each in data.get("mentions") or ())
    if allowed or direct or named or data["author"]["id"] == str(bot_id):
        return data
    return {**data, "content": "", "embeds": [], "attachments": [], "components": []}


def encoder(compress: str | None) -> Encode | None:
    """How frames are sent in a connection that asks for this compression, None for one that is not known.

    https://discord.com/developers/docs/events/gateway#transport-compression
    """
    if compress is None:
        return lambda data: data.decode()
    if compress == "zlib-stream":
        zipped = zlib.compressobj()
        return lambda data: zipped.compress(data) + zipped.flush(zlib.Z_SYNC_FLUSH)
    if compress == "zstd-stream":
        import zstandard

        stream = zstandard.ZstdCompressor().compressobj()
        return lambda data: stream.compress(data) + stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    return None


def encoded(frame: Mapping[str, Any]) -> bytes:
    return json.dumps({"op": 0, "t": None, "s": None, "d": None} | dict(frame)).encode()
