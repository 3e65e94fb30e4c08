"""Two services on one PostgreSQL database: what both are told has one reply, and one goes on where the other died."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from cases.program import free_port
from fakes.faults import Answer
from fakes.github.posts import subject
from fakes.github.script import Faults
from fakes.github.server import REPOSITORY, GitHubServer
from fakes.running import Running

QUESTIONS = 12
# A sweep, and what it takes up.
TAKEN_OVER_S = 90.0


@pytest.fixture
def programs(github: GitHubServer, postgres_server: str, tmp_path: Path) -> Iterator[list[Running]]:
    settings = {
        "REPOPILOT_GITHUB_APP_ID": "424242",
        "REPOPILOT_GITHUB_PRIVATE_KEY": github.private_key,
        "REPOPILOT_GITHUB_WEBHOOK_SECRET": github.world.app.hook_secret,
        "REPOPILOT_GITHUB_URL": github.url,
        "REPOPILOT_JOBS_SWEEP_S": "1",
        "REPOPILOT_DATABASE_URL": postgres_server,
    }
    with ExitStack() as stack:
        found = []
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            found.append(stack.enter_context(Running(tmp_path / name, free_port(), settings, REPOSITORY)))
            found[-1].start()
        yield found


class Cut(Faults):
    """Cuts the first new comment off, when asked to, and calls back."""

    def __init__(self, program: Running) -> None:
        super().__init__()
        self._program: Running | None = program

    def take(self, call: object) -> Answer | None:
        if self._program and call.method == "POST" and call.path.endswith("/comments"):  # type: ignore[attr-defined]
            self._program.kill()
            self._program = None
            return Answer(cut="after")
        return None


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_each_question_has_one_reply_though_a_worker_dies(github: GitHubServer, programs: list[Running]) -> None:
    one, two = programs
    for at in range(QUESTIONS):
        comment = github.world.comment(github.world.issue(f"issue {at}", "It grows."), "@RepoPilot what is a block?")
        for program in programs:  # the App's hook, and the repository's own
            assert github.deliver(comment, url=f"{program.url}/webhooks/github").ok
    two.wait_until_idle()
    github.faults = Cut(one)
    comment = github.world.comment(github.world.issue("the last", "It grows."), "@RepoPilot what is a block?")
    # Whichever worker posts it, the first dies: its own posting is taken up, the other's is tried again.
    github.deliver(comment, url=f"{one.url}/webhooks/github")
    one.wait_for_death()
    two.wait_until_idle(TAKEN_OVER_S)
    replies = Counter(str(subject(change.post).title) for change in github.replies)
    assert replies == {**{f"issue {at}": 1 for at in range(QUESTIONS)}, "the last": 1}
