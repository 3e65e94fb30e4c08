"""Which names an endpoint for programs answers by, when it asks for no key."""

from __future__ import annotations

from typing import Any

import anyio
import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from bot.adapters.http.gate import CLIENT, Client
from bot.adapters.http.rebinding import Unrebound


def status(key: str | None = None, **headers: str) -> int:
    async def admitted(scope: Scope, receive: Receive, send: Send) -> None:
        await Unrebound(PlainTextResponse("in"))({**scope, CLIENT: Client(key, "203.0.113.7")}, receive, send)

    async def ask() -> Any:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(admitted), base_url="http://localhost") as client:
            return (await client.post("/mcp", headers=headers)).status_code

    return int(anyio.run(ask))


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1", "[::1]:8080", "192.0.2.4:80", "bot.localhost"])
def test_this_machine_and_addresses(host: str) -> None:
    assert status(host=host) == status(host=host, origin=f"http://{host}") == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example:8080", "127.0.0.1.evil.example", "", "[::", "a@b"]
)
def test_names_that_could_be_a_page_s(host: str) -> None:
    assert status(host=host) == 421
    assert status(host="localhost", origin=f"http://{host}") == 421


def test_a_sandboxed_page() -> None:
    assert status(host="localhost", origin="null") == 421


def test_a_key_is_enough() -> None:
    assert status("agent", host="bot.example.org", origin="https://agents.example.org") == 200
