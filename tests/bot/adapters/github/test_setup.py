"""What the manifest asks for is what the code needs; a code becomes settings that nobody else can read."""

from __future__ import annotations

import asyncio
import html
import json
import re
import socket
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from dotenv import dotenv_values

from bot.adapters.github.client import Client, Credentials
from bot.adapters.github.deliveries import read
from bot.adapters.github.failures import GitHubError
from bot.adapters.github.manifest import EVENTS, PERMISSIONS, manifest, missing_permissions, registration_url, web_url
from bot.adapters.github.page import registration_page
from bot.adapters.github.receiver import receiving
from bot.adapters.github.setup import HANDLE, PRIVATE_KEY, exchanged, held, prepare, store
from bot.adapters.github.types import Text
from bot.settings import Settings
from fakes.github.posts import Post
from fakes.github.server import APP_ID, GitHubServer

NEEDED = {name: permission.level for name, permission in PERMISSIONS.items()}
# https://docs.github.com/webhooks/webhook-events-and-payloads: "to subscribe to this event, a GitHub App must have at
# least read-level access for the … repository permission"
NEEDED_FOR_EVENT = {
    "issues": "issues",
    "issue_comment": "issues",
    "pull_request": "pull_requests",
    "pull_request_review": "pull_requests",
    "pull_request_review_comment": "pull_requests",
    "discussion": "discussions",
    "discussion_comment": "discussions",
    "push": "contents",
    "release": "contents",
}
OTHER_EVENTS = (
    "branch_protection_rule check_run check_suite commit_comment create delete deployment fork gollum installation"
    " label member milestone ping public pull_request_review_thread pull_request_target repository star status"
    " team_add watch workflow_run"
).split()


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        yield server


def app_client(github: GitHubServer) -> Client:
    return Client(Credentials(github.url, str(APP_ID), github.private_key))


def stranger(github: GitHubServer) -> Client:
    return Client(Credentials(github.url))


def text_of(github: GitHubServer, post: Post) -> Text:
    found = read(*github.payloads.about(post))
    assert isinstance(found, Text)
    return found


def samples(github: GitHubServer) -> Mapping[str, Mapping[str, Any]]:
    """A payload of each event."""
    world, payloads = github.world, github.payloads
    issue, pull, discussion = world.issue("A"), world.issue("B", pull_request=True), world.discussion("C")
    comments = (
        world.comment(issue, "x"),
        world.review_comment(pull, "x"),
        world.discussion_comment(discussion, "x"),
    )
    found = [payloads.about(post) for post in (issue, pull, discussion, *comments)]
    found += [payloads.push(github.repository), payloads.release(github.repository, "v1")]
    by_event = dict(found)
    review = by_event["pull_request_review_comment"] | {"action": "submitted"}
    return by_event | {"pull_request_review": review | {"review": review["comment"]}}


def test_the_events_are_those_that_mean_something_to_us(github: GitHubServer) -> None:
    found = samples(github)
    assert found.keys() == EVENTS.keys()
    assert all(read(event, payload) is not None for event, payload in found.items())
    everything = {name: value for payload in found.values() for name, value in payload.items()}
    assert all(read(event, everything) is None for event in OTHER_EVENTS)


def test_the_permissions_suffice_for_the_events_and_for_nothing_that_is_not_needed() -> None:
    assert NEEDED_FOR_EVENT.keys() == EVENTS.keys()
    assert {"metadata", *NEEDED_FOR_EVENT.values()} == PERMISSIONS.keys()


async def all_calls(github: GitHubServer) -> None:
    """Everything that the client does to a text, at each kind of place."""
    world, client = github.world, app_client(github)
    issue, pull, discussion = world.issue("A"), world.issue("B", pull_request=True), world.discussion("C")
    for post in (
        world.comment(issue, "x"),
        world.comment(pull, "x"),
        world.review_comment(pull, "x"),
        world.discussion_comment(discussion, "x"),
    ):
        text = text_of(github, post)
        eyes = await client.react(text, "eyes")
        await client.thread(text)
        reply = await client.reply(text, "an answer <!-- marker -->")
        await client.edit(text, reply, "a better answer <!-- marker -->")
        assert await client.reply_with(text, "<!-- marker -->")
        await client.votes(text, reply)
        await client.may_write(text, "alice-dev")
        await client.fold(text, reply)
        assert eyes
        await client.unreact(text, eyes)


def test_the_permissions_are_enough_for_every_call(github: GitHubServer) -> None:
    github.installation.permissions = dict(NEEDED)
    asyncio.run(all_calls(github))
    assert len(github.replies) == 4


@pytest.mark.parametrize("name", [name for name, level in NEEDED.items() if level == "write"])
def test_each_permission_to_write_is_needed_by_some_call(github: GitHubServer, name: str) -> None:
    github.installation.permissions = NEEDED | {name: "read"}
    with pytest.raises(GitHubError) as refused:
        asyncio.run(all_calls(github))
    assert refused.value.kind == "forbidden"


def test_what_is_missing_is_named_with_its_level() -> None:
    assert missing_permissions(NEEDED) == []
    assert missing_permissions(dict.fromkeys(NEEDED, "admin")) == []
    assert missing_permissions(NEEDED | {"issues": "read", "contents": "none"}) == ["contents: read", "issues: write"]


