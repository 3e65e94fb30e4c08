"""How a case's deliveries are sent, and where section B's texts stand."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import pytest

from cases.builders import body_bytes
from cases.github_bench import settings
from cases.github_requests import SIGNATURE, header, payload_of, steps
from cases.mention_deliveries import deliveries
from cases.program import CannotRunError
from fakes.github.server import GitHubServer

REQUEST: dict[str, Any] = {"method": "POST", "path": "/webhooks/github", "headers": {}, "payload": {"a": {"b": "c"}}}


def test_a_change_is_signed_again_where_the_case_says_so() -> None:
    given = {"requests": [REQUEST], "mutate": {"payload.a.b": "x" * 9, "resign": True}}
    (step,) = steps(given, "secret")
    body = body_bytes(step.requests[0]) or b""
    signed = hmac.new(b"secret", body, hashlib.sha256).hexdigest()
    assert json.loads(body) == {"a": {"b": "x" * 9}} and header(step.requests[0], SIGNATURE) == f"sha256={signed}"
    (plain,) = steps({"requests": [REQUEST]}, "secret")
    assert not header(plain.requests[0], SIGNATURE)


def test_what_leaves_together_and_what_comes_later() -> None:
    requests = [
        REQUEST | {"concurrent": 3},
        {"action": "kill", "delay_s": 1},
        REQUEST | {"repeat": 2, "delay_s": 2},
        REQUEST | {"concurrent": True},
        REQUEST | {"concurrent": True},
    ]
    made = [(len(step.requests), step.delay_s, step.action) for step in steps({"requests": requests}, "s")]
    assert made == [(3, 0, ""), (0, 1, "kill"), (1, 2, ""), (1, 2, ""), (2, 0, "")]
    (all_at_once,) = steps({"requests": [REQUEST, REQUEST], "concurrent": 2}, "s")
    assert len(all_at_once.requests) == 4


@pytest.mark.parametrize("request_", [REQUEST | {"tune": 1}, {"action": "sing"}])
def test_what_would_be_passed_over_cannot_run(request_: dict[str, Any]) -> None:
    with pytest.raises(CannotRunError, match=r"tune|sing"):
        steps({"requests": [request_]}, "s")


def test_a_form_tells_what_json_tells() -> None:
    assert payload_of({"body_text": "payload=%7B%22a%22%3A+1%7D"}) == {"a": 1} == payload_of({"payload": {"a": 1}})
    assert payload_of({"body_text": "{"}) is None and payload_of({"action": "kill"}) is None


def test_a_case_s_config_is_the_program_s_settings() -> None:
    github = GitHubServer()
    chosen = settings({"webhook_secret": None, "per_user_per_minute": 5, "allow": ["a", "b"]}, github)
    github.stop()
    assert "REPOPILOT_GITHUB_WEBHOOK_SECRET" not in chosen and chosen["REPOPILOT_PER_USER_PER_MINUTE"] == "5"
    assert chosen["REPOPILOT_GITHUB_ALLOW"] == "a,b" and chosen["REPOPILOT_GITHUB_APP_ID"] == "424242"


@pytest.mark.parametrize(
    ("surface", "event", "holder"),
    [
        ("issue_opened", "issues", "issue"),
        ("pull_request_opened", "pull_request", "pull_request"),
        ("issue_comment", "issue_comment", "comment"),
        ("pull_request_comment", "issue_comment", "comment"),
        ("review_comment", "pull_request_review_comment", "comment"),
        ("pull_request_review", "pull_request_review", "review"),
        ("discussion_created", "discussion", "discussion"),
        ("discussion_comment", "discussion_comment", "comment"),
    ],
)
def test_a_text_stands_where_the_case_says(surface: str, event: str, holder: str) -> None:
    github = GitHubServer()
    ((name, payload),) = deliveries({"surface": f"github.{surface}", "text": "@RepoPilot why?"}, github)
    github.stop()
    assert (name, payload[holder]["body"]) == (event, "@RepoPilot why?")


def test_an_edit_comes_after_what_it_edits() -> None:
    github = GitHubServer()
    given = {"surface": "github.issue_comment_edited", "text": "new", "previous": "old", "issue": {"title": "T"}}
    sent = [(p["action"], p["comment"]["body"], p.get("changes")) for _, p in deliveries(given, github)]
    github.stop()
    assert sent == [("created", "old", None), ("edited", "new", {"body": {"from": "old"}})]


def test_an_unknown_surface_cannot_run() -> None:
    github = GitHubServer()
    with pytest.raises(CannotRunError, match="sky"):
        list(deliveries({"surface": "github.sky", "text": "x"}, github))
    with pytest.raises(CannotRunError, match="tune"):
        list(deliveries({"surface": "github.issue_comment", "text": "x", "tune": 1}, github))
    github.stop()
