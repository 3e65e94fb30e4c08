"""`repopilot github`, as people run it: setting up by the letter of the README, checking, and answering one event."""

from __future__ import annotations

import html
import json
import re
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from dotenv import dotenv_values

from bot.adapters.github.manifest import EVENTS
from fakes.checkout import INSTALLED, Checkout, Program
from fakes.github.server import APP_ID, REPOSITORY, GitHubServer

URL = "https://pilot.example"
SECRETS = {"webhook_secret": "hook-s3cret", "client_secret": "client-s3cret"}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which a small repository is indexed under the name that the loopback GitHub knows it by."""
    folder = tmp_path_factory.mktemp("github")
    checkout = Checkout.new(folder / "demo")
    Program(folder / "home").json("index", str(checkout.folder), "--repository", REPOSITORY)
    return folder / "home"


@pytest.fixture
def program(indexed: Path, tmp_path: Path) -> Program:
    """The program in an empty folder, over that home."""
    return Program(tmp_path / "home")


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        server.world.app.events = list(EVENTS)
        server.world.app.hook_url = f"{URL}/webhooks/github"
        server.world.manifests["the-code"] = {"pem": server.private_key, **SECRETS}
        yield server


def app_settings(github: GitHubServer, indexed: Path) -> dict[str, str]:
    return {
        "REPOPILOT_HOME": str(indexed),
        "REPOPILOT_GITHUB_URL": github.url,
        "REPOPILOT_GITHUB_APP_ID": str(APP_ID),
        "REPOPILOT_GITHUB_PRIVATE_KEY": github.private_key,
        "REPOPILOT_GITHUB_WEBHOOK_SECRET": "s",
    }


def no_secret_in(done: subprocess.CompletedProcess[str]) -> bool:
    said = done.stdout + done.stderr
    return not any(secret in said for secret in (*SECRETS.values(), "PRIVATE KEY"))


def test_without_settings_it_is_said_what_to_do(program: Program) -> None:
    for verb in ("setup", "check"):
        done = program.run("github", verb)
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.startswith("✗ settings: ") and "github setup --url" in done.stdout
    assert not program.home.exists()


def test_settings_that_lack_something_are_named(program: Program) -> None:
    done = program.run("github", "setup", "--json", REPOPILOT_GITHUB_APP_ID="1")
    (finding,) = json.loads(done.stdout)
    assert done.returncode == 1 and finding["check"] == "settings" and finding["ok"] is False
    assert "REPOPILOT_GITHUB_WEBHOOK_SECRET is missing" in finding["message"]


def test_a_key_that_cannot_be_read_is_one_line(program: Program, github: GitHubServer, indexed: Path) -> None:
    settings = {**app_settings(github, indexed), "REPOPILOT_GITHUB_PRIVATE_KEY_FILE": "/nowhere/key.pem"}
    done = program.run("github", "check", **settings)
    assert (done.returncode, done.stderr) == (1, "") and "/nowhere/key.pem" in done.stdout
    settings = {**app_settings(github, indexed), "REPOPILOT_GITHUB_PRIVATE_KEY": "not a key"}
    assert "✗ private key: " in program.run("github", "check", **settings).stdout
    assert github.calls == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--wait"],
        ["--code", "c", "--url", URL],
        ["--url", "pilot.example"],
        ["--url", URL, "--organization", "a/b"],
    ],
)
def test_wrong_usage_is_exit_code_2(program: Program, arguments: list[str]) -> None:
    done = program.run("github", "setup", *arguments)
    assert done.returncode == 2 and "Usage:" in done.stderr


def test_the_page_registers_and_the_code_sets_up(program: Program, github: GitHubServer, indexed: Path) -> None:
    folder = program.home.parent
    here = {"REPOPILOT_GITHUB_URL": github.enterprise_url, "REPOPILOT_HOME": str(indexed)}
    done = program.run("github", "setup", "--url", f"{URL}/", "--organization", "example-org", **here)
    assert (done.returncode, done.stderr) == (0, "") and "--code CODE" in done.stdout
    page = (folder / "repopilot-github-app.html").read_text()
    action = re.search(r'<form action="([^"]*)"', page)
    assert action and action[1].startswith(f"{github.url}/organizations/example-org/settings/apps/new?state=")
    field = re.search(r'name="manifest" value="([^"]*)"', page)
    assert field and json.loads(html.unescape(field[1]))["hook_attributes"]["url"] == f"{URL}/webhooks/github"

    done = program.run("github", "setup", "--code", "the-code", **here)
    assert (done.returncode, done.stderr) == (0, "") and no_secret_in(done)
    assert "https://github.com/apps/repopilot/installations/new" in done.stdout
    assert stat.S_IMODE((folder / ".env").stat().st_mode) == 0o600
    assert program.run("github", "setup", **here).returncode == 0
    done = program.run("github", "check", **here)
    assert (done.returncode, done.stderr) == (0, "") and no_secret_in(done)
    assert all(line.startswith("✓ ") for line in done.stdout.splitlines())


def test_a_file_that_knows_an_app_is_not_overwritten_unasked(program: Program, github: GitHubServer) -> None:
    file = program.home.parent / ".env"
    file.write_text("REPOPILOT_GITHUB_APP_ID=7\n")
    command = ("github", "setup", "--code", "the-code")
    done = program.run(*command, REPOPILOT_GITHUB_URL=github.url, REPOPILOT_GITHUB_APP_ID="")
    assert done.returncode == 1 and "--force" in done.stderr and done.stderr.count("\n") == 1
    assert file.read_text() == "REPOPILOT_GITHUB_APP_ID=7\n" and github.calls == []
    (file.parent / "other.env").touch()
    found = program.json(
        *command, "--env-file", "other.env", REPOPILOT_GITHUB_URL=github.url, REPOPILOT_GITHUB_APP_ID=""
    )
    assert found == {
        "app_id": APP_ID,
        "slug": "repopilot",
        "page": "https://github.com/apps/repopilot",
        "install": "https://github.com/apps/repopilot/installations/new",
        "env_file": "other.env",
    }
    assert dotenv_values(file.parent / "other.env")["REPOPILOT_GITHUB_WEBHOOK_SECRET"] == SECRETS["webhook_secret"]


@pytest.mark.parametrize("code", ["used-up", "the-code"])
def test_a_code_that_does_not_work_is_one_line(program: Program, github: GitHubServer, code: str) -> None:
    if code == "the-code":
        github.stop()
    done = program.run("github", "setup", "--code", code, REPOPILOT_GITHUB_URL=github.url)
    assert done.returncode == 1 and done.stderr.startswith("error: ") and done.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_said_before_the_code_is_spent(
    program: Program, github: GitHubServer
) -> None:
    done = program.run("github", "setup", "--code", "the-code", "--env-file", "none/.env")
    assert done.returncode == 1 and "none/.env" in done.stderr and done.stderr.count("\n") == 1
    assert "the-code" in github.world.manifests


def test_waiting_takes_the_code_from_the_browser(program: Program, github: GitHubServer) -> None:
    command = [INSTALLED, "github", "setup", "--url", URL, "--wait", "--json"]
    environment = program.environment({"REPOPILOT_GITHUB_URL": github.url})
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=program.home.parent, env=environment, **pipes) as waiting:  # type: ignore[call-overload]
        try:
            address = re.search(r"http://127\.0\.0\.1:\d+", waiting.stderr.readline())
            assert address
            page = html.unescape(httpx.get(address[0]).text)
            state = re.search(r"settings/apps/new\?state=([\w-]+)", page)
            back = re.search(r'"redirect_url": "([^"]*)"', page)
            assert state and back
            httpx.get(back[1], params={"code": "the-code", "state": state[1]})
            printed, _ = waiting.communicate(timeout=30)
        finally:
            waiting.kill()
    assert waiting.returncode == 0 and json.loads(printed)["slug"] == "repopilot"


def test_the_check_for_programs(program: Program, github: GitHubServer, indexed: Path) -> None:
    settings = app_settings(github, indexed)
    found = program.json("github", "check", "--repository", REPOSITORY, **settings)
    assert all(finding.keys() == {"check", "ok", "message"} and finding["ok"] is True for finding in found)
    done = program.run("github", "check", "--json", **{**settings, "REPOPILOT_GITHUB_HANDLE": "other"})
    assert done.returncode == 1 and [one["check"] for one in json.loads(done.stdout) if not one["ok"]] == ["handle"]
    github.stop()
    done = program.run("github", "check", **settings)
    assert (done.returncode, done.stderr) == (1, "") and "✗ GitHub: " in done.stdout


# Answering one event


def answered(program: Program, github: GitHubServer, indexed: Path, told: Any, **more: str) -> Any:
    event, payload = told
    file = program.home.parent / "event.json"
    file.write_text(payload if isinstance(payload, str) else json.dumps(payload))
    token = github.world.installation_token(github.installation, github.installation.permissions, [github.repository])
    settings = {
        "REPOPILOT_HOME": str(indexed),
        "GITHUB_TOKEN": token.value,
        "GITHUB_API_URL": github.url,
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(file),
    }
    return program.run("github", "answer", "--json", **settings | more)


def test_one_event_is_answered_from_the_index(program: Program, github: GitHubServer, indexed: Path) -> None:
    comment = github.world.comment(github.world.issue("Blocks"), "@RepoPilot what does allocate return?")
    done = answered(program, github, indexed, github.payloads.about(comment))
    assert done.returncode == 0, done.stderr
    (reply,) = github.replies
    assert json.loads(done.stdout)["state"] == "answered" and json.loads(done.stdout)["url"].startswith("https://")
    assert "/src/blocks.py#L" in reply.body
    assert not (indexed / "jobs.sqlite").exists()


def test_an_event_that_asks_nothing_is_done_at_once(program: Program, github: GitHubServer, indexed: Path) -> None:
    done = answered(program, github, indexed, github.payloads.about(github.world.issue("Blocks", "no mention")))
    assert json.loads(done.stdout) == {"state": "nothing to do", "url": None, "reason": None}
    assert github.calls == []


def test_what_cannot_be_answered_fails_the_workflow(program: Program, github: GitHubServer, indexed: Path) -> None:
    told = github.payloads.about(github.world.issue("@RepoPilot why?", "really"))
    github.installation.permissions["issues"] = "read"
    done = answered(program, github, indexed, told)
    assert done.returncode == 1 and json.loads(done.stdout)["state"] == "set aside"
    assert "error: GitHub answered 403" in done.stderr and "Traceback" not in done.stderr
    done = answered(program, github, indexed, told, GITHUB_TOKEN="")
    assert done.returncode == 1 and "GITHUB_TOKEN" in done.stderr
    done = answered(program, github, indexed, ("issues", "{"))
    assert done.returncode == 1 and "event.json is no event" in done.stderr
    done = answered(program, github, indexed, told, REPOPILOT_GITHUB_DRAFTS="1")
    assert done.returncode == 1 and "repopilot serve" in done.stderr


def test_outside_a_workflow_it_is_wrong_usage(program: Program) -> None:
    done = program.run("github", "answer", GITHUB_EVENT_NAME="", GITHUB_EVENT_PATH="")
    assert done.returncode == 2