@pytest.mark.parametrize(
    ("api", "web"),
    [
        ("https://api.github.com", "https://github.com"),
        ("https://api.acme.ghe.com", "https://acme.ghe.com"),
        ("https://github.acme.example/api/v3", "https://github.acme.example"),
        ("https://api.acme.example:8443/api/v3/", "https://api.acme.example:8443"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
    ],
)
def test_the_pages_of_a_server_follow_from_its_api(api: str, web: str) -> None:
    assert web_url(api) == web
    assert registration_url(api, None, "a b") == f"{web}/settings/apps/new?state=a+b"
    assert registration_url(api, "acme", "s") == f"{web}/organizations/acme/settings/apps/new?state=s"


def test_the_page_posts_the_manifest_and_says_why() -> None:
    made = manifest('Pilot "<b>', "https://pilot.example/base/", "https://pilot.example/back")
    page = registration_page(made, "https://github.com/settings/apps/new?state=s", waits=False)
    field = re.search(r'name="manifest" value="([^"]*)"', page)
    assert field and json.loads(html.unescape(field[1])) == made
    assert made["hook_attributes"] == {"url": "https://pilot.example/base/webhooks/github", "active": True}
    assert made["default_permissions"] == NEEDED and made["default_events"] == list(EVENTS)
    assert made["public"] is False and made["redirect_url"] == "https://pilot.example/back"
    assert '<form action="https://github.com/settings/apps/new?state=s" method="post">' in page
    assert "<b>" not in page
    assert all(html.escape(permission.reason) in page for permission in PERMISSIONS.values())
    assert all(html.escape(reason) in page for reason in EVENTS.values())


def registered(github: GitHubServer, **more: Any) -> str:
    """A code for which the loopback GitHub gives the App's secrets."""
    secrets = {"pem": github.private_key, "webhook_secret": "s3cret", "client_secret": "c"}
    github.world.manifests["a-code"] = secrets | more
    return "a-code"


def test_a_code_becomes_settings_once(github: GitHubServer, tmp_path: Path) -> None:
    code, file = registered(github), tmp_path / ".env"
    file.write_text("# mine\nREPOPILOT_HOME=/data\nREPOPILOT_GITHUB_HANDLE=other\n")
    file.chmod(0o644)
    assert held(file) == [HANDLE]
    prepare(file)
    found = asyncio.run(exchanged(stranger(github), code))
    store(file, found.settings)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert dotenv_values(file) == {
        "REPOPILOT_HOME": "/data",
        "REPOPILOT_GITHUB_HANDLE": "repopilot",
        "REPOPILOT_GITHUB_APP_ID": str(APP_ID),
        "REPOPILOT_GITHUB_PRIVATE_KEY": github.private_key,
        "REPOPILOT_GITHUB_WEBHOOK_SECRET": "s3cret",
    }
    assert file.read_text().startswith("# mine\n")
    assert file.read_text().count("\n") == 6, "a value has more than one line"
    assert set(held(file)) >= {PRIVATE_KEY, HANDLE}
    with pytest.raises(GitHubError) as again:
        asyncio.run(exchanged(stranger(github), code))
    assert again.value.kind == "gone"


def test_a_link_stays_a_link(github: GitHubServer, tmp_path: Path) -> None:
    file, link = tmp_path / "settings", tmp_path / ".env"
    link.symlink_to(file)
    prepare(link)
    store(link, {"REPOPILOT_GITHUB_APP_ID": "1"})
    assert link.is_symlink() and dotenv_values(file) == {"REPOPILOT_GITHUB_APP_ID": "1"}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("secrets", [{"pem": None}, {"webhook_secret": None}, {"id": "x"}])
def test_a_description_that_lacks_something_is_refused(github: GitHubServer, secrets: dict[str, Any]) -> None:
    with pytest.raises(GitHubError, match="App"):
        asyncio.run(exchanged(stranger(github), registered(github, **secrets)))


def test_the_code_in_an_address_cannot_leave_its_place(github: GitHubServer) -> None:
    with pytest.raises(GitHubError):
        asyncio.run(exchanged(stranger(github), "../app?x="))
    assert all(call.path.startswith("/app-manifests/") for call in github.calls)


def test_the_browser_comes_back_with_the_code() -> None:
    with receiving(0, "the state", lambda back: f"<a href='{back}'>") as receiver:
        assert httpx.get(receiver.url).text == f"<a href='{receiver.redirect_url}'>"
        for query in ({"code": "c"}, {"code": "c", "state": "another"}, {"state": "the state"}):
            assert httpx.get(receiver.redirect_url, params=query).status_code == 400
        assert httpx.get(f"{receiver.url}/elsewhere", params={"code": "c", "state": "the state"}).status_code == 400
        assert receiver.wait(0) is None
        done = httpx.get(receiver.redirect_url, params={"code": "the code", "state": "the state"})
        assert done.status_code == 200 and "the code" not in done.text
        assert receiver.wait(5) == "the code"
    with pytest.raises(httpx.TransportError):
        httpx.get(receiver.url)


def test_a_connection_that_says_nothing_holds_nobody_up() -> None:
    """Browsers open connections in advance."""
    with receiving(0, "s", lambda back: "page") as receiver:
        url = httpx.URL(receiver.url)
        with socket.create_connection((url.host, url.port or 0)):
            assert httpx.get(receiver.url, timeout=5).text == "page"


def test_the_document_for_operators_lists_the_same_and_every_setting() -> None:
    text = (Path(__file__).parents[4] / "docs" / "github.md").read_text()
    for name, permission in PERMISSIONS.items():
        assert f"| {name.replace('_', ' ')} | {permission.level} | {permission.reason} |" in text
    assert all(f"`{event}`" in text for event in EVENTS)
    assert all(f"`{name.upper()}`" in text for name in Settings.model_fields if name.startswith("github_"))
