"""Discussions over GraphQL, through githubkit and plainly where the errors matter."""

from __future__ import annotations

from typing import Any

import pytest

from fakes.github.clients import as_installation, plain
from fakes.github.graph_nodes import NODES_MAX
from fakes.github.posts import Discussion
from fakes.github.server import GitHubServer

THREAD = """
query($number: Int!, $cursor: String) {
  repository(owner: "example-org", name: "engine") {
    discussion(number: $number) {
      id databaseId title body url locked authorAssociation author { login __typename }
      labels(first: 5) { nodes { name } }
      comments(first: 2, after: $cursor) {
        nodes { body author { login } replies(first: 5) { nodes { body replyTo { id } } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}
"""
IN_ENGINE = '{ repository(owner: "example-org", name: "engine") { %s } }'
ADD = """
mutation($discussion: ID!, $body: String!, $replyTo: ID) {
  addDiscussionComment(input: {discussionId: $discussion, body: $body, replyToId: $replyTo}) { comment { id url } }
}
"""


@pytest.fixture
def discussion(github: GitHubServer) -> Discussion:
    return github.world.discussion("How do I shard?", "@RepoPilot what does it need?", number=4, labels=["howto"])


def errors(github: GitHubServer, query: str, **variables: Any) -> list[dict[str, Any]]:
    """The errors of a query, which come with status 200."""
    with plain(github) as http:
        response = http.post("/graphql", json={"query": query, "variables": variables})
    assert response.status_code == 200
    return list(response.json().get("errors", []))


def test_a_thread_is_read_page_by_page(github: GitHubServer, discussion: Discussion) -> None:
    tops = [github.world.discussion_comment(discussion, f"top {n}", "bob-dev") for n in range(3)]
    github.world.discussion_comment(discussion, "below", reply_to=tops[0])
    graphql = as_installation(github).graphql
    first: Any = graphql(THREAD, {"number": 4})["repository"]["discussion"]
    page = first["comments"]
    assert (
        first["author"] == {"login": "alice-dev", "__typename": "User"}
        and first["labels"]["nodes"][0]["name"] == "howto"
    )
    assert [node["body"] for node in page["nodes"]] == ["top 0", "top 1"]
    assert page["nodes"][0]["replies"]["nodes"] == [{"body": "below", "replyTo": {"id": tops[0].node_id}}]
    rest: Any = graphql(THREAD, {"number": 4, "cursor": page["pageInfo"]["endCursor"]})["repository"]["discussion"]
    assert [node["body"] for node in rest["comments"]["nodes"]] == ["top 2"]
    assert rest["comments"]["pageInfo"]["hasNextPage"] is False


def test_the_last_ones_are_read_backwards(github: GitHubServer, discussion: Discussion) -> None:
    for n in range(3):
        github.world.discussion_comment(discussion, f"top {n}")
    query = """query($id: ID!, $cursor: String) { node(id: $id) { ... on Discussion {
      comments(last: 2, before: $cursor) { nodes { body } pageInfo { hasPreviousPage startCursor } } } } }"""
    graphql = as_installation(github).graphql
    last: Any = graphql(query, {"id": discussion.node_id})["node"]["comments"]
    before: Any = graphql(query, {"id": discussion.node_id, "cursor": last["pageInfo"]["startCursor"]})["node"][
        "comments"
    ]
    assert [node["body"] for node in last["nodes"]] == ["top 1", "top 2"]
    assert [node["body"] for node in before["nodes"]] == ["top 0"] and not before["pageInfo"]["hasPreviousPage"]


def test_a_comment_is_made_in_the_thread_and_edited_hidden_and_deleted(
    github: GitHubServer, discussion: Discussion
) -> None:
    top = github.world.discussion_comment(discussion, "@RepoPilot why?")
    graphql = as_installation(github).graphql
    made: Any = graphql(ADD, {"discussion": discussion.node_id, "body": "16.", "replyTo": top.node_id})
    comment = made["addDiscussionComment"]["comment"]["id"]
    graphql(
        'mutation($id: ID!) { updateDiscussionComment(input: {commentId: $id, body: "8."}) { comment { body } } }',
        {"id": comment},
    )
    graphql(
        "mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) {"
        " minimizedComment { isMinimized minimizedReason } } }",
        {"id": comment},
    )
    graphql("mutation($id: ID!) { deleteDiscussionComment(input: {id: $id}) { comment { id } } }", {"id": comment})
    assert [change.deed for change in github.world.changes] == ["created", "edited", "minimized", "deleted"]
    assert github.replies[0].post.reply_to is top  # type: ignore[attr-defined]
    below = errors(github, ADD, discussion=discussion.node_id, body="x", replyTo=comment)
    assert below[0]["type"] == "NOT_FOUND"


