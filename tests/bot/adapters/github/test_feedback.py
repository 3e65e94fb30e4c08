"""Reactions to our replies are counted."""

from __future__ import annotations

import anyio
import pytest

from bot.adapters.github import feedback
from bot.adapters.github.client import Client
from bot.adapters.github.feedback import Feedback
from bot.history import Vote
from fakes.github.server import GitHubServer
from fakes.github_desk import Desk

ASK = "@RepoPilot what is the default block size?"


def gather(desk: Desk) -> dict[str, Vote]:
    counting = Feedback(Client(desk.credentials), desk.ledger, desk.history, every_s=0)
    anyio.run(counting.gather)
    return desk.history.votes("answer1")


@pytest.mark.parametrize("surface", ["issue", "discussion"])
def test_thumbs_are_votes_and_can_be_taken_back(github: GitHubServer, desk: Desk, surface: str) -> None:
    world = github.world
    desk.ask(world.discussion("How?", ASK) if surface == "discussion" else world.issue("KV cache", ASK))
    post = github.replies[0].post
    assert gather(desk) == {}
    down, _ = world.react(post, "-1", world.user("bob-dev"))
    world.react(post, "+1", world.user("carol-dev"))
    world.react(post, "heart", world.user("dave-dev"))
    assert gather(desk) == {"github:bob-dev": "down", "github:carol-dev": "up"}
    world.unreact(post, down)
    assert gather(desk) == {"github:carol-dev": "up"}


def test_votes_from_elsewhere_stay(github: GitHubServer, desk: Desk) -> None:
    desk.ask(github.world.issue("KV cache", ASK))
    desk.history.vote("answer1", "web:ada", "down")
    github.world.react(github.replies[0].post, "+1", github.world.user("bob-dev"))
    assert gather(desk) == {"github:bob-dev": "up", "web:ada": "down"}


def test_a_reply_that_is_gone_keeps_no_other_from_being_counted(github: GitHubServer, desk: Desk) -> None:
    desk.ask(github.world.issue("one", ASK))
    first = github.replies[0].post
    github.world.react(first, "+1", github.world.user("bob-dev"))
    assert gather(desk) == {"github:bob-dev": "up"}
    github.world.delete(first, github.world.user("maintainer"))
    assert gather(desk) in ({}, {"github:bob-dev": "up"})


def test_it_looks_once_in_a_while(github: GitHubServer, desk: Desk) -> None:
    desk.ask(github.world.issue("KV cache", ASK))
    known = len(github.calls)
    anyio.run(Feedback(Client(desk.credentials), desk.ledger, desk.history).gather)
    assert len(github.calls) == known and feedback.EVERY_S >= 600
