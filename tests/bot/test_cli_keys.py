"""`repopilot keys`: made, listed and revoked, as people and programs do it."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result

from bot.adapters.http.doorkeeper import FRESH_S
from bot.cli import main
from bot.keys import is_torn
from fakes.running import Running

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`repopilot keys` with a home of its own, and no settings but those given."""
    monkeypatch.chdir(tmp_path)  # a .env file of the checkout must not be read
    for name in [name for name in os.environ if name.startswith("REPOPILOT_")]:
        monkeypatch.delenv(name)
    home = {"REPOPILOT_HOME": str(tmp_path / "home")}
    return lambda *arguments, **more: CliRunner().invoke(main, ["keys", *arguments], env=home | more)


def test_keys_are_made_listed_and_revoked(run: Run) -> None:
    assert run("list").stdout == "There are no keys.\n"
    made = run("add", "ci")
    secret = made.stdout.strip()
    assert made.exit_code == 0 and secret.startswith("rp_") and not is_torn(secret)
    assert "once" in made.stderr
    other = json.loads(run("add", "ada", "--expires", "30", "--per-minute", "5", "--json").stdout)
    assert other["key"] != secret and other["expires_at"] > "2026" and other["per_minute"] == 5
    assert json.loads(run("revoke", "ci", "--json").stdout) == {"revoked": "ci"}
    ci, ada = json.loads(run("list", "--json").stdout)
    assert set(ci) == {"name", "start", "made_at", "expires_at", "revoked_at", "used_on", "per_minute"}
    assert ci["revoked_at"] and secret.startswith(ci["start"]) and len(ci["start"]) < 10
    assert (ada["revoked_at"], ada["used_on"]) == (None, None)
    shown = run("list").stdout
    assert "revoked" in shown and "until" in shown and secret not in shown and other["key"] not in shown


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["add", "a b"], 1, "A key's name is"),
        (["add", "token"], 1, "REPOPILOT_API_TOKEN"),
        (["revoke", "nobody"], 1, "no key named nobody"),
        (["add", "ci", "--expires", "0"], 2, "--expires"),
        (["add", "ci", "--per-minute", "none"], 2, "--per-minute"),
    ],
)
def test_what_is_refused(run: Run, arguments: list[str], code: int, words: str) -> None:
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (code, "")
    assert words in done.stderr


def test_a_database_that_is_down_is_one_clear_line(run: Run) -> None:
    done = run("list", REPOPILOT_DATABASE_URL="postgresql://u:hunter2@127.0.0.1:1/x")
    assert done.exit_code == 1 and done.stderr.count("\n") == 1
    assert "cannot be reached" in done.stderr and "hunter2" not in done.stderr


def test_a_running_service_goes_by_its_keys(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with Running(tmp_path, port, {"REPOPILOT_PER_CLIENT_PER_MINUTE": "50"}, "acme/demo") as server:
        key = json.loads(server.run("keys", "add", "ci", "--json"))["key"]
        server.start()
        with httpx.Client(base_url=server.url, timeout=30) as client:
            assert client.post("/ask", json={"question": "x"}).status_code == 401
            headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "k"}
            asked = [client.post("/ask", json={"question": "KV block size?"}, headers=headers) for _ in range(2)]
            assert asked[0].json() == asked[1].json() and asked[1].headers["Idempotent-Replayed"] == "true"
            assert '"client";q=50;w=60' in asked[0].headers["RateLimit-Policy"]
            vote = {"answer_id": asked[0].json()["id"], "vote": "down", "comment": "no"}
            assert client.post("/feedback", json=vote, headers=headers).json()["vote"] == "down"
            server.run("keys", "revoke", "ci")
            time.sleep(FRESH_S + 0.5)
            assert client.get("/status", headers=headers).status_code == 401
            assert client.get("/status").status_code == 401
        assert key not in server.log and "warning: serving unauthenticated" not in server.log
        server.stop()