def test_threads_are_one_deep(github: GitHubServer, discussion: Discussion) -> None:
    top = github.world.discussion_comment(discussion, "top")
    below = github.world.discussion_comment(discussion, "below", reply_to=top)
    told = errors(github, ADD, discussion=discussion.node_id, body="x", replyTo=below.node_id)
    assert "already in a thread" in told[0]["message"] and not github.replies


def test_reactions_of_a_discussion(github: GitHubServer, discussion: Discussion) -> None:
    graphql = as_installation(github).graphql
    eyes = "(input: {subjectId: $id, content: EYES}) { reaction { content } }"
    for _ in range(2):
        graphql(f"mutation($id: ID!) {{ addReaction{eyes} }}", {"id": discussion.node_id})
    assert [each.content for each in discussion.reactions] == ["eyes"]
    graphql(f"mutation($id: ID!) {{ removeReaction{eyes} }}", {"id": discussion.node_id})
    assert not discussion.reactions
    assert errors(github, f"mutation($id: ID!) {{ removeReaction{eyes} }}", id=discussion.node_id)


def test_a_review_thread_takes_a_reply(github: GitHubServer) -> None:
    pull = github.world.issue("A change", pull_request=True, number=23)
    github.world.review_comment(pull, "@RepoPilot why?")
    graphql = as_installation(github).graphql
    threads: Any = graphql("""{ repository(owner: "example-org", name: "engine") { pullRequest(number: 23) {
      reviewThreads(first: 5) { nodes { id comments(first: 5) { nodes { body diffHunk } } } } } } }""")
    thread = threads["repository"]["pullRequest"]["reviewThreads"]["nodes"][0]
    graphql(
        'mutation($id: ID!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: "So."})'
        " { comment { body } } }",
        {"id": thread["id"]},
    )
    assert thread["comments"]["nodes"][0]["body"] == "@RepoPilot why?" and github.replies[0].body == "So."


@pytest.mark.parametrize(
    ("query", "type_", "words"),
    [
        ('{ repository(owner: "no", name: "body") { id } }', "NOT_FOUND", "Could not resolve to a Repository"),
        (IN_ENGINE % "discussion(number: 99) { id }", "NOT_FOUND", "99"),
        ('{ node(id: "D_nothing") { id } }', "NOT_FOUND", "global id"),
        ("{ viewer { shoeSize } }", None, "shoeSize"),
        ("{ viewer {", None, "Syntax Error"),
        (
            IN_ENGINE % f"issues(first: {NODES_MAX + 1}) {{ totalCount }}",
            "EXCESSIVE_PAGINATION",
            "100",
        ),
        (
            IN_ENGINE % "issues { totalCount }",
            "MISSING_PAGINATION_BOUNDARIES",
            "first",
        ),
    ],
)
def test_errors_come_with_status_200(github: GitHubServer, query: str, type_: str | None, words: str) -> None:
    told = errors(github, query)
    assert told[0].get("type") == type_ and words in told[0]["message"]


@pytest.mark.parametrize(("locked", "allowed"), [(True, True), (False, False)])
def test_a_locked_discussion_and_a_missing_permission_are_forbidden(
    github: GitHubServer, discussion: Discussion, locked: bool, allowed: bool
) -> None:
    discussion.locked = locked
    if not allowed:
        github.installation.permissions["discussions"] = "read"
    told = errors(github, ADD, discussion=discussion.node_id, body="x")
    assert told[0]["type"] == "FORBIDDEN" and not github.replies


def test_a_review_can_be_reacted_to(github: GitHubServer) -> None:
    review = github.world.review(github.world.issue("A change", pull_request=True, number=23), "@RepoPilot why?")
    add = "mutation($id: ID!) { addReaction(input: {subjectId: $id, content: EYES}) { subject { id } } }"
    done: Any = as_installation(github).graphql(add, {"id": review.node_id})
    assert done["addReaction"]["subject"]["id"] == review.node_id and review.reactions[0].content == "eyes"


def test_a_bot_has_another_login_here_than_in_rest(github: GitHubServer, discussion: Discussion) -> None:
    github.world.discussion_comment(discussion, "own", "repopilot[bot]")
    told: Any = as_installation(github).graphql(THREAD, {"number": 4})
    assert told["repository"]["discussion"]["comments"]["nodes"][0]["author"]["login"] == "repopilot"
