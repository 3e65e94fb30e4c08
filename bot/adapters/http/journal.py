"""Each request gets an id, one line in the log, and an answer even when everything else fails."""

from __future__ import annotations

import json
import logging
import re
import time
from dataclasses import dataclass
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.adapters.http.problem import explained

log = logging.getLogger("repopilot.http")

# What nginx logs for a client that left before it had its answer.
CLIENT_LEFT = 499
LONGEST_LOGGED_PATH = 200
_SANE_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)


@dataclass(slots=True)
class Entry:
    """What is logged of a request; never its query, its body or its token."""

    id: str
    method: str
    path: str
    status: int = 0
    ms: float = 0

    def line(self) -> str:
        return json.dumps({name: getattr(self, name) for name in self.__slots__})


class Journal:
    """The outermost ASGI middleware. HEAD is answered as GET: the server leaves the body out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        entry, started = _entry(scope), time.perf_counter()
        inner = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        try:
            await self._answer(inner, receive, _marked(send, entry), entry)
        except ClientDisconnect:
            entry.status = CLIENT_LEFT
        finally:
            entry.ms = round((time.perf_counter() - started) * 1000, 1)
            log.info("%s", entry.line())
        return None

    async def _answer(self, scope: Scope, receive: Receive, send: Send, entry: Entry) -> None:
        try:
            await self._app(scope, receive, send)
        except ClientDisconnect:
            raise
        except Exception as error:
            if entry.status:  # half a response is out; only closing the connection says that it is not whole
                raise
            await explained(error).response()(scope, receive, send)


def _entry(scope: Scope) -> Entry:
    given = Headers(scope=scope).get("x-request-id", "")
    path = (scope.get("raw_path") or scope["path"].encode()).decode("ascii", "backslashreplace")
    return Entry(
        given if _SANE_ID.fullmatch(given) else uuid4().hex,
        scope["method"],
        path.partition("?")[0][:LONGEST_LOGGED_PATH],
    )


def _marked(send: Send, entry: Entry) -> Send:
    """Sends with the request's id, and the order not to guess types; notes the status."""

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            entry.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-ID"] = entry.id
            headers["X-Content-Type-Options"] = "nosniff"
        await send(message)

    return marked
