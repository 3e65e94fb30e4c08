"""One event after another, each answered by a process that remembers nothing, against the loopback GitHub."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from bot.adapters.github.client import Client, Credentials
from bot.adapters.github.failures import GitHubError
from bot.adapters.github.once import answer_id, answer_once
from bot.adapters.github.policy import Policy
from bot.adapters.github.types import Place
from bot.ledger import Ledger, Subject
from bot.types import Answer, Citation, Index, Question
from fakes.github.people import Token
from fakes.github.posts import Post
from fakes.github.server import GitHubServer

INDEX = Index("example-org/engine", "main", "a" * 40, "2026-05-04T12:00:00+00:00", stale=False)
URL = f"https://github.com/example-org/engine/blob/{INDEX.commit}/engine/config.py#L9-L9"


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        yield server


class Workflow:
    """Runs of a workflow in a repository: a new token, ledger and process for each."""

    def __init__(self, github: GitHubServer, folder: Path) -> None:
        self.github = github
        self.folder = folder
        self.questions: list[Question] = []
        self.policy = Policy("RepoPilot")

    def run(self, event: str, payload: Any) -> Subject | None:
        token = self._token()
        github = self.github
        ledger = Ledger(f"sqlite:///{self.folder / uuid4().hex}")
        client = Client(Credentials(github.url, token=token.value))
        bare = {name: value for name, value in payload.items() if name != "installation"}  # as workflows get it
        try:
            return asyncio.run(answer_once(event, bare, client, self.policy, ledger, self._answer))
        finally:
            ledger.close()

    def about(self, post: Post, action: str = "", **how: Any) -> Subject | None:
        return self.run(*self.github.payloads.about(post, action, **how))

    def _token(self) -> Token:
        installation = self.github.installation
        return self.github.world.installation_token(installation, installation.permissions, [self.github.repository])

    async def _answer(self, question: Question) -> Answer:
        self.questions.append(question)
        cited = Citation(1, "engine/config.py", 9, 9, "CacheConfig", URL)
        return Answer(uuid4().hex, f"Answer {len(self.questions)} [1].", (cited,), False, None, None, INDEX, ())


@pytest.fixture
def workflow(github: GitHubServer, tmp_path: Path) -> Workflow:
    return Workflow(github, tmp_path)


def replies(github: GitHubServer) -> list[str]:
    """Our comments as they stand."""
    bot = github.world.app.bot
    return [post.body or "" for post in github.world.posts if post.author is bot and not post.deleted]


def test_a_mention_is_answered_once_however_often_the_workflow_runs(github: GitHubServer, workflow: Workflow) -> None:
    comment = github.world.comment(github.world.issue("A"), "@RepoPilot how large is a block?")
    done = workflow.about(comment)
    assert done and done.state == "settled" and done.reply and done.reply["url"].startswith("https://github.com/")
    assert workflow.about(comment)
    assert [text.startswith("Answer 2") for text in replies(github)] == [True]
    assert comment.reactions == []
    assert [change.body for change in github.world.done("reacted")] == ["eyes", "eyes"]


@pytest.mark.parametrize("kind", ["issue", "pull", "review", "discussion", "discussion comment", "issue text"])
def test_every_place_has_its_reply_edited_and_withdrawn(github: GitHubServer, workflow: Workflow, kind: str) -> None:
    world, asking = github.world, "@RepoPilot how large is a block?"
    post: Post
    match kind:
        case "issue":
            post = world.comment(world.issue("A"), asking)
        case "pull":
            post = world.comment(world.issue("A", pull_request=True), asking)
        case "review":
            post = world.review_comment(world.issue("A", pull_request=True), asking)
        case "discussion":
            post = world.discussion("A", asking)
        case "discussion comment":
            post = world.discussion_comment(world.discussion("A"), asking)
        case _:
            post = world.issue("A", asking)
    workflow.about(post)
    assert len(replies(github)) == 1
    world.edit(post, "@RepoPilot and how many are there?", post.author)
    workflow.about(post, "edited", before=asking)
    assert [text.startswith("Answer 2") for text in replies(github)] == [True]
    world.edit(post, "never mind", post.author)
    done = workflow.about(post, "edited", before="@RepoPilot and how many are there?")
    assert done and done.words is None
    assert len(replies(github)) == 1 and "The question that this answered is gone" in replies(github)[0]
    assert len(world.done("minimized")) == 1
    world.edit(post, asking, post.author)
    workflow.about(post, "edited", before="never mind")
    assert [text.startswith("Answer 3") for text in replies(github)] == [True]


def test_a_question_that_is_deleted_takes_its_reply_with_it(github: GitHubServer, workflow: Workflow) -> None:
    issue = github.world.issue("A")
    comment = github.world.comment(issue, "@RepoPilot how large is a block?")
    workflow.about(comment)
    payload = github.payloads.about(comment, "deleted")
    github.world.delete(comment, comment.author)
    done = workflow.run(*payload)
    assert done and done.words is None and "is gone" in replies(github)[0]


def test_what_asks_nothing_costs_no_request(github: GitHubServer, workflow: Workflow) -> None:
    issue = github.world.issue("A", "no mention")
    assert workflow.about(issue) is None
    assert workflow.about(github.world.comment(issue, "`@RepoPilot` is our bot")) is None
    assert workflow.about(github.world.comment(issue, "@RepoPilot hello there?", "other[bot]")) is None
    assert workflow.run(*github.payloads.push(github.repository)) is None
    assert workflow.run("schedule", {"schedule": "0 0 * * *"}) is None
    assert workflow.run("issue_comment", {"action": "created"}) is None
    assert github.calls == []


def test_the_policy_is_the_same(github: GitHubServer, workflow: Workflow) -> None:
    workflow.policy = Policy("RepoPilot", associations=frozenset({"member"}))
    issue = github.world.issue("A")
    assert workflow.about(github.world.comment(issue, "@RepoPilot why?", association="NONE")) is None
    assert workflow.about(github.world.comment(issue, "@RepoPilot why?", association="MEMBER"))
    assert len(replies(github)) == 1


def test_the_thread_is_context_though_the_token_has_no_user(github: GitHubServer, workflow: Workflow) -> None:
    issue = github.world.issue("The cache grows", "after each request")
    workflow.about(github.world.comment(issue, "@RepoPilot how large is a block?"))
    workflow.about(github.world.comment(issue, "@RepoPilot and can that be changed?"))
    turns = workflow.questions[1].history
    assert any("The cache grows" in turn.content for turn in turns)
    assert [turn.content for turn in turns if turn.role == "assistant"] == ["Answer 1 [1]."]
    assert github.called("GET", "/user") == []


def test_what_may_not_be_written_is_set_aside_with_its_reason(github: GitHubServer, workflow: Workflow) -> None:
    github.installation.permissions["issues"] = github.installation.permissions["pull_requests"] = "read"
    done = workflow.about(github.world.comment(github.world.issue("A"), "@RepoPilot why?"))
    assert done and done.state == "set_aside" and done.reason and "403" in done.reason


def test_a_lock_leaves_nothing_behind(github: GitHubServer, workflow: Workflow) -> None:
    issue = github.world.issue("A", locked=True)
    done = workflow.about(github.world.comment(issue, "@RepoPilot why?"))
    assert done and done.reply is None and replies(github) == []


def test_where_github_does_not_tell_whether_we_replied_nothing_is_posted(
    github: GitHubServer, workflow: Workflow
) -> None:
    issue = github.world.issue("A")
    github.play({f"GET /repos/example-org/engine/issues/{issue.number}/comments": {"status": 401}})
    with pytest.raises(GitHubError):
        workflow.about(github.world.comment(issue, "@RepoPilot why?"))
    assert replies(github) == []


def test_the_id_of_an_answer_follows_from_the_text() -> None:
    place = Place("Example-Org/engine", "issue", 7, 8)
    assert answer_id(place) == answer_id(Place("example-org/engine", "issue", 7, 8, "node", "parent"))
    assert answer_id(place) != answer_id(Place("example-org/engine", "issue", 7, 9))
    assert answer_id(place).isalnum()
