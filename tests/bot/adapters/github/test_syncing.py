"""A push or a release brings the index up to date."""

from __future__ import annotations

import json
from dataclasses import asdict

import anyio
import pytest

from bot.adapters.github.app import Syncing
from bot.adapters.github.client import Client, Credentials
from bot.adapters.github.types import Pushed
from bot.insisting import ANSWER_WAITS_S, SetAside
from fakes.github.server import GitHubServer
from fakes.steps import RememberedSteps
from indexer.errors import RepoPilotError, SourceError
from indexer.types import Address

PUSHED = Pushed("example-org/engine", "https://code.example/example-org/engine.git", False, 5_550_001, None, "2" * 40)


class Index:
    """Takes what it is told to index; fails with the errors it was given, one a time."""

    def __init__(self, *failures: RepoPilotError) -> None:
        self.told: list[tuple[Address, bool]] = []
        self._failures = list(failures)

    def __call__(self, address: Address, private: bool) -> str:
        self.told.append((address, private))
        if self._failures:
            raise self._failures.pop(0)
        return "done"


def synced(github: GitHubServer, index: Index, pushed: Pushed = PUSHED) -> RememberedSteps:
    client = Client(Credentials(github.url, app_id="424242", private_key=github.private_key))
    steps = RememberedSteps()

    async def job() -> None:
        await Syncing(client, index).job(steps, json.dumps(asdict(pushed)))

    assert anyio.run(steps.life, job)
    return steps


def test_a_push_is_indexed_from_its_address(github: GitHubServer) -> None:
    index = Index()
    synced(github, index)
    assert index.told == [(Address(PUSHED.address, None, PUSHED.repository), False)]
    assert github.calls == []


def test_a_release_is_indexed_at_its_tag(github: GitHubServer) -> None:
    index = Index()
    synced(github, index, Pushed(**{**asdict(PUSHED), "ref": "v1.2.0"}))
    assert index.told[0][0].ref == "v1.2.0"


def test_a_private_repository_is_read_with_a_token_for_it_alone(github: GitHubServer) -> None:
    index = Index()
    synced(github, index, Pushed(**{**asdict(PUSHED), "private": True}))
    (address, private), *_ = index.told
    (call,) = github.calls
    assert call.json == {"repositories": ["engine"], "permissions": {"contents": "read"}}
    assert private and address.source.startswith("https://x-access-token:ghs_")
    assert address.source.endswith("@code.example/example-org/engine.git")


def test_what_fails_is_tried_again_and_then_set_aside(github: GitHubServer) -> None:
    index = Index(SourceError("cannot fetch"))
    assert synced(github, index).waits == [ANSWER_WAITS_S[0]]
    with pytest.raises(SetAside, match="cannot fetch"):
        synced(github, Index(*[SourceError("cannot fetch")] * 9))
