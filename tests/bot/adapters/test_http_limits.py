"""How often anybody may ask: by key, by address, by network; and what is told of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.adapters.http.budget import network_of
from bot.keys import Keyring


def get(client: httpx.Client, key: str = "", address: str = "", path: str = "/status") -> httpx.Response:
    """A request with a key, of an address behind a proxy on this machine, which is believed."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return client.get(path, headers=headers | ({"X-Forwarded-For": address} if address else {}))


def statuses(client: httpx.Client, count: int, key: str = "", address: str = "") -> list[int]:
    return [get(client, key, address).status_code for _ in range(count)]


@pytest.mark.parametrize(
    "host, network",
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_whom_an_address_stands_for(host: str, network: str) -> None:
    assert network_of(host) == network


def test_each_address_has_its_own_budget_and_a_network_is_one(serve: Any) -> None:
    client = serve(per_client_per_minute=2)
    assert statuses(client, 3, address="192.0.2.1") == [200, 200, 429]
    assert statuses(client, 1, address="192.0.2.2") == [200]
    assert statuses(client, 2, address="2001:db8::1") == [200, 200]
    assert statuses(client, 1, address="2001:db8::ffff:2") == [429]
    assert statuses(client, 1, address="2001:db8:0:1::1") == [200]


def test_a_key_has_its_own_budget_or_everybodys(serve: Any, tmp_path: Path) -> None:
    keyring = Keyring(f"sqlite:///{tmp_path / 'jobs.sqlite'}")
    (_, few), (_, everybodys) = keyring.add("few", per_minute=1), keyring.add("other")
    client = serve(keys=keyring, per_client_per_minute=3)
    assert statuses(client, 2, few) == [200, 429]
    assert statuses(client, 4, everybodys) == [200, 200, 200, 429]
    keyring.close()


def test_a_key_with_a_budget_where_others_have_none(serve: Any, tmp_path: Path) -> None:
    keyring = Keyring(f"sqlite:///{tmp_path / 'jobs.sqlite'}")
    _, few = keyring.add("few", per_minute=1)
    client = serve(keys=keyring, api_token="sesame")
    assert statuses(client, 2, few) == [200, 429]
    assert statuses(client, 5, "sesame") == [200] * 5
    keyring.close()


def test_an_address_is_limited_whatever_keys_it_shows(serve: Any, tmp_path: Path) -> None:
    keyring = Keyring(f"sqlite:///{tmp_path / 'jobs.sqlite'}")
    keys = [keyring.add(name)[1] for name in ("a", "b", "c")]
    client = serve(keys=keyring, per_address_per_minute=2)
    got = [get(client, key, "192.0.2.1").status_code for key in keys]
    assert got == [200, 200, 429]
    assert "from one address" in get(client, keys[0], "192.0.2.1").json()["error"]["message"]
    assert statuses(client, 1, keys[0], "192.0.2.2") == [200]
    assert statuses(client, 3, "wrong", "192.0.2.3") == [401, 401, 429]
    keyring.close()


def test_what_is_left_is_told(serve: Any) -> None:
    client = serve(per_client_per_minute=2, per_address_per_minute=5)
    first, second, third = (client.post("/search", json={"query": "blocks"}) for _ in range(3))
    assert first.headers["RateLimit-Policy"] == '"address";q=5;w=60, "client";q=2;w=60'
    assert re.fullmatch(r'"address";r=4;t=\d+, "client";r=1;t=\d+', first.headers["RateLimit"])
    assert '"client";r=0' in second.headers["RateLimit"]
    assert third.status_code == 429 and '"client";r=0' in third.headers["RateLimit"]
    assert f"t={third.headers['Retry-After']}" in third.headers["RateLimit"]
    assert "RateLimit" not in client.get("/healthz").headers
    assert "RateLimit" not in serve().get("/status").headers


def test_refusals_tell_it_too(serve: Any) -> None:
    client = serve(api_token="sesame", per_client_per_minute=3)
    assert '"client";r=2' in client.get("/status").headers["RateLimit"]
    wrong = client.post("/ask", content=b"x", headers={"Authorization": "Bearer sesame", "Content-Type": "text/plain"})
    assert wrong.status_code == 415 and '"client";r=2' in wrong.headers["RateLimit"]


def test_an_address_is_not_believed_from_elsewhere(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "192.0.2.200")
    client = serve(per_client_per_minute=1)
    assert [get(client, address=f"192.0.2.{n}").status_code for n in (1, 2)] == [200, 429]
