"""Issues, comments, review comments and reactions over REST; githubkit's models check the documents."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from githubkit.exception import RateLimitExceeded, RequestFailed

from fakes.github.clients import as_installation, plain
from fakes.github.posts import Issue
from fakes.github.server import GitHubServer

HOME = ("example-org", "engine")
API = "/repos/example-org/engine"


@pytest.fixture
def issue(github: GitHubServer) -> Issue:
    return github.world.issue("KV cache grows", "Memory grows.", number=17, labels=["bug"])


def test_an_issue_and_its_repository_are_told_in_full(github: GitHubServer, issue: Issue) -> None:
    rest = as_installation(github).rest
    told = rest.issues.get(*HOME, 17).parsed_data
    assert (told.title, told.labels[0].name) == ("KV cache grows", "bug")  # type: ignore[union-attr]
    assert rest.repos.get(*HOME).parsed_data.default_branch == "main"
    github.world.issue("A change", pull_request=True, number=23)
    assert rest.issues.get(*HOME, 23).parsed_data.pull_request


def test_a_comment_lives_and_dies(github: GitHubServer, issue: Issue) -> None:
    rest = as_installation(github).rest.issues
    made = rest.create_comment(*HOME, 17, body="first").parsed_data
    assert rest.get_comment(*HOME, made.id).parsed_data.user.login == "repopilot[bot]"  # type: ignore[union-attr]
    assert rest.update_comment(*HOME, made.id, body="second").parsed_data.body == "second"
    rest.delete_comment(*HOME, made.id)
    with pytest.raises(RequestFailed):
        rest.get_comment(*HOME, made.id)
    assert [change.deed for change in github.world.changes] == ["created", "edited", "deleted"]
    assert [change.body for change in github.replies] == ["first"]


def test_lists_have_pages_that_lead_on(github: GitHubServer, issue: Issue) -> None:
    for number in range(45):
        github.world.comment(issue, f"comment {number}")
    client = as_installation(github)
    bodies = [
        each.body
        for each in client.paginate(
            client.rest.issues.list_comments, owner=HOME[0], repo=HOME[1], issue_number=17, per_page=20
        )
    ]
    assert bodies == [f"comment {number}" for number in range(45)]
    with plain(github) as http:
        first = http.get(f"{API}/issues/17/comments")
        last = http.get(first.links["last"]["url"])
    assert len(first.json()) == 30 and len(last.json()) == 15
    assert "next" not in last.links and last.links["prev"]["url"].endswith("page=1")


def test_since_leaves_out_what_is_older(github: GitHubServer, issue: Issue) -> None:
    github.world.comment(issue, "old").updated_at -= 7_200
    github.world.comment(issue, "new")
    since = (datetime.now(UTC) - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    with plain(github) as http:
        told = http.get(f"{API}/issues/17/comments", params={"since": since}).json()
    assert [each["body"] for each in told] == ["new"]


@pytest.mark.parametrize(
    ("state", "status", "words"),
    [
        ({"locked": True}, 403, "Unable to create comment because issue is locked."),
        ({"deleted": True}, 410, "This issue was deleted"),
    ],
)
def test_where_nobody_may_write(
    github: GitHubServer, issue: Issue, state: dict[str, bool], status: int, words: str
) -> None:
    for name, value in state.items():
        setattr(issue, name, value)
    with plain(github) as http:
        refused = http.post(f"{API}/issues/17/comments", json={"body": "x"})
    assert (refused.status_code, refused.json()["message"]) == (status, words)


def test_a_comment_has_a_length_and_a_text(github: GitHubServer, issue: Issue) -> None:
    with plain(github) as http:
        longest = http.post(f"{API}/issues/17/comments", json={"body": "x" * 65_536})
        longer = http.post(f"{API}/issues/17/comments", json={"body": "x" * 65_537})
        empty = http.post(f"{API}/issues/17/comments", json={"body": " "})
        broken = http.post(f"{API}/issues/17/comments", content=b"{")
    assert (longest.status_code, empty.status_code, broken.status_code) == (201, 422, 400)
    assert longer.json()["errors"][0]["message"] == "Body is too long (maximum is 65536 characters)"


def test_a_thread_of_review_comments(github: GitHubServer) -> None:
    pull = github.world.issue("A change", pull_request=True, number=23)
    first = github.world.review_comment(pull, "@RepoPilot why 16?", line=12)
    rest = as_installation(github).rest.pulls
    reply = rest.create_reply_for_review_comment(*HOME, 23, first.id, body="Because.").parsed_data
    assert (reply.in_reply_to_id, reply.path) == (first.id, first.path)
    assert [each.body for each in rest.list_review_comments(*HOME, 23).parsed_data] == [
        "@RepoPilot why 16?",
        "Because.",
    ]
    with pytest.raises(RequestFailed) as refused:
        rest.create_reply_for_review_comment(*HOME, 23, reply.id, body="A reply to a reply.")
    assert refused.value.response.status_code == 422
    rest.update_review_comment(*HOME, reply.id, body="Because of it.")
    rest.delete_review_comment(*HOME, reply.id)
    assert [change.deed for change in github.world.changes] == ["created", "edited", "deleted"]


def test_reactions_come_once_and_go(github: GitHubServer, issue: Issue) -> None:
    comment = github.world.comment(issue, "@RepoPilot why?")
    rest = as_installation(github).rest.reactions
    eyes = rest.create_for_issue_comment(*HOME, comment.id, content="eyes")
    again = rest.create_for_issue_comment(*HOME, comment.id, content="eyes")
    assert (eyes.status_code, again.status_code) == (201, 200)
    assert again.parsed_data.id == eyes.parsed_data.id
    github.world.react(comment, "+1", github.world.user("alice-dev"))
    assert len(rest.list_for_issue_comment(*HOME, comment.id).parsed_data) == 2
    assert len(rest.list_for_issue_comment(*HOME, comment.id, content="+1").parsed_data) == 1
    rest.delete_for_issue_comment(*HOME, comment.id, eyes.parsed_data.id)
    assert [each.content for each in comment.reactions] == ["+1"]
    other = comment.reactions[0].id
    with pytest.raises(RequestFailed):
        rest.delete_for_issue_comment(*HOME, comment.id, other)
    assert rest.create_for_issue(*HOME, 17, content="rocket").status_code == 201


def test_who_may_what(github: GitHubServer) -> None:
    github.repository.collaborators["maintainer"] = "admin"
    github.repository.hooks.append("https://bot.example/webhooks/github")
    github.world.user("maintainer")
    rest = as_installation(github).rest.repos
    assert rest.get_collaborator_permission_level(*HOME, "maintainer").parsed_data.permission == "admin"
    assert rest.get_collaborator_permission_level(*HOME, "alice-dev").parsed_data.permission == "read"
    with pytest.raises(RequestFailed):
        rest.list_webhooks(*HOME)
    with plain(github, github.world.personal_token("maintainer", github.repository)) as http:
        assert http.get(f"{API}/hooks").json()[0]["config"]["url"] == "https://bot.example/webhooks/github"


def test_every_answer_tells_the_limits(github: GitHubServer, issue: Issue) -> None:
    with plain(github) as http:
        before, after = (http.get(f"{API}/issues/17").headers for _ in range(2))
        assert int(before["X-RateLimit-Remaining"]) - int(after["X-RateLimit-Remaining"]) == 1
        assert before["X-GitHub-Request-Id"] != after["X-GitHub-Request-Id"]
        assert http.get("/rate_limit").json()["resources"]["core"]["remaining"] == int(after["X-RateLimit-Remaining"])


def test_the_primary_limit_is_told_by_its_headers(github: GitHubServer, issue: Issue) -> None:
    rest = as_installation(github).rest.issues
    rest.get(*HOME, 17)
    github.limits.exhaust(30)
    with plain(github) as http:
        refused = http.get(f"{API}/issues/17")
        graph = http.post("/graphql", json={"query": "{viewer{login}}"})
    assert (refused.status_code, refused.headers["X-RateLimit-Remaining"]) == (403, "0")
    assert (graph.status_code, graph.json()["errors"][0]["type"]) == (200, "RATE_LIMITED")
    assert github.limits.ignored == 2
    with pytest.raises(RateLimitExceeded):
        rest.get(*HOME, 17)


@pytest.mark.parametrize(("told", "header"), [(True, "1"), (False, None)])
def test_the_secondary_limit_holds_for_a_while(
    github: GitHubServer, issue: Issue, told: bool, header: str | None
) -> None:
    github.limits.slow_down(0.3, status=429, retry_after=told)
    with plain(github) as http:
        refused = http.get(f"{API}/issues/17")
        assert (refused.status_code, refused.headers.get("Retry-After")) == (429, header)
        assert github.wait_until(lambda _: http.get(f"{API}/issues/17").status_code == 200, 2)


def test_content_has_a_limit_of_its_own(github: GitHubServer, issue: Issue) -> None:
    github.limits.creating_per_minute = 2
    with plain(github) as http:
        made = [http.post(f"{API}/issues/17/comments", json={"body": "x"}) for _ in range(3)]
        assert http.get(f"{API}/issues/17").status_code == 200
    assert [each.status_code for each in made] == [201, 201, 403] and int(made[2].headers["Retry-After"]) <= 60


def test_an_enterprise_server_has_its_api_below_a_path(github: GitHubServer, issue: Issue) -> None:
    client = as_installation(github, github.enterprise_url)
    assert client.rest.issues.get(*HOME, 17).parsed_data.number == 17
    answer: Any = client.graphql("{viewer{login}}")
    assert answer["viewer"]["login"] == "repopilot[bot]"
