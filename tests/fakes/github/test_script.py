"""Scripted failures: what the client sees, and what took effect."""

from __future__ import annotations

import time

import httpx
import pytest

from fakes.github.clients import plain
from fakes.github.moments import filled
from fakes.github.server import GitHubServer
from fakes.openai_script import ScriptError

WHERE = "/repos/example-org/engine/issues/17/comments"
POST = f"POST {WHERE}"


@pytest.fixture(autouse=True)
def issue(github: GitHubServer) -> None:
    github.world.issue("T", number=17)


def posted(github: GitHubServer, body: str = "x", timeout: float = 10) -> httpx.Response:
    with plain(github) as http:
        return http.post(WHERE, json={"body": body}, timeout=timeout)


def test_a_sequence_goes_on_with_its_last_step(github: GitHubServer) -> None:
    github.play(
        {POST: {"sequence": [{"status": 403, "headers": {"retry-after": "3"}, "json": {"message": "slow"}}, 502, "ok"]}}
    )
    said = [posted(github) for _ in range(4)]
    assert [each.status_code for each in said] == [403, 502, 201, 201]
    assert said[0].headers["Retry-After"] == "3" and said[0].json() == {"message": "slow"}
    assert len(github.replies) == 2 and [call.status for call in github.called("POST", WHERE)] == [403, 502, 201, 201]


def test_a_scripted_success_takes_effect_with_its_own_id(github: GitHubServer) -> None:
    github.play({POST: {"status": 201, "json": {"id": 400041}}})
    said = posted(github, "hello").json()
    assert (said["id"], said["node_id"], said["body"]) == (400041, "IC_400041", "hello")
    with plain(github) as http:
        assert http.get("/repos/example-org/engine/issues/comments/400041").json()["body"] == "hello"


def test_a_condition_looks_at_the_text(github: GitHubServer) -> None:
    too_long = {"if": "len(body) > 5", "status": 422, "json": {"message": "Validation Failed"}}
    github.play({POST: too_long | {"else": {"status": 201, "json": {"id": 1}}}})
    assert (posted(github, "too long").status_code, posted(github, "short").json()["id"]) == (422, 1)
    assert [change.body for change in github.replies] == ["short"]


@pytest.mark.parametrize(("behaviour", "made"), [("cut_before", 0), ("cut_after", 1), ("connection_reset", 0)])
def test_a_connection_is_cut_before_or_after_the_effect(github: GitHubServer, behaviour: str, made: int) -> None:
    github.play({POST: {"sequence": [behaviour]}})
    with pytest.raises(httpx.RemoteProtocolError):
        posted(github)
    assert len(github.replies) == made and github.calls[-1].status == 0


@pytest.mark.parametrize(("behaviour", "made"), [("timeout", 0), ("timeout_after", 1)])
def test_an_answer_never_comes(github: GitHubServer, behaviour: str, made: int) -> None:
    github.play({POST: behaviour})
    with pytest.raises(httpx.ReadTimeout):
        posted(github, timeout=0.2)
    assert len(github.replies) == made


def test_an_answer_comes_late(github: GitHubServer) -> None:
    github.play({POST: {"delay_s": 0.3}})
    started = time.monotonic()
    assert posted(github).status_code == 201 and time.monotonic() - started > 0.3


def test_a_mutation_is_scripted_by_its_name(github: GitHubServer) -> None:
    discussion = github.world.discussion("T", number=4)
    refused = {"json": {"errors": [{"type": "FORBIDDEN", "message": "no"}]}, "status": 200}
    answered = {"status": 200, "json": {"data": {"addDiscussionComment": {"comment": {"id": "DC_own"}}}}}
    github.play({"POST /graphql addDiscussionComment": {"sequence": [{"status": 502}, answered]}})
    add = 'mutation($id: ID!) { addDiscussionComment(input: {discussionId: $id, body: "x"}) { comment { id } } }'
    query = {"query": add, "variables": {"id": discussion.node_id}}
    with plain(github) as http:
        assert http.post("/graphql", json={"query": "{viewer{login}}"}).status_code == 200
        assert http.post("/graphql", json=query).status_code == 502
        assert http.post("/graphql", json=query).json()["data"]["addDiscussionComment"]["comment"]["id"] == "DC_own"
        github.play({"POST /graphql addDiscussionComment": refused})
        assert http.post("/graphql", json=query).json()["errors"][0]["type"] == "FORBIDDEN"
    assert len(github.replies) == 1
    assert github.replies[0].post.node_id == "DC_own"


def test_a_scripted_token_is_one(github: GitHubServer) -> None:
    from fakes.github.clients import as_app

    path = "/app/installations/5550001/access_tokens"
    github.play({f"POST {path}": {"status": 201, "json": {"token": "ghs_scripted", "expires_at": "{now+1h iso}"}}})
    made = as_app(github).rest.apps.create_installation_access_token(5550001).parsed_data
    with plain(github, github.world.tokens["ghs_scripted"]) as http:
        assert made.token == "ghs_scripted" and http.get("/repos/example-org/engine").status_code == 200


def test_the_server_comes_back_on_the_same_port(github: GitHubServer) -> None:
    url = github.url
    github.stop()
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)
    github.start()
    assert (github.url, posted(github).status_code) == (url, 201)


@pytest.mark.parametrize(
    "script",
    [{"POST": 1}, {POST: "sing"}, {POST: {"song": 1}}, {POST: {"if": "open('x')"}}, {POST: {"if": "len("}}],
)
def test_a_script_that_cannot_be_played_is_refused(github: GitHubServer, script: dict[str, object]) -> None:
    with pytest.raises(ScriptError):
        github.play(script)


def test_moments_are_written_out() -> None:
    told = {"a": "{now+5s epoch}", "b": ["{now-1h iso}", "{now}"], "c": 1, "d": "no {moment}"}
    assert filled(told, lambda: 1_000_000.0) == {
        "a": "1000005",
        "b": ["1970-01-12T12:46:40Z", "1000000"],
        "c": 1,
        "d": "no {moment}",
    }
