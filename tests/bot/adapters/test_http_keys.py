"""Who is let in: by key, by the token, by the open page; and what happens while keys come and go."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.adapters.http import doorkeeper
from bot.adapters.http.paths import TABLE, rule_of
from bot.database import now
from bot.keys import Keyring

SEEN_WITHIN_S = doorkeeper.FRESH_S + 3


@pytest.fixture
def keyring(tmp_path: Path) -> Iterator[Keyring]:
    keyring = Keyring(f"sqlite:///{tmp_path / 'jobs.sqlite'}")
    yield keyring
    keyring.close()


def status(client: httpx.Client, key: str = "", path: str = "/status", **headers: str) -> int:
    shown = {"Authorization": f"Bearer {key}"} if key else {}
    return client.get(path, headers=shown | {n.replace("_", "-"): v for n, v in headers.items()}).status_code


def becomes(wanted: int, ask: Callable[[], int]) -> None:
    deadline = time.monotonic() + SEEN_WITHIN_S
    while (got := ask()) != wanted:
        assert time.monotonic() < deadline, got
        time.sleep(0.05)


def test_keys_are_asked_for_from_the_first_to_beyond_the_last(serve: Any, keyring: Keyring) -> None:
    client = serve(keys=keyring)
    assert status(client) == 200
    _, secret = keyring.add("ci")
    becomes(401, lambda: status(client))
    assert status(client, secret) == 200
    assert (status(client, secret[:-1]), status(client, "nope")) == (401, 401)
    keyring.revoke("ci")
    becomes(401, lambda: status(client, secret))
    assert status(client) == 401
    assert {status(client, path=path) for path in ("/healthz", "/readyz", "/openapi.json")} == {200}


def test_the_token_is_one_key_more(serve: Any, keyring: Keyring) -> None:
    _, secret = keyring.add("ci")
    client = serve(keys=keyring, api_token="sesame")
    assert (status(client, "sesame"), status(client, secret), status(client)) == (200, 200, 401)


def test_a_key_that_expired_closes_as_well(serve: Any, keyring: Keyring) -> None:
    _, secret = keyring.add("ci", days=-1)
    client = serve(keys=keyring)
    assert (status(client, secret), status(client)) == (401, 401)


def test_a_key_that_was_not_copied_whole_is_told(serve: Any, keyring: Keyring) -> None:
    _, secret = keyring.add("ci")
    client = serve(keys=keyring)
    response = client.get("/status", headers={"Authorization": f"Bearer {secret[:-3]}"})
    assert response.status_code == 401 and "not whole" in response.json()["error"]["message"]
    assert secret[:12] not in response.text


def test_the_day_of_its_use_is_noted_once(serve: Any, keyring: Keyring) -> None:
    _, secret = keyring.add("ci")
    client = serve(keys=keyring)
    assert {status(client, secret) for _ in range(3)} == {200}
    assert [key.used_on for key in keyring.listed()] == [now()[:10]]


@pytest.mark.parametrize("url", ["sqlite:////nowhere/at/all.sqlite", "postgresql+psycopg://u:hunter2@127.0.0.1:1/x"])
def test_a_database_that_is_down_opens_nothing(serve: Any, url: str) -> None:
    client = serve(keys=Keyring(url), api_token="sesame")
    response = client.get("/status")
    assert (response.status_code, response.json()["error"]["code"]) == (503, "database_unavailable")
    assert int(response.headers["Retry-After"]) > 0 and "hunter2" not in response.text
    assert status(client, "nope") == 503
    assert status(client, "sesame") == 200
    assert status(client, path="/healthz") == 200


def test_the_keys_are_not_read_at_each_request(serve: Any, keyring: Keyring, tmp_path: Path) -> None:
    _, secret = keyring.add("ci")
    client = serve(keys=keyring)
    assert status(client, secret) == 200
    keyring.close()
    (tmp_path / "jobs.sqlite").unlink()
    assert status(client, secret) == 200


def test_only_bearer_is_taken(serve: Any) -> None:
    client = serve(api_token="sesame")
    assert status(client, X_API_Key="sesame") == 401
    assert client.get("/status?key=sesame").status_code == 401
    assert client.get("/status", auth=("token", "sesame")).status_code == 401


PAGE = {"sec_fetch_site": "same-origin"}


def test_the_open_page_needs_no_key_and_programs_do(serve: Any) -> None:
    client = serve(api_token="sesame", page_open=True)
    assert status(client, **PAGE) == 200
    asked = client.post("/ask", json={"question": "blocks"}, headers={"Sec-Fetch-Site": "same-origin"})
    assert asked.status_code == 200
    for path in ("/metrics", "/v1/models", "/mcp", "/mcp/", "/v1/chat/completions", "/metrics/x"):
        assert status(client, path=path, **PAGE) == 401
    assert {status(client, Sec_Fetch_Site=site) for site in ("cross-site", "same-site", "none", "")} == {401}
    assert status(client, "wrong", **PAGE) == 401
    assert status(serve(api_token="sesame"), **PAGE) == 401


def test_the_open_page_is_never_without_a_limit(serve: Any) -> None:
    client = serve(api_token="sesame", page_open=True)
    got = [status(client, **PAGE) for _ in range(61)]
    assert got == [200] * 60 + [429]
    assert status(client, "sesame") == 200


def test_the_table_of_paths() -> None:
    assert [rule.path for rule in TABLE if rule.access == "open"] == [
        "/healthz", "/readyz", "/openapi.json", "/", "/embed", "/widget.js", "/assets",
    ]  # fmt: skip
    assert rule_of("GET", "/assets/1/page.js").access == "open"
    assert rule_of("GET", "/").access == rule_of("GET", "/embed").access == "open"
    for method, path in [("POST", "/"), ("POST", "/embed"), ("GET", "//"), ("GET", "/ask"), ("GET", "/assetsx"),
                         ("GET", "/healthzx"), ("GET", "/page/lines"), ("GET", "")]:  # fmt: skip
        assert rule_of(method, path).access == "page", path
    assert rule_of("POST", "/webhooks/github").access == "signed"
    for path in ("/v1/chat/completions", "/mcp", "/metrics"):
        assert rule_of("POST", path).access == "keyed"


def test_the_open_addresses_of_the_page_need_no_key(serve: Any) -> None:
    client = serve(api_token="sesame", per_client_per_minute=1)
    for path in ("/", "/embed", "/widget.js", "/assets/x"):
        assert {status(client, path=path) for _ in range(3)} == {404}  # there is no page here
