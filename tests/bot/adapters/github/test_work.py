"""The life of a reply, at a loopback GitHub."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.insisting import ANSWER_WAITS_S
from bot.model import Busy
from fakes.answers import answer
from fakes.faults import Answer as Scripted
from fakes.github.calls import Call
from fakes.github.posts import Post
from fakes.github.script import Faults
from fakes.github.server import GitHubServer
from fakes.github_desk import Desk
from fakes.steps import RememberedSteps
from indexer.errors import IndexMissing, StorageError

ASK = "@RepoPilot what is the default block size?"
COMMENTS = "POST /repos/example-org/engine/issues/*/comments"
LIMITED = {"message": "You have exceeded a secondary rate limit."}

Write = Callable[[GitHubServer], Post]


def issue_comment(github: GitHubServer, text: str = ASK) -> Post:
    return github.world.comment(github.world.issue("KV cache", "It keeps growing."), text)


def review_comment(github: GitHubServer) -> Post:
    pull = github.world.issue("Shrink the cache", "See the diff.", pull_request=True)
    return github.world.review_comment(pull, ASK, path="engine/cache.py", line=7, diff_hunk="@@ -1 +1 @@\n+size = 16")


def discussion_comment(github: GitHubServer) -> Post:
    return github.world.discussion_comment(github.world.discussion("How do I shard?", "Like so?"), ASK)


SURFACES: dict[str, Write] = {
    "an issue": lambda github: github.world.issue("KV cache", ASK),
    "a comment on an issue": issue_comment,
    "a pull request": lambda github: github.world.issue("Shrink it", ASK, pull_request=True),
    "a comment on lines": review_comment,
    "a discussion": lambda github: github.world.discussion("How do I shard?", ASK),
    "a comment on a discussion": discussion_comment,
}


def reacted(post: Post) -> list[str]:
    return [reaction.content for reaction in post.reactions]


@pytest.mark.parametrize("write", SURFACES.values(), ids=SURFACES)
def test_a_mention_gets_one_reply_and_no_eyes_are_left(github: GitHubServer, desk: Desk, write: Write) -> None:
    post = write(github)
    desk.ask(post)
    (reply,) = github.replies
    assert "Blocks hold 16 tokens" in reply.body and "<!-- repopilot:answer id=answer1 -->" in reply.body
    assert reacted(post) == []
    found = desk.subject()
    assert (found.state, found.answer_id) == ("settled", "answer1")
    (question,) = desk.asked
    assert question.repository == "example-org/engine" and "default block size" in question.text


@pytest.mark.parametrize("write", SURFACES.values(), ids=SURFACES)
def test_edited_withdrawn_and_asked_again_it_stays_one_reply(github: GitHubServer, desk: Desk, write: Write) -> None:
    post = write(github)
    desk.ask(post)
    for text, shown in (("@RepoPilot and on ROCm?", "32 tokens"), ("Never mind.", "is gone"), (ASK, "64 tokens")):
        before, desk.says = post.body, [f"Blocks hold {shown} [1]."]
        github.world.edit(post, text, post.author)
        desk.ask(post, "edited", before=before)
        assert len(github.replies) == 1 and shown in github.edits[-1].body
    assert github.replies[0].post.minimized is None
    assert len(desk.asked) == 3


@pytest.mark.parametrize("write", SURFACES.values(), ids=SURFACES)
def test_crashed_at_any_step_there_is_one_reply(github: GitHubServer, desk: Desk, write: Write) -> None:
    """The crash comes when a step has had its effect and before that is known."""
    steps = desk.ask(write(github))
    assert len(steps.names) >= 7
    for crash_at in range(1, len(steps.names) + 1):
        known = len(github.replies)
        post = write(github)
        ((_, key, _),) = desk.deliver(post)
        crashing = RememberedSteps()
        crashing.crash_at = crash_at
        desk.do(key, crashing)
        assert crashing.crash_at is None
        assert len(github.replies) == known + 1, crashing.names[crash_at - 1]
        assert reacted(post) == []


def test_a_newer_revision_is_answered_instead(github: GitHubServer, desk: Desk) -> None:
    post = issue_comment(github)
    ((_, key, first),) = desk.deliver(post)
    github.world.edit(post, "@RepoPilot and on ROCm?", post.author)
    ((_, _, second),) = desk.deliver(post, "edited", before=ASK)
    assert (first, second) == ("1", "2")
    desk.do(key)
    assert [question.text for question in desk.asked] == ["and on ROCm?"]
    assert desk.do(key).names == ["sleep", "read"]  # the second job finds nothing to do
    assert len(github.replies) == 1


def test_edited_while_it_is_answered(github: GitHubServer, desk: Desk) -> None:
    post = issue_comment(github)
    ((_, key, _),) = desk.deliver(post)
    steps = RememberedSteps()
    steps.crash_at = 4  # the answer is ready, and not kept
    github.faults.play({COMMENTS: None})

    original = desk._answer

    async def edited_meanwhile(question: object) -> object:
        if not desk.asked:
            made = await original(question)  # type: ignore[arg-type]
            github.world.edit(post, "@RepoPilot and on ROCm?", post.author)
            desk.ledger.note(key, "example-org/engine", "alice-dev", "2999", "later", desk.subject().asked)
            return made
        return await original(question)  # type: ignore[arg-type]

    desk._answer = edited_meanwhile  # type: ignore[method-assign, assignment]
    desk.do(key)
    assert github.replies == []  # what was asked then is not asked any more
    desk.do(key)
    assert len(github.replies) == 1


def test_deleted_before_it_is_answered(github: GitHubServer, desk: Desk) -> None:
    post = issue_comment(github)
    ((_, key, _),) = desk.deliver(post)
    desk.deliver(post, "deleted")
    desk.do(key)
    assert github.replies == [] and desk.asked == [] and desk.subject().state == "settled"


@pytest.mark.parametrize(
    ("answers", "waits"),
    [
        ([Scripted(502, json={"message": "Bad Gateway"})] * 2, [2, 4]),
        ([Scripted(cut="before")], [2]),
        ([Scripted(cut="after")], [2]),
        ([Scripted(403, {"retry-after": "3"}, LIMITED)], [3]),
        ([Scripted(429, {"retry-after": "7"}, LIMITED)], [7]),
        ([Scripted(401, json={"message": "Bad credentials"})], [0]),
    ],
    ids=["5xx", "cut before", "cut after", "limited", "limited with 429", "expired"],
)
def test_what_passes_is_tried_again(
    github: GitHubServer, desk: Desk, answers: list[Scripted], waits: list[float]
) -> None:
    github.faults = _Sequence(answers)
    steps = desk.ask(issue_comment(github))
    assert steps.waits == pytest.approx([wait for wait in waits if wait], abs=1)
    assert len(github.replies) == 1 and desk.subject().state == "settled"
    assert len(desk.asked) == 1


def test_a_secondary_limit_that_does_not_say_how_long_is_a_minute(github: GitHubServer, desk: Desk) -> None:
    github.faults = _Sequence([Scripted(403, json=LIMITED)])
    steps = desk.ask(issue_comment(github))
    assert steps.waits[0] == 60


@pytest.mark.parametrize(
    ("status", "message"),
    [(404, "Not Found"), (410, "This issue was deleted"), (403, "Unable to create comment because issue is locked.")],
)
def test_what_is_gone_or_locked_is_left_alone(github: GitHubServer, desk: Desk, status: int, message: str) -> None:
    github.faults = _Sequence([Scripted(status, json={"message": message})] * 9)
    desk.ask(issue_comment(github))
    assert desk.subject().state == "settled" and github.replies == []
    assert len([call for call in github.calls if call.method == "POST" and call.path.endswith("/comments")]) == 1


@pytest.mark.parametrize(
    ("status", "message"),
    [(403, "Resource not accessible by integration"), (422, "Validation Failed"), (401, "Bad credentials")],
)
def test_what_a_person_must_mend_is_set_aside(github: GitHubServer, desk: Desk, status: int, message: str) -> None:
    post = issue_comment(github)
    github.faults = _Sequence([Scripted(status, json={"message": message})] * 20)
    desk.ask(post)
    found = desk.subject()
    assert found.state == "set_aside" and found.reason and message in found.reason
    assert reacted(post) == []
    github.faults.clear()
    desk.ledger.reopen(found.key)
    desk.do(found.key)
    assert len(github.replies) == 1


def test_an_outage_is_waited_for_and_then_set_aside(github: GitHubServer, desk: Desk) -> None:
    github.faults = _Sequence([Scripted(503, json={"message": "Unavailable"})] * 99)
    steps = desk.ask(issue_comment(github))
    assert steps.waits == [2, 4, 8, 16, 32, 64, 128, 256]
    assert desk.subject().state == "set_aside"


def test_a_busy_model_and_a_broken_index_are_waited_for(github: GitHubServer, desk: Desk) -> None:
    desk.says = [Busy(5), Busy(5), StorageError("the disk is full"), "Blocks hold 16 tokens [1]."]
    assert desk.ask(issue_comment(github)).waits == [5, 5, ANSWER_WAITS_S[2]]
    assert len(github.replies) == 1


def test_no_index_is_for_a_person_to_mend(github: GitHubServer, desk: Desk) -> None:
    desk.says = [IndexMissing("There is no index of example-org/engine.")]
    assert desk.ask(issue_comment(github)).waits == []
    assert desk.subject().reason == "There is no index of example-org/engine."


def test_thanks_get_a_heart(github: GitHubServer, desk: Desk) -> None:
    post = issue_comment(github, "@RepoPilot thanks a lot!")
    desk.ask(post)
    assert reacted(post) == ["heart"] and github.replies == [] and desk.asked == []


def test_our_own_texts_are_not_answered(github: GitHubServer, desk: Desk) -> None:
    """With a token we are an ordinary user."""
    token = github.world.personal_token("pilot-account", github.repository)
    desk.credentials = type(desk.credentials)(github.url, token=token.value)
    post = github.world.comment(github.world.issue("a", "b"), ASK, author="pilot-account")
    desk.ask(post)
    assert github.replies == [] and desk.asked == []


def test_who_asks_too_fast_is_told_once(github: GitHubServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(per_user_per_minute=2)
    for number in range(5):
        desk.ask(issue_comment(github, f"@RepoPilot question {number}?"))
    assert len(desk.asked) == 2 and len(github.replies) == 3
    assert "More than 2 questions within a minute" in github.replies[-1].body


def test_a_new_issue_with_the_label_is_answered_unasked(github: GitHubServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(label="question")
    issue = github.world.issue("How large is a block?", "I could not find it.", labels=["question"])
    desk.ask(issue)
    assert len(github.replies) == 1 and desk.asked[0].text == "How large is a block?\n\nI could not find it."
    assert desk.deliver(github.world.comment(issue, "Me neither.", author="bob-dev")) == []


def test_the_thread_is_the_conversation(github: GitHubServer, desk: Desk) -> None:
    issue = github.world.issue("KV cache grows", "Memory keeps growing.\n\nEngine version: 0.9.1")
    desk.ask(github.world.comment(issue, ASK))
    github.world.comment(issue, "I see the same.", author="bob-dev")
    desk.ask(github.world.comment(issue, "@RepoPilot and for ROCm?", author="bob-dev"))
    question = desk.asked[-1]
    assert question.text == "and for ROCm?"
    assert [(turn.role, turn.author) for turn in question.history] == [
        ("user", "alice-dev"),
        ("user", "alice-dev"),
        ("assistant", None),
        ("user", "bob-dev"),
    ]
    assert "Memory keeps growing" in question.history[0].content
    assert question.history[2].content == "Blocks hold 16 tokens [1]."


def test_a_thread_that_cannot_be_read_is_as_the_delivery_told(github: GitHubServer, desk: Desk) -> None:
    github.play({"POST /graphql": {"status": 502, "json": {"message": "Bad Gateway"}}})
    desk.ask(issue_comment(github))
    assert len(github.replies) == 1
    assert "It keeps growing." in desk.asked[0].history[0].content


def test_an_answer_that_is_too_long_is_shortened_to_fit(github: GitHubServer, desk: Desk) -> None:
    desk.says = [answer("word " * 20_000 + "[1].", 1)]
    desk.ask(issue_comment(github))
    (reply,) = github.replies
    assert len(reply.body) <= 65_536 and "Shortened" in reply.body


def test_a_reply_that_somebody_deleted_stays_deleted(github: GitHubServer, desk: Desk) -> None:
    post = issue_comment(github)
    desk.ask(post)
    github.world.delete(github.replies[0].post, github.world.user("maintainer"))
    github.world.edit(post, "@RepoPilot and on ROCm?", post.author)
    desk.ask(post, "edited", before=ASK)
    assert len(github.replies) == 1 and desk.subject().state == "settled"


def test_a_token_that_runs_out_in_the_middle_is_renewed(github: GitHubServer, desk: Desk) -> None:
    original = desk._answer

    async def slow(question: object) -> object:
        for token in list(github.world.tokens.values()):
            token.expires_at = 0.0
        return await original(question)  # type: ignore[arg-type]

    desk._answer = slow  # type: ignore[method-assign, assignment]
    desk.ask(issue_comment(github))
    assert len(github.replies) == 1
    tokens = [call for call in github.calls if call.path.endswith("/access_tokens")]
    assert len(tokens) == 2


class _Sequence(Faults):
    """Answers to the next new comments; then the server's own."""

    def __init__(self, answers: list[Scripted]) -> None:
        super().__init__()
        self._answers = list(answers)

    def clear(self) -> None:
        self._answers.clear()

    def take(self, call: Call) -> Scripted | None:
        wanted = call.method == "POST" and call.path.endswith("/comments")
        return self._answers.pop(0) if self._answers and wanted else None
