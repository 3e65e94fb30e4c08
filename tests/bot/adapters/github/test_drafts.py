"""Answers that only maintainers publish."""

from __future__ import annotations

from collections.abc import Callable

import anyio

from bot.adapters.github.client import Client
from bot.adapters.github.drafts import Drafts
from fakes.github.server import GitHubServer
from fakes.github_desk import Desk

ASK = "@RepoPilot what is the default block size?"


def publish(desk: Desk) -> None:
    anyio.run(Drafts(Client(desk.credentials), desk.ledger).publish)


def test_a_draft_is_folded_until_a_maintainer_approves(github: GitHubServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(drafts=True)
    desk.ask(github.world.comment(github.world.issue("KV cache", "It grows."), ASK))
    (reply,) = github.replies
    assert reply.body.startswith("<details>") and "Blocks hold 16 tokens" in reply.body
    github.world.react(reply.post, "+1", github.world.user("bob-dev"))
    publish(desk)
    assert github.edits == []  # whoever asks may not approve
    github.repository.collaborators["carol-dev"] = "write"
    github.world.react(reply.post, "+1", github.world.user("carol-dev"))
    publish(desk)
    (edit,) = github.edits
    assert edit.body.startswith("Blocks hold 16 tokens") and "<details>" not in edit.body
    publish(desk)
    assert len(github.edits) == 1


def test_an_edited_question_has_a_new_draft(github: GitHubServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(drafts=True)
    post = github.world.comment(github.world.issue("KV cache", "It grows."), ASK)
    desk.ask(post)
    desk.says = ["Blocks hold 32 tokens [1]."]
    github.world.edit(post, "@RepoPilot and on ROCm?", post.author)
    desk.ask(post, "edited", before=ASK)
    assert github.edits[-1].body.startswith("<details>") and "32 tokens" in github.edits[-1].body
    github.repository.collaborators["carol-dev"] = "write"
    github.world.react(github.replies[0].post, "+1", github.world.user("carol-dev"))
    publish(desk)
    assert github.edits[-1].body.startswith("Blocks hold 32 tokens")


def test_a_draft_that_cannot_be_looked_at_waits(github: GitHubServer, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(drafts=True)
    desk.ask(github.world.comment(github.world.issue("KV cache", "It grows."), ASK))
    github.play({"POST /graphql": {"status": 502, "json": {"message": "Bad Gateway"}}})
    publish(desk)
    assert github.edits == [] and "draft" in (desk.subject().reply or {})
