"""One WebSocket of the gateway: frames are read and written here, and what a client asks for is done.

https://discord.com/developers/docs/events/gateway
https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from aiohttp import WSMsgType, web

from fakes.discord import documents
from fakes.discord.sessions import (
    ACK,
    DISPATCH,
    HEARTBEAT,
    HELLO,
    IDENTIFY,
    INVALID,
    MEMBERS,
    PRESENCE,
    RESUME,
    VOICE,
    Closed,
    Encode,
    Frame,
    Session,
    encoded,
    encoder,
)

if TYPE_CHECKING:
    from fakes.discord.gateway import Gateway

FRAMES_PER_MINUTE = 120
VERSIONS = ("9", "10")
UNKNOWN_OPCODE, DECODE_ERROR, NOT_AUTHENTICATED, WRONG_TOKEN, ALREADY = 4001, 4002, 4003, 4004, 4005
BAD_SEQUENCE, TOO_FAST, BAD_VERSION = 4007, 4008, 4012
LATE = 4000  # a client that sends no heartbeat; its session can be resumed
_END = object()


class Connection:
    """One WebSocket. Frames go out in one order, from whatever thread they come."""

    def __init__(self, gateway: Gateway, socket: web.WebSocketResponse, request: web.Request) -> None:
        self._gateway, self._socket, self._request = gateway, socket, request
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Any] = asyncio.Queue()
        self._session: Session | None = None
        self._beat_at = time.monotonic()
        self._recent: deque[float] = deque()

    def send(self, frame: Mapping[str, Any]) -> None:
        self._loop.call_soon_threadsafe(self._queue.put_nowait, frame)

    def end(self, code: int, reason: str = "") -> None:
        self._loop.call_soon_threadsafe(self._queue.put_nowait, (code, reason))

    def abort(self) -> None:
        self._loop.call_soon_threadsafe(self._abort)

    def _abort(self) -> None:
        if self._request.transport:
            self._request.transport.abort()

    def leave(self) -> None:
        """The session stays, for a client that resumes it."""
        if self._session and self._session.send == self.send:
            self._session.send = None
        self._queue.put_nowait(_END)

    async def run(self, query: Mapping[str, str]) -> None:
        encode = encoder(query.get("compress"))
        if encode is None or query.get("encoding", "json") != "json":
            await self._socket.close(code=DECODE_ERROR, message=b"Unknown encoding.")
            return
        if query.get("v", "10") not in VERSIONS:
            await self._socket.close(code=BAD_VERSION, message=b"Invalid API version.")
            return
        self.send({"op": HELLO, "d": {"heartbeat_interval": self._gateway.heartbeat_ms}})
        tasks = [asyncio.ensure_future(each) for each in (self._write(encode), self._read(), self._watch())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _write(self, encode: Encode) -> None:
        while (frame := await self._queue.get()) is not _END:
            if isinstance(frame, tuple):
                await self._socket.close(code=frame[0], message=frame[1].encode())
                return
            self._note("out", frame["op"], frame.get("d"), frame.get("t"))
            data = encode(encoded(frame))
            await (self._socket.send_str(data) if isinstance(data, str) else self._socket.send_bytes(data))

    async def _read(self) -> None:
        while (received := await self._socket.receive()).type in (WSMsgType.TEXT, WSMsgType.BINARY):
            try:
                self._frame(received.data)
            except Closed as closed:
                self.end(closed.code, closed.reason)
                await asyncio.sleep(60)  # the writer closes when what was said before is sent

    async def _watch(self) -> None:
        """End a connection whose client sends no heartbeat."""
        allowed_s = self._gateway.heartbeat_ms / 1_000 * 1.5
        while (left := self._beat_at + allowed_s - time.monotonic()) > 0:
            await asyncio.sleep(left)
        self.end(LATE, "No heartbeat.")
        await asyncio.sleep(60)

    def _frame(self, text: str | bytes) -> None:
        """Do what a client's frame asks for. Raises Closed."""
        self._hurry()
        try:
            frame = json.loads(text)
            op, data = frame["op"], frame.get("d")
        except (ValueError, KeyError, TypeError) as error:
            raise Closed(DECODE_ERROR, "Error while decoding payload.") from error
        self._note("in", op, data)
        match op:
            case _ if op == HEARTBEAT:
                self._beat_at = time.monotonic()
                if self._gateway.acknowledging:
                    self.send({"op": ACK})
            case _ if op in (IDENTIFY, RESUME) and self._session:
                raise Closed(ALREADY, "Already authenticated.")
            case _ if op == IDENTIFY:
                self._session = self._gateway.begin(data)
                self._session.send = self.send
                self._gateway.keep(self._session)
            case _ if op == RESUME:
                self._resume(data)
            case _ if op not in (PRESENCE, VOICE, MEMBERS):
                raise Closed(UNKNOWN_OPCODE, "Unknown opcode.")
            case _ if not self._session:
                raise Closed(NOT_AUTHENTICATED, "Not authenticated.")
            case _ if op == MEMBERS:
                self._members(data)

    def _hurry(self) -> None:
        now = time.monotonic()
        self._recent.append(now)
        while self._recent[0] < now - 60:
            self._recent.popleft()
        if len(self._recent) > FRAMES_PER_MINUTE:
            raise Closed(TOO_FAST, "Rate limited.")

    def _resume(self, data: Mapping[str, Any]) -> None:
        """Send again what a client missed. https://discord.com/developers/docs/events/gateway#resuming"""
        gateway = self._gateway
        if data.get("token", "").removeprefix("Bot ") != gateway.world.application.token:
            raise Closed(WRONG_TOKEN, "Authentication failed.")
        with gateway.lock:
            session = gateway.find(str(data.get("session_id")))
            if session is None:
                self.send({"op": INVALID, "d": False})
                return
            seen = data.get("seq") or 0
            if not 0 <= seen <= len(session.events):
                raise Closed(BAD_SEQUENCE, "Invalid seq.")
            self._session, session.send = session, self.send
            session.resumed += 1
            for event in session.events[seen:]:
                self.send(event)
            session.dispatch("RESUMED", {"_trace": []})

    def _members(self, data: Mapping[str, Any]) -> None:
        """https://discord.com/developers/docs/events/gateway-events#request-guild-members"""
        guild = self._gateway.world.guilds.get(int(data["guild_id"]))
        wanted = {int(each) for each in data.get("user_ids") or ()}
        held = [each for each in guild.members.values() if not wanted or each.user.id in wanted] if guild else []
        chunk = {"guild_id": str(data["guild_id"]), "chunk_index": 0, "chunk_count": 1, "nonce": data.get("nonce")}
        self._gateway.dispatch(
            "GUILD_MEMBERS_CHUNK", chunk | {"members": [documents.member(each) for each in held], "not_found": []}
        )

    def _note(self, direction: Any, op: int, data: Any, name: str | None = None) -> None:
        kept = data if op != DISPATCH or direction == "in" else None
        session = self._session.id if self._session else ""
        self._gateway.frames.append(Frame(direction, op, kept, name, session))
