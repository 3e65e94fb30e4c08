"""By which names a service that asks for no key may be called: by none that could be a web page's.

A page can have its own name lead to this machine (DNS rebinding), is then of the same origin, and could read whatever
is indexed here. A service that listens on this machine alone expects no other names, as Jupyter's does; MCP demands
that its servers look at `Origin`, wherever they listen:
https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from bot.adapters.http.problem import Problem

MISNAMED: Final = Problem(
    421,
    "unknown_host",
    "Without a key, this answers only by the name localhost, by an address, and by the names in REPOPILOT_HOSTS, since"
    " any other could be a web page's own: `repopilot keys add NAME` makes a key.",
)


def is_misnamed(headers: Headers, hosts: Collection[str]) -> bool:
    """Whether a request, or the page that sends it, calls us by a name that is not ours."""
    named = [f"//{headers.get('host', '')}", *headers.getlist("origin")]
    return not all(_is_ours(url, hosts) for url in named)


def _is_ours(url: str, hosts: Collection[str]) -> bool:
    """Whether a host is this machine by its own name, an address, or one of `hosts`: nobody else can make these lead
    anywhere."""
    try:
        host = urlsplit(url).hostname or ""
        return host in hosts or host == "localhost" or host.endswith(".localhost") or bool(ip_address(host))
    except ValueError:
        return False
