"""The check against the loopback GitHub: all is well, and each way in which it is not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.adapters.github import findings
from bot.adapters.github.check import Check
from bot.adapters.github.client import Client, Credentials
from bot.adapters.github.findings import DeliverySeen, Finding, HookSeen
from bot.adapters.github.manifest import EVENTS, PERMISSIONS
from fakes.github.credentials import key_pair
from fakes.github.server import APP_ID, REPOSITORY, GitHubServer

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
HOOK = "https://pilot.example/webhooks/github"
PROXY = {"status": 200, "headers": {"Content-Type": "text/html"}, "body": "<html>Please log in</html>"}


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        server.world.app.events = list(EVENTS)
        server.world.app.permissions = {name: one.level for name, one in PERMISSIONS.items()}
        server.installation.permissions = dict(server.world.app.permissions)
        server.world.app.hook_url = HOOK
        yield server


def checked(github: GitHubServer, only: str | None = None, **how: Any) -> dict[str, Finding]:
    """The findings by what they are about."""
    credentials = Credentials(github.url, str(APP_ID), github.private_key)
    return run(replace(credentials, **how), only)


def with_token(github: GitHubServer, only: str | None = REPOSITORY, prefix: str = "ghp_") -> dict[str, Finding]:
    token = github.world.personal_token("pilot-account", github.repository, prefix=prefix)
    return run(Credentials(github.url, token=token.value), only)


def run(credentials: Credentials, only: str | None, indexed: tuple[str, ...] = (REPOSITORY,)) -> dict[str, Finding]:
    async def collected() -> list[Finding]:
        check = Check(Client(credentials), credentials, "RepoPilot", set(indexed), only)
        return [finding async for finding in check.findings()]

    found = asyncio.run(collected())
    assert len({finding.check for finding in found}) == len(found)
    return {finding.check: finding for finding in found}


def wrong(found: dict[str, Finding]) -> dict[str, str]:
    return {name: finding.message for name, finding in found.items() if not finding.ok}


def test_a_set_up_that_works_has_nothing_to_say_against_it(github: GitHubServer) -> None:
    found = checked(github)
    assert wrong(found) == {}
    assert list(found) == [
        "clock",
        "App",
        "handle",
        "permissions",
        "events",
        "webhook",
        "deliveries",
        "installation on example-org",
        "index",
    ]
    assert wrong(checked(github, REPOSITORY)) == {}


def test_an_enterprise_server_is_checked_as_well(github: GitHubServer) -> None:
    assert wrong(checked(github, url=github.enterprise_url)) == {}


def test_a_foreign_key_is_not_accepted(github: GitHubServer) -> None:
    found = checked(github, private_key=key_pair("another")[0])
    assert list(found) == ["clock", "App"]
    assert "401" in found["App"].message and "REPOPILOT_GITHUB_APP_ID" in found["App"].message


def test_what_is_not_granted_is_named(github: GitHubServer) -> None:
    github.world.app.permissions = {"metadata": "read", "issues": "read", "contents": "read", "pull_requests": "write"}
    github.world.app.events = ["issues", "push"]
    found = wrong(checked(github))
    assert "issues: write, discussions: write" in found["permissions"]
    assert "issue_comment" in found["events"] and "push" not in found["events"]


def test_an_installation_that_has_not_taken_over_new_permissions_is_named(github: GitHubServer) -> None:
    github.installation.permissions = {"metadata": "read", "issues": "write"}
    found = wrong(checked(github))
    assert list(found) == ["installation on example-org"]
    assert "discussions: write" in found["installation on example-org"]


def test_the_handle_is_the_apps_name(github: GitHubServer) -> None:
    github.world.app.slug = "engine-helper"
    assert "REPOPILOT_GITHUB_HANDLE=engine-helper" in wrong(checked(github))["handle"]


def test_a_suspended_installation_is_said(github: GitHubServer) -> None:
    github.installation.suspended = True
    assert "suspended" in wrong(checked(github))["installation on example-org"]


def test_an_app_that_is_installed_nowhere_is_said(github: GitHubServer) -> None:
    github.world.installations.clear()
    assert "not installed anywhere" in wrong(checked(github))["installation"]
    assert f"not installed on {REPOSITORY}" in wrong(checked(github, REPOSITORY))["installation"]


def test_an_installation_without_a_repository_is_said(github: GitHubServer) -> None:
    github.installation.repositories.clear()
    assert "holds no repository" in wrong(checked(github))["installation on example-org"]


def test_more_repositories_than_a_page_holds_are_looked_at(github: GitHubServer) -> None:
    made = [github.world.repository(f"example-org/part-{number:03}") for number in range(150)]
    github.world.install(github.installation.id, *made)
    message = wrong(checked(github))["index"]
    assert "example-org/part-000" in message and "and 140 more" in message
    assert f"repopilot index {github.url}/example-org/part-000" in message


def test_deliveries_that_nobody_took_are_said(github: GitHubServer) -> None:
    github.world.app.hook_url = "http://127.0.0.1:9/webhooks/github"
    github.deliver(github.world.issue("A"))
    message = wrong(checked(github))["deliveries"]
    assert "issues, 0 min ago" in message and "failed to connect" in message and "repopilot serve" in message


@pytest.mark.parametrize("status", [401, 404, 502])
@pytest.mark.parametrize(
    "path",
    [
        "/app",
        "/app/hook/config",
        "/app/hook/deliveries",
        "/app/installations",
        "/app/installations/*/access_tokens",
        "/installation/repositories",
    ],
)
def test_a_request_that_fails_becomes_a_line(github: GitHubServer, path: str, status: int) -> None:
    method = "POST" if path.endswith("tokens") else "GET"
    github.play({f"{method} {path}": {"status": status, "json": {"message": "not today"}}})
    found = wrong(checked(github))
    assert len(found) == 1 and f"{status}: not today" in next(iter(found.values()))


@pytest.mark.parametrize("answer", [PROXY, {**PROXY, "status": 503}, {"json": []}, {"json": {"slug": 1}}, {"json": 1}])
@pytest.mark.parametrize("path", ["/app", "/app/hook/config", "/app/hook/deliveries", "/app/installations"])
def test_something_else_that_answers_becomes_a_line(github: GitHubServer, path: str, answer: dict[str, Any]) -> None:
    github.play({f"GET {path}": {"status": 200, **answer}})
    found = checked(github)
    assert "clock" in found and len(found) >= 2


def test_a_proxy_before_everything_is_said(github: GitHubServer) -> None:
    github.play({"GET /*": PROXY, "POST /*": PROXY})
    assert "proxy" in wrong(checked(github))["App"]
    assert "proxy" in wrong(with_token(github))["token"]


def test_no_network_is_one_line(github: GitHubServer) -> None:
    github.stop()
    found = checked(github)
    assert list(found) == ["GitHub"] and not found["GitHub"].ok
    assert "could not be reached" in found["GitHub"].message and github.url in found["GitHub"].message


def test_a_limit_says_how_long_it_lasts(github: GitHubServer) -> None:
    limited = {"status": 403, "headers": {"Retry-After": "90"}, "json": {"message": "secondary rate limit"}}
    github.play({"GET /app": limited})
    assert "90 s" in wrong(checked(github))["App"]


# A token


def scopes(names: str) -> dict[str, Any]:
    return {"status": 200, "json": {}, "headers": {"X-OAuth-Scopes": names}}


def test_a_token_that_works_has_nothing_said_against_it(github: GitHubServer) -> None:
    github.play(
        {"GET /rate_limit": {"status": 200, "json": {}, "headers": {"X-OAuth-Scopes": "public_repo, read:org"}}}
    )
    github.repository.collaborators["pilot-account"] = "admin"
    github.repository.hooks.append(HOOK)
    found = with_token(github)
    assert wrong(found) == {}
    assert list(found) == ["clock", "token", "scopes", f"repository {REPOSITORY}", f"webhook of {REPOSITORY}", "index"]
    assert "@pilot-account" in found["token"].message and "public_repo" in found["scopes"].message


def test_without_a_name_what_is_indexed_is_looked_at(github: GitHubServer) -> None:
    assert f"repository {REPOSITORY}" in with_token(github, None)


def test_a_token_without_the_scope_is_told_which_one(github: GitHubServer) -> None:
    github.play({"GET /rate_limit": scopes("read:org")})
    assert "public_repo" in wrong(with_token(github))["scopes"]


def test_a_webhook_that_is_missing_is_said_to_who_may_see_it(github: GitHubServer) -> None:
    assert "may not see" in with_token(github)[f"webhook of {REPOSITORY}"].message
    github.repository.collaborators["pilot-account"] = "admin"
    assert f"{REPOSITORY}/settings/hooks" in wrong(with_token(github))[f"webhook of {REPOSITORY}"]


def test_a_repository_that_the_token_does_not_see_is_said(github: GitHubServer) -> None:
    found = wrong(with_token(github, "example-org/secret"))
    assert "does not see it" in found["repository example-org/secret"] and "example-org/secret" in found["index"]


def test_a_token_that_is_not_accepted_is_said(github: GitHubServer) -> None:
    found = wrong(run(Credentials(github.url, token="ghp_wrong"), None))
    assert list(found) == ["token"] and "401" in found["token"] and "expired" in found["token"]


# What is found out without asking


def test_a_private_key_is_one_that_github_makes() -> None:
    pem = key_pair()[0]
    assert findings.key_finding(pem).ok and findings.key_finding(f"\n{pem}\n").ok
    for broken in ("", "x", pem[:400], key_pair()[1], pem.replace("\n", "\\n")):
        found = findings.key_finding(broken)
        assert not found.ok and "REPOPILOT_GITHUB_PRIVATE_KEY_FILE" in found.message
        assert not broken or broken[:40] not in found.message
    assert "\\n" in findings.key_finding(pem.replace("\n", "\\n")).message


@pytest.mark.parametrize(
    ("ahead_s", "ok"), [(0, True), (-300, True), (30, True), (70, False), (-700, False), (None, True)]
)
def test_a_clock_may_be_off_as_far_as_github_takes_our_signatures(ahead_s: float | None, ok: bool) -> None:
    found = findings.clock_finding(ahead_s)
    assert found.ok is ok and (ok or f"{abs(ahead_s or 0):.0f} s" in found.message)


def test_a_clock_is_compared_with_what_github_says(github: GitHubServer) -> None:
    seconds = asyncio.run(Client(Credentials(github.url)).clock_ahead_s())
    assert seconds is not None and abs(seconds) < 5


@pytest.mark.parametrize(
    ("hook", "words"),
    [
        (HookSeen(HOOK, "json", "********", "0"), ""),
        (HookSeen(HOOK, "form", "********", 0), ""),
        (HookSeen("https://pilot.example/", "json", "********"), "ending in /webhooks/github"),
        (HookSeen(None, "json", "********"), "missing"),
        (HookSeen(HOOK, "json", None), "no secret"),
        (HookSeen(HOOK, "json", "********", "1"), "certificate"),
        (HookSeen(HOOK, "xml", "********"), "application/json"),
    ],
)
def test_a_webhook_leads_to_us_safely(hook: HookSeen, words: str) -> None:
    found = findings.hook_finding(hook, "there")
    assert found.ok is not bool(words) and words in found.message


def delivery(minutes: float, status: int, event: str = "issues", said: str = "OK") -> DeliverySeen:
    return DeliverySeen(event, NOW - timedelta(minutes=minutes), status, said)


@pytest.mark.parametrize(
    ("deliveries", "ok", "words"),
    [
        ([], True, "not known"),
        ([delivery(3, 202)], True, "3 min ago"),
        ([delivery(3, 202), delivery(200, 500)], True, "3 h ago (500)"),
        ([delivery(3, 401)], False, "REPOPILOT_GITHUB_WEBHOOK_SECRET"),
        ([delivery(3, 404), delivery(4, 202)], False, "1 of the last 2 failed"),
        ([delivery(5_000, 0, said="timed out")], False, "timed out: is `repopilot serve` running"),
        ([delivery(3, 400)], False, "application/json"),
        ([delivery(3, 502)], False, "answered 502"),
    ],
)
def test_deliveries_tell_whether_we_are_reached(deliveries: list[DeliverySeen], ok: bool, words: str) -> None:
    found = findings.deliveries_finding(deliveries, NOW, "there")
    assert found.ok is ok and words in found.message
