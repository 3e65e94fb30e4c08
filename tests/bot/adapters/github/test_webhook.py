"""Deliveries as they come in, without HTTP."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import anyio
import pytest

from bot.adapters.github.webhook import LONGEST_TEXT
from fakes.github.server import GitHubServer
from fakes.github_desk import Desk


def receive(desk: Desk, event: str, body: bytes, **headers: str) -> tuple[int, Any]:
    """What a correctly signed delivery is answered; `headers` with underscores replace its own."""
    signature = hmac.digest(desk.github.world.app.hook_secret.encode(), body, "sha256").hex()
    own = {"content-type": "application/json", "x-github-event": event, "x-hub-signature-256": f"sha256={signature}"}
    return anyio.run(desk.webhook.receive, own | {n.replace("_", "-"): v for n, v in headers.items()}, body)


def mention(github: GitHubServer) -> dict[str, Any]:
    comment = github.world.comment(github.world.issue("a", "b"), "@RepoPilot why? 🤔 为什么")
    return dict(github.payloads.about(comment)[1])


def test_raw_bytes_are_what_is_signed(github: GitHubServer, desk: Desk) -> None:
    body = json.dumps(mention(github), ensure_ascii=False).encode()
    assert receive(desk, "issue_comment", body) == (202, {"status": "queued"})
    assert "为什么" in (desk.subject().words or "")


def test_a_form_is_read_as_well(github: GitHubServer, desk: Desk) -> None:
    body = urlencode({"payload": json.dumps(mention(github))}).encode()
    assert receive(desk, "issue_comment", body, content_type="application/x-www-form-urlencoded")[0] == 202
    assert len(desk.jobs.added) == 1


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b"null", b""])
def test_what_cannot_be_read_says_so(desk: Desk, body: bytes) -> None:
    status, said = receive(desk, "issue_comment", body)
    assert status == 400 and "application/json" in said["error"]["message"]


def test_a_wrong_signature_is_refused_before_anything_is_read(desk: Desk) -> None:
    for header in ("sha256=00", "", "sha256=é"):
        status, said = receive(desk, "issue_comment", b"{", x_hub_signature_256=header)
        assert (status, said["error"]["code"]) == (401, "wrong_signature")


def test_a_redelivery_is_the_same_job(github: GitHubServer, desk: Desk) -> None:
    body = json.dumps(mention(github)).encode()
    for _ in range(3):
        assert receive(desk, "issue_comment", body)[0] == 202
    assert len(set(desk.jobs.added)) == 1
    desk.do(desk.subject().key)
    assert receive(desk, "issue_comment", body) == (202, {"status": "nothing to do"})


def test_a_push_is_one_job_for_a_commit(github: GitHubServer, desk: Desk) -> None:
    event, payload = github.payloads.push(github.repository)
    for _ in range(2):
        assert receive(desk, event, json.dumps(payload).encode())[0] == 202
    assert {(kind, occasion) for kind, _, occasion in desk.jobs.added} == {("sync", payload["after"])}


def test_no_text_is_longer_than_github_allows(github: GitHubServer, desk: Desk) -> None:
    payload = mention(github)
    payload["issue"]["body"] = "x" * 1_000_000
    receive(desk, "issue_comment", json.dumps(payload).encode())
    assert len(desk.subject().asked["opening"]) == LONGEST_TEXT


def test_nothing_that_people_wrote_is_logged(
    github: GitHubServer, desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        receive(desk, "issue_comment", json.dumps(mention(github)).encode())
    assert "why?" not in caplog.text and '"queued": true' in caplog.text


def test_a_delivery_can_be_followed_to_its_reply(
    github: GitHubServer, desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        receive(desk, "issue_comment", json.dumps(mention(github)).encode(), x_github_delivery="d-1")
        event, payload = github.payloads.push(github.repository)
        receive(desk, event, json.dumps(payload).encode())
    comment, push = [json.loads(r.getMessage()) for r in caplog.records if r.name == "repopilot.github"]
    assert (comment["delivery"], comment["kind"]) == ("d-1", "issue_comment")
    assert comment["subject"] == desk.subject().key
    assert push["subject"] == f"sync:{payload['repository']['full_name']}@{payload['after']}"


def test_settings_decide(github: GitHubServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(deny=frozenset({"alice-dev"}))
    assert receive(desk, "issue_comment", json.dumps(mention(github)).encode()) == (202, {"status": "nothing to do"})
