"""By which names a service answers that asks for no key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers

from bot.adapters.http.rebinding import is_misnamed
from bot.keys import Keyring

EVIL = {"Host": "evil.example"}
ASK = {"question": "What does allocate return?"}


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1", "[::1]:8080", "192.0.2.4:80", "bot.localhost"])
def test_this_machine_and_addresses(host: str) -> None:
    assert not is_misnamed(Headers({"host": host}), ())
    assert not is_misnamed(Headers({"host": host, "origin": f"http://{host}"}), ())


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example:8080", "127.0.0.1.evil.example", "", "[::", "a@b"]
)
def test_names_that_could_be_a_page_s(host: str) -> None:
    assert is_misnamed(Headers({"host": host}), ())
    assert is_misnamed(Headers({"host": "localhost", "origin": f"http://{host}"}), ())


def test_a_sandboxed_page() -> None:
    assert is_misnamed(Headers({"host": "localhost", "origin": "null"}), ())


def test_names_that_are_told() -> None:
    hosts = ("bot.example.org",)
    assert not is_misnamed(Headers({"host": "BOT.example.org:443", "origin": "https://bot.example.org"}), hosts)
    assert is_misnamed(Headers({"host": "bot.example.org.evil.example"}), hosts)


def test_a_service_of_this_machine_answers_by_no_page_s_name(serve: Any) -> None:
    client = serve(local=True, hosts=("bot.example.org",))
    refused = client.post("/ask", json=ASK, headers=EVIL)
    assert refused.status_code == 421 and refused.json()["error"]["code"] == "unknown_host"
    assert client.get("/status", headers=EVIL).status_code == 421
    assert client.post("/ask", json=ASK).status_code == 200
    assert client.post("/ask", json=ASK, headers={"Host": "bot.example.org"}).status_code == 200
    assert client.get("/healthz", headers=EVIL).status_code == 200


def test_one_that_others_reach_answers_by_any_but_to_agents(serve: Any) -> None:
    client = serve()
    assert client.post("/ask", json=ASK, headers=EVIL).status_code == 200
    assert client.post("/mcp", json={}, headers=EVIL).status_code == 421


def test_a_key_is_enough(serve: Any, tmp_path: Path) -> None:
    keyring = Keyring(f"sqlite:///{tmp_path / 'jobs.sqlite'}")
    _, key = keyring.add("agent")
    client = serve(local=True, keys=keyring)
    assert client.get("/status", headers=EVIL).status_code == 401
    assert client.get("/status", headers=EVIL | {"Authorization": f"Bearer {key}"}).status_code == 200
    keyring.close()
