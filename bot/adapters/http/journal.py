"""Each request gets an id, one line in the log, and an answer even when everything else fails."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.adapters.http.paths import rule_of
from bot.adapters.http.refusing import refused
from bot.events import about_event
from bot.logs import Fields

log = logging.getLogger("repopilot.http")

# What nginx logs for a client that left before it had its answer.
CLIENT_LEFT = 499
LONGEST_LOGGED_PATH = 200
UNMATCHED = "unmatched"
_SANE_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)


Counted = Callable[[str, str, int, float], None]
"""Is told of a request that has ended: its method, its route's template, its status, and how many seconds it took."""


@dataclass(slots=True)
class Entry:
    """What is logged of a request; never its query, its body or its token."""

    id: str
    method: str
    path: str
    status: int = 0
    ms: float = 0

    def line(self) -> Fields:
        return Fields("request", **{name: getattr(self, name) for name in self.__slots__})


class Journal:
    """The outermost ASGI middleware. HEAD is answered as GET: the server leaves the body out."""

    def __init__(self, app: ASGIApp, counted: Counted | None = None) -> None:
        self._app = app
        self._counted = counted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        entry, started = _entry(scope), time.perf_counter()
        inner = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        with about_event(entry.id):
            try:
                await self._answer(inner, receive, _marked(send, entry), entry)
            except ClientDisconnect:
                entry.status = CLIENT_LEFT
            finally:
                seconds = time.perf_counter() - started
                entry.ms = round(seconds * 1000, 1)
                log.log(_level(entry), entry.line())
                if self._counted:
                    self._counted(entry.method, _route(inner), entry.status, seconds)
        return None

    async def _answer(self, scope: Scope, receive: Receive, send: Send, entry: Entry) -> None:
        try:
            await self._app(scope, receive, send)
        except ClientDisconnect:
            raise
        except Exception as error:
            if entry.status:  # half a response is out; only closing the connection says that it is not whole
                raise
            await refused(scope["path"], error)(scope, receive, send)


def _entry(scope: Scope) -> Entry:
    given = Headers(scope=scope).get("x-request-id", "")
    path = (scope.get("raw_path") or scope["path"].encode()).decode("ascii", "backslashreplace")
    return Entry(
        given if _SANE_ID.fullmatch(given) else uuid4().hex,
        scope["method"],
        path.partition("?")[0][:LONGEST_LOGGED_PATH],
    )


def _level(entry: Entry) -> int:
    """Probes and the page's files are asked for all the time, and metrics count them: a failure alone is news."""
    is_routine = rule_of(entry.method, entry.path).access == "open" and 0 < entry.status < 400
    return logging.DEBUG if is_routine else logging.INFO


def _route(scope: Scope) -> str:
    """The template of the route that was taken, `/source/{location:path}`: of paths there is no end."""
    taken = scope.get("route")
    if taken is None and (endpoint := scope.get("endpoint")):  # of routes that are not its own, FastAPI tells no more
        taken = next((r for r in scope["router"].routes if getattr(r, "endpoint", None) is endpoint), None)
    return getattr(taken, "path", None) or UNMATCHED


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
