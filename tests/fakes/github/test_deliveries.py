"""Deliveries as a webhook receives them, the list of them over the API, and hand-made payloads taken into the state."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs

import pytest
from githubkit.webhooks import parse

from fakes.github.adopting import adopt
from fakes.github.clients import as_app
from fakes.github.posts import DiscussionComment, Issue, IssueComment, Review, ReviewComment
from fakes.github.server import GitHubServer


@dataclass
class Receiver:
    url: str = ""
    status: int = 202
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def receiver(github: GitHubServer) -> Iterator[Receiver]:
    seen = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(seen.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    seen.url = f"http://127.0.0.1:{server.server_address[1]}/webhooks/github"
    github.world.app.hook_url = seen.url
    yield seen
    server.shutdown()
    server.server_close()


@pytest.fixture
def texts(github: GitHubServer) -> dict[str, Any]:
    """One text of each kind."""
    world = github.world
    pull = world.issue("A change", pull_request=True)
    discussion = world.discussion("How?")
    issue = world.issue("T")
    return {
        "issues": issue,
        "issue_comment": world.comment(issue, "@RepoPilot why? 🤔"),
        "pull_request_review": world.review(pull, "why"),
        "pull_request_review_comment": world.review_comment(pull, "why"),
        "discussion": discussion,
        "discussion_comment": world.discussion_comment(discussion, "why"),
        "pull_request": pull,
    }


def test_a_delivery_is_signed_over_its_bytes(github: GitHubServer, receiver: Receiver, texts: dict[str, Any]) -> None:
    made = github.deliver(texts["issue_comment"])
    headers, body = receiver.received[0]
    signed = hmac.new(b"repopilot-test-secret", body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == f"sha256={signed}"
    assert (headers["x-github-event"], headers["x-github-delivery"]) == ("issue_comment", made.guid)
    assert headers["x-github-hook-installation-target-id"] == "424242"
    assert headers["user-agent"].startswith("GitHub-Hookshot/") and (made.status, made.ok) == (202, True)


def test_a_form_holds_the_same(github: GitHubServer, receiver: Receiver, texts: dict[str, Any]) -> None:
    made = github.deliver(texts["issue_comment"], form=True)
    (headers, body) = receiver.received[0]
    assert headers["content-type"] == "application/x-www-form-urlencoded"
    assert json.loads(parse_qs(body.decode())["payload"][0]) == made.payload


@pytest.mark.parametrize(
    "event",
    [
        "issues",
        "issue_comment",
        "pull_request_review",
        "pull_request_review_comment",
        "discussion",
        "discussion_comment",
    ],
)
def test_payloads_name_what_the_state_holds(github: GitHubServer, texts: dict[str, Any], event: str) -> None:
    text = texts[event]
    name, payload = github.payloads.about(text)
    told = next(payload[key] for key in ("comment", "review", "issue", "discussion") if key in payload)
    assert name == event and (told["id"], told["node_id"], told["body"]) == (text.id, text.node_id, text.body)
    assert payload["repository"]["full_name"] == "example-org/engine" and payload["installation"]["id"] == 5550001


def test_payloads_have_the_form_that_a_library_reads(github: GitHubServer, texts: dict[str, Any]) -> None:
    for text in (texts["issue_comment"], texts["issues"]):
        event, payload = github.payloads.about(text)
        read: Any = parse(event, json.dumps(payload))
        assert read.repository.full_name == "example-org/engine"
    for event, payload in (
        github.payloads.ping(),
        github.payloads.push(github.repository),
        github.payloads.release(github.repository, "v1.0"),
        github.payloads.installation(github.installation),
    ):
        assert payload["sender"]["login"] == "alice-dev" if event != "ping" else payload["zen"]


def test_a_delivery_is_listed_and_sent_again(github: GitHubServer, receiver: Receiver, texts: dict[str, Any]) -> None:
    receiver.status = 500
    made = [github.deliver(texts["issue_comment"]) for _ in range(3)]
    apps = as_app(github).rest.apps
    page = apps.list_webhook_deliveries(per_page=2)
    assert [each.id for each in page.parsed_data] == [made[2].id, made[1].id]
    assert 'rel="next"' in page.headers["Link"] and page.parsed_data[0].status_code == 500
    cursor = page.headers["Link"].split("cursor=")[1].split(">")[0]
    assert [each.id for each in apps.list_webhook_deliveries(per_page=2, cursor=cursor).parsed_data] == [made[0].id]
    full = apps.get_webhook_delivery(made[0].id)
    assert full.json()["request"]["headers"]["X-GitHub-Delivery"] == made[0].guid
    receiver.status = 202
    assert apps.redeliver_webhook_delivery(made[0].id).status_code == 202
    assert github.wait_until(lambda fake: len(fake.deliveries.made) == 4, 5)
    again = github.deliveries.made[-1]
    assert (again.guid, again.body, again.redelivery, again.ok) == (made[0].guid, made[0].body, True, True)
    assert apps.get_webhook_config_for_app().parsed_data.url == receiver.url


def test_nobody_is_there(github: GitHubServer, texts: dict[str, Any]) -> None:
    made = github.deliver(texts["issue_comment"], url="http://127.0.0.1:9/hook")
    assert made.status == 0 and "failed to connect" in made.item["status"]


def test_what_was_sent_elsewhere_is_adopted(github: GitHubServer, texts: dict[str, Any]) -> None:
    kinds = {
        "issues": Issue,
        "issue_comment": IssueComment,
        "pull_request_review": Review,
        "pull_request_review_comment": ReviewComment,
        "discussion_comment": DiscussionComment,
    }
    with GitHubServer() as other:
        for name, kind in kinds.items():
            _, payload = github.payloads.about(texts[name])
            adopt(other.world, payload)
            adopt(other.world, payload)
            found = next(post for post in other.world.of(kind) if post.id == texts[name].id)
            assert (found.body, found.node_id) == (texts[name].body, texts[name].node_id)
        ids = [post.id for post in other.world.posts]
        assert len(ids) == len(set(ids))


def test_an_edit_and_the_end_of_a_comment_are_adopted(github: GitHubServer, texts: dict[str, Any]) -> None:
    comment = texts["issue_comment"]
    _, payload = github.payloads.about(comment, "edited", before="old")
    adopt(github.world, payload | {"comment": payload["comment"] | {"body": "new"}})
    assert comment.body == "new"
    adopt(github.world, payload | {"action": "deleted"})
    assert comment.deleted
