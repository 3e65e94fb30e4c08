"""`repopilot jobs`: what is noted, queued, running and set aside, and taking it up again, also while a service runs."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.ledger import Ledger
from fakes.checkout import Program
from fakes.github.server import APP_ID, REPOSITORY, GitHubServer
from fakes.running import Running

SECRET = "repopilot-test-secret"
KEY = "github:acme/demo:issue:{}:"
SWEEP_LIMIT_S = 60.0


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "home")


@pytest.fixture
def ledger(program: Program) -> Iterator[Ledger]:
    program.home.mkdir()
    ledger = Ledger(f"sqlite:///{program.home / 'jobs.sqlite'}")
    yield ledger
    ledger.close()


def note(ledger: Ledger, number: int, reason: str | None = None) -> str:
    key = KEY.format(number)
    asked = {"url": f"https://github.com/acme/demo/issues/{number}"}
    revision = ledger.note(key, "acme/demo", "ada", f"2026-05-04T12:00:{number:02}Z", "why?", asked)
    assert revision
    if reason:
        ledger.set_aside(key, revision, reason)
    return key


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    assert (done.returncode, done.stdout) == (1, ""), done
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_nothing_is_said_as_well(program: Program) -> None:
    assert program.json("jobs") == []
    assert program.run("jobs").stdout == "Nothing is queued, running or set aside.\n"


def test_what_waits_and_what_was_set_aside_are_listed(program: Program, ledger: Ledger) -> None:
    waiting, aside = note(ledger, 1), note(ledger, 2, "GitHub answered 403:\nno\x1b[2J")
    assert program.json("jobs") == [
        {
            "key": waiting,
            "state": "waiting",
            "about": "https://github.com/acme/demo/issues/1",
            "author": "ada",
            "reason": None,
        },
        {
            "key": aside,
            "state": "set_aside",
            "about": "https://github.com/acme/demo/issues/2",
            "author": "ada",
            "reason": "GitHub answered 403:\nno\x1b[2J",
        },
    ]
    shown = program.run("jobs").stdout
    assert shown.count("\n") == 3 and "GitHub answered 403: no" in shown and "\x1b" not in shown


def test_what_was_set_aside_is_taken_up_again(program: Program, ledger: Ledger) -> None:
    first, second, third = (note(ledger, number, "no") for number in (1, 2, 3))
    assert program.json("jobs", "retry", second) == {"retried": [second]}
    assert [subject.key for subject in ledger.open()] == [second]
    assert ledger.open()[0].revision == 2
    assert program.json("jobs", "retry", "--all") == {"retried": [first, third]}
    assert ledger.put_aside() == []
    assert program.json("jobs", "retry", "--all") == {"retried": []}


def test_a_key_that_was_not_set_aside_takes_nothing_up(program: Program, ledger: Ledger) -> None:
    aside, waiting = note(ledger, 1, "no"), note(ledger, 2)
    assert waiting in complaint(program.run("jobs", "retry", aside, waiting))
    assert [subject.key for subject in ledger.put_aside()] == [aside]


@pytest.mark.parametrize("arguments", [["retry"], ["retry", "--all", "x"], ["sing"]])
def test_wrong_usage_is_exit_code_2(program: Program, arguments: list[str]) -> None:
    done = program.run("jobs", *arguments)
    assert done.returncode == 2 and "Usage:" in done.stderr


def test_a_database_that_is_none_is_one_line(program: Program) -> None:
    program.home.mkdir()
    (program.home / "jobs.sqlite").write_text("this is no database, however long one looks at it" * 100)
    for arguments in (["jobs"], ["jobs", "retry", "--all"]):
        assert "database" in complaint(program.run(*arguments))


@pytest.mark.parametrize("arguments", [["jobs", "--json"], ["jobs", "retry", "--all"], ["--help"]])
def test_dbos_is_imported_only_for_what_is_queued(program: Program, arguments: list[str]) -> None:
    script = (
        "import sys, bot.cli\ntry: bot.cli.main(sys.argv[1:])\nfinally: print('dbos' in sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(
        command, env=program.environment({}), cwd=program.home.parent, capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1] == "False", done


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.mark.slow
def test_beside_a_service_that_runs(tmp_path: Path) -> None:
    with GitHubServer() as github:
        settings = {
            "REPOPILOT_GITHUB_APP_ID": str(APP_ID),
            "REPOPILOT_GITHUB_PRIVATE_KEY": github.private_key,
            "REPOPILOT_GITHUB_WEBHOOK_SECRET": SECRET,
            "REPOPILOT_GITHUB_URL": github.url,
            "REPOPILOT_JOBS_SWEEP_S": "1",
        }
        with Running(tmp_path, free_port(), settings, REPOSITORY) as running:

            def listed() -> list[dict[str, Any]]:
                found: list[dict[str, Any]] = json.loads(running.run("jobs", "--json"))
                return found

            running.start()
            github.world.app.hook_url = f"{running.url}/webhooks/github"
            github.world.app.hook_secret = SECRET
            issue = github.world.issue("The cache")
            path = f"POST /repos/{REPOSITORY}/issues/{issue.number}/comments"
            github.play({path: {"status": 403, "json": {"message": "Resource not accessible by integration"}}})
            github.deliver(github.world.comment(issue, "@RepoPilot what is the default block size?"))
            running.wait_until_idle()
            (aside,) = listed()
            assert aside["state"] == "set_aside" and "not accessible" in aside["reason"]
            assert aside["author"] == "alice-dev" and aside["about"].startswith("https://github.com/")

            github.play({path: {"delay_s": 18.0}})
            assert json.loads(running.run("jobs", "retry", aside["key"], "--json")) == {"retried": [aside["key"]]}
            assert listed()[0]["state"] in ("waiting", "queued", "running")
            assert github.wait_until(lambda hub: hub.called("POST", path.removeprefix("POST "))[1:], SWEEP_LIMIT_S)
            assert [entry["state"] for entry in listed()] == ["running"]
            github.hurry()
            assert github.wait_until(lambda hub: hub.replies, 30)
            running.wait_until_idle()
            assert listed() == [] and len(github.replies) == 1
