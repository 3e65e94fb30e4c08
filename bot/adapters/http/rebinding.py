"""By which names an endpoint for programs answers when no key is shown: by none that could be a web page's.

A page can have its own name lead to this machine (DNS rebinding), and is then of the same origin. MCP demands that
servers look at `Origin`:
https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.adapters.http.gate import CLIENT
from bot.adapters.http.problem import Problem

MISNAMED: Final = Problem(
    421,
    "unknown_host",
    "Without a key, this answers only by the name localhost or by an address, since a name could be a page's own:"
    " `repopilot keys add NAME` makes a key.",
)


class Unrebound:
    """An ASGI application that answers by safe names only. Whoever shows a key is no page: it would have to know it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client, headers = scope.get(CLIENT), Headers(scope=scope)
        named = [f"//{headers.get('host', '')}", *headers.getlist("origin")]
        if (client and client.key) or all(map(_is_no_name, named)):
            return await self._app(scope, receive, send)
        return await MISNAMED.response()(scope, receive, send)


def _is_no_name(url: str) -> bool:
    """Whether a host is this machine by its own name, or an address: nobody else can make these lead anywhere."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or host.endswith(".localhost") or bool(ip_address(host))
    except ValueError:
        return False
