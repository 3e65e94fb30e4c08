"""What deliveries mean, in the shapes that GitHub documents."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.github.deliveries import read
from bot.adapters.github.types import Hunk, Place, Pushed, Taken, Text
from fakes.github.posts import Post
from fakes.github.server import GitHubServer


def payload(github: GitHubServer, post: Post, action: str = "", **how: Any) -> tuple[str, dict[str, Any]]:
    event, found = github.payloads.about(post, action, before=how.get("before"), label=how.get("label", ""))
    return event, dict(found)


def text(github: GitHubServer, post: Post, action: str = "", **how: Any) -> Text:
    found = read(*payload(github, post, action, **how))
    assert isinstance(found, Text)
    return found


def test_an_issue_and_a_comment_on_it(github: GitHubServer) -> None:
    issue = github.world.issue("KV cache", "It grows.", labels=["bug"])
    opening = text(github, issue)
    assert opening.place == Place("example-org/engine", "issue", issue.number, None, issue.node_id)
    assert (opening.title, opening.text, opening.opening, opening.labels, opening.alone) == (
        "KV cache",
        "It grows.",
        "",
        ("bug",),
        True,
    )
    comment = github.world.comment(issue, "Why?", author="bob-dev")
    found = text(github, comment)
    assert found.place == Place("example-org/engine", "issue", issue.number, comment.id, comment.node_id)
    assert (found.author, found.text, found.opening, found.opener) == ("bob-dev", "Why?", "It grows.", "alice-dev")
    assert found.installation == 5_550_001 and not found.by_machine and not found.edited


def test_a_pull_request_is_an_issue_with_code(github: GitHubServer) -> None:
    pull = github.world.issue("Shrink it", "See the diff.", pull_request=True)
    event, found = payload(github, pull)
    assert event == "pull_request" and isinstance(opening := read(event, found), Text)
    comment = text(github, github.world.comment(pull, "Why?"))
    assert opening.place.kind == comment.place.kind == "issue" and comment.place.number == pull.number


def test_a_comment_on_lines_knows_them(github: GitHubServer) -> None:
    pull = github.world.issue("Shrink it", "See the diff.", pull_request=True)
    diff = "@@ -1 +1 @@\n+size = 16"
    first = github.world.review_comment(pull, "Why?", path="engine/cache.py", line=7, diff_hunk=diff)
    found = text(github, first)
    assert found.place.kind == "review" and found.place.parent == str(first.id)
    assert found.hunk and (found.hunk.path, found.hunk.end_line, found.hunk.diff) == ("engine/cache.py", 7, diff)
    below = github.world.review_comment(pull, "And?", in_reply_to=first, path="engine/cache.py", diff_hunk=diff)
    assert text(github, below).place.parent == str(first.id)


def test_lines_that_the_pull_request_has_moved_on_from() -> None:
    found = read("pull_request_review_comment", REVIEW_COMMENT)
    assert isinstance(found, Text) and found.hunk == Hunk("a.py", 3, 5, "@@", "abc")


def test_the_summary_of_a_review() -> None:
    review = {"id": 3, "body": "@RepoPilot is this right?", "user": USER, "submitted_at": "2026-01-05T10:00:00Z"}
    found = read("pull_request_review", {**REVIEW_COMMENT, "action": "submitted", "review": review})
    assert isinstance(found, Text) and (found.place.kind, found.at) == ("summary", "2026-01-05T10:00:00Z")


def test_discussions(github: GitHubServer) -> None:
    discussion = github.world.discussion("How?", "Like so?")
    assert text(github, discussion).place == Place(
        "example-org/engine", "discussion", discussion.number, None, discussion.node_id, discussion.node_id
    )
    comment = github.world.discussion_comment(discussion, "Why?")
    assert text(github, comment).place.parent == discussion.node_id


def test_edits_that_change_no_words_mean_nothing(github: GitHubServer) -> None:
    comment = github.world.comment(github.world.issue("a", "b"), "Why?")
    assert text(github, comment, "edited", before="What?").edited
    assert read(*payload(github, comment, "edited", before="Why?")) is None


def test_what_is_deleted_is_taken_back(github: GitHubServer) -> None:
    comment = github.world.comment(github.world.issue("a", "b"), "Why?")
    found = read(*payload(github, comment, "deleted"))
    assert found == Taken(Place("example-org/engine", "issue", comment.issue.number, comment.id, comment.node_id))


def test_bots_are_machines_and_people_who_use_apps_are_not(github: GitHubServer) -> None:
    issue = github.world.issue("a", "b")
    assert text(github, github.world.comment(issue, "x", author="dependabot[bot]")).by_machine
    event, found = payload(github, github.world.comment(issue, "x"))
    app = {"id": 7, "slug": "some-client"}
    assert isinstance(
        by_app := read(event, {**found, "comment": {**found["comment"], "performed_via_github_app": app}}), Text
    )
    assert not by_app.by_machine


def test_a_label_put_on_by_a_bot(github: GitHubServer) -> None:
    event, found = payload(github, github.world.issue("a", "b"), "labeled", label="question")
    found["sender"] = {"login": "triage[bot]", "type": "Bot"}
    read_as = read(event, found)
    assert isinstance(read_as, Text) and read_as.label == "question" and not read_as.by_machine


def test_code_that_moves_on(github: GitHubServer) -> None:
    event, found = github.payloads.push(github.repository)
    pushed = read(event, found)
    assert isinstance(pushed, Pushed) and (pushed.repository, pushed.ref) == ("example-org/engine", None)
    assert read(event, {**found, "ref": "refs/heads/other"}) is None
    assert read(event, {**found, "ref": "refs/tags/main"}) is None
    assert read(event, {**found, "deleted": True}) is None
    released = read(*github.payloads.release(github.repository, "v1.2.0"))
    assert isinstance(released, Pushed) and (released.ref, released.commit) == ("v1.2.0", "v1.2.0")


@pytest.mark.parametrize("event", ["ping", "installation", "star", "", "workflow_run"])
def test_other_events_mean_nothing(event: str) -> None:
    assert read(event, {"action": "created"}) is None


def test_a_body_that_is_null(github: GitHubServer) -> None:
    assert text(github, github.world.issue("a", None)).text == ""


@given(st.data())
def test_a_payload_that_is_not_as_documented_never_raises(data: st.DataObject) -> None:
    """Any one value of it may be missing, or be something else."""
    event = data.draw(st.sampled_from(["issue_comment", "issues", "pull_request_review_comment", "discussion", "push"]))
    found: Any = copy.deepcopy(REVIEW_COMMENT)
    at = found
    while isinstance(at, dict) and at:
        name = data.draw(st.sampled_from(sorted(at)))
        if data.draw(st.booleans()) or not isinstance(at[name], dict):
            at[name] = data.draw(st.sampled_from([None, [], {}, "x", 7, True]))
            break
        at = at[name]
    read(event, found)


USER = {"login": "alice-dev", "type": "User"}
REVIEW_COMMENT: dict[str, Any] = {
    "action": "created",
    "comment": {
        "id": 9,
        "node_id": "PRRC_9",
        "user": USER,
        "body": "Why?",
        "path": "a.py",
        "line": None,
        "original_line": 5,
        "start_line": None,
        "original_start_line": 3,
        "diff_hunk": "@@",
        "commit_id": "abc",
        "created_at": "2026-01-05T10:00:00Z",
        "updated_at": "2026-01-05T10:00:00Z",
        "author_association": "NONE",
    },
    "issue": {"number": 4, "title": "t", "body": "b", "user": USER},
    "discussion": {"number": 4, "node_id": "D_4", "title": "t", "body": "b", "user": USER},
    "pull_request": {"number": 4, "title": "t", "body": "b", "user": USER},
    "repository": {"full_name": "acme/engine", "default_branch": "main", "html_url": "https://github.com/acme/engine"},
    "ref": "refs/heads/main",
    "after": "2" * 40,
    "sender": USER,
}
