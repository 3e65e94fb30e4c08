"""A request has a time in which it is answered, whatever it waits for; what was begun by then is ended properly."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.adapters.http.problem import Problem, Refused
from bot.adapters.http.refusing import refused
from bot.adapters.http.stream import last_words
from bot.events import ended_when

TOO_LATE: Final = Problem(504, "too_late", "This took longer than a request may; asking again may help.")
# For a client that reads no more, and so holds up what is sent to it.
LAST_WORDS_S: Final = 1.0


class Deadline:
    """ASGI middleware that ends what takes longer than so many seconds, from the first byte to the last."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        started: Headers | None = None

        async def noticed(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = Headers(raw=message["headers"])
            await send(message)

        try:
            async with asyncio.timeout(self._seconds) as limit:
                with ended_when(limit.expired):
                    await self._app(scope, receive, noticed)
        except TimeoutError:
            if not limit.expired():
                raise
            if started is None:
                return await refused(scope["path"], Refused(TOO_LATE))(scope, receive, send)
            if not started.get("content-type", "").startswith("text/event-stream"):
                raise  # only closing the connection says that it is not whole
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_WORDS_S):
                    await last_words(send, TOO_LATE)
        return None
