"""A completion in the making becomes chunks, as server-sent events.

Clients try again when a response has the status for it, and not when a stream breaks: so it only begins with the first
words, or with the first comment that keeps the connection open.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from fastapi.sse import format_sse_event
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from bot.adapters.http.openai.completion import Reply
from bot.adapters.http.openai.refusal import error_body
from bot.adapters.http.problem import explained
from bot.adapters.http.stream import EventStream, pinging, while_connected
from bot.types import Event, PassagesFound


class CompletionStream(EventStream):
    """The chunks of a completion. What fails before the first words is raised, unless they are long in coming."""

    def __init__(self, events: AsyncGenerator[Event], reply: Reply, ping_s: float) -> None:
        super().__init__()
        self._events = events
        self._reply = reply
        self._ping_s = ping_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """All events in one task, since what makes them may hold cancel scopes open across them."""
        out = _Out(send, {"status": self.status_code, "headers": self.raw_headers})
        async with while_connected(receive), aclosing(self._events) as events, pinging(out.write, self._ping_s):
            try:
                async for event in events:
                    if isinstance(event, PassagesFound):
                        out.waiting = self._reply.frame(event)
                    else:
                        await out.write(self._reply.frame(event))
            except Exception as error:
                if isinstance(error, ClientDisconnect) or not out.begun:
                    raise
                problem = error_body(explained(error))
                await out.write(format_sse_event(data_str=problem.model_dump_json()))
            await out.write(b"", more=False)


class _Out:
    """Writes to the client; the response begins with what is written first, and before that comes what is `waiting`."""

    def __init__(self, send: Send, start: dict[str, object]) -> None:
        self._send = send
        self._start = start
        self._lock = asyncio.Lock()
        self.begun = False
        self.waiting = b""

    async def write(self, data: bytes, *, more: bool = True) -> None:
        async with self._lock:  # comments come from another task
            if not self.begun:
                self.begun = True
                await self._send({"type": "http.response.start", **self._start})
            data, self.waiting = self.waiting + data, b""
            await self._send({"type": "http.response.body", "body": data, "more_body": more})
