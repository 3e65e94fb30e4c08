"""Two replicas on one PostgreSQL database and one Chroma server, each with an index folder of its own: real processes.

What both are told has one reply, and one goes on where the other died.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from bot.adapters.http.doorkeeper import FRESH_S
from cases.program import free_port
from fakes import postgres
from fakes.chroma import chroma
from fakes.faults import Answer
from fakes.github.posts import subject
from fakes.github.script import Faults
from fakes.github.server import REPOSITORY, GitHubServer
from fakes.running import Running
from indexer.catalog import Catalog

MENTIONS = 24
# Of these, what comes when one replica is dead already.
LATE = 4
TOKEN = "sesame"
# A sweep, and what it takes up.
TAKEN_OVER_S = 90.0
PATIENCE_S = 30.0

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def github() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        yield server


@pytest.fixture(scope="module")
def chroma_server() -> Iterator[str]:
    with chroma() as url:
        yield url


@pytest.fixture(scope="module")
def replicas(
    github: GitHubServer, chroma_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Running]]:
    """Both have indexed at the same time, and serve."""
    if not postgres.available():
        pytest.skip("PostgreSQL is not installed")
    folder = tmp_path_factory.mktemp("replicas")
    with postgres.postgres() as database, ThreadPoolExecutor(2) as threads:
        settings = {
            "REPOPILOT_GITHUB_APP_ID": "424242",
            "REPOPILOT_GITHUB_PRIVATE_KEY": github.private_key,
            "REPOPILOT_GITHUB_WEBHOOK_SECRET": github.world.app.hook_secret,
            "REPOPILOT_GITHUB_URL": github.url,
            "REPOPILOT_JOBS_SWEEP_S": "1",
            "REPOPILOT_DATABASE_URL": database,
            "REPOPILOT_CHROMA_URL": chroma_server,
            "REPOPILOT_API_TOKEN": TOKEN,
        }

        def indexed(name: str) -> Running:
            (folder / name).mkdir()
            return Running(folder / name, free_port(), settings, REPOSITORY)

        with ExitStack() as stack:
            made = [stack.enter_context(replica) for replica in threads.map(indexed, ("one", "two"))]
            list(threads.map(Running.start, made))
            yield made


def asked(replica: Running, path: str, body: Any, key: str = TOKEN, **headers: str) -> httpx.Response:
    """What a replica says, once it no longer says that the same question is being answered."""
    shown = {"Authorization": f"Bearer {key}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    deadline = time.monotonic() + PATIENCE_S
    while (response := httpx.post(f"{replica.url}{path}", json=body, headers=shown, timeout=30)).status_code == 409:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return response


def until(condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_both_indexed_at_once_is_whole_in_both(replicas: list[Running], chroma_server: str) -> None:
    import chromadb

    query = {"query": "how large is a KV block?"}
    found = [asked(replica, "/search", query).json()["passages"] for replica in replicas]
    assert {passage["path"] for passage in found[0]} == {"engine/cache.py", "docs/cache.md"}
    assert found[0] == found[1]
    homes = [replica.folder / "home" for replica in replicas]
    assert not any((home / "vectors").exists() for home in homes)
    segments = [name for home in homes for name in Catalog(home / "catalog.sqlite3").segment_names()]
    port = int(chroma_server.rpartition(":")[2])
    there = chromadb.HttpClient("127.0.0.1", port).list_collections()
    assert sorted(collection.name for collection in there) == sorted(f"repopilot-{name}" for name in segments)


def test_a_question_with_one_key_is_asked_once_wherever_it_is_sent(replicas: list[Running]) -> None:
    body = {"question": "How large is a KV block by default?"}
    with ThreadPoolExecutor(4) as threads:
        sent = [threads.submit(asked, replica, "/ask", body, Idempotency_Key="k-1") for replica in replicas * 2]
        answers = [future.result() for future in sent]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert sorted(answer.headers.get("Idempotent-Replayed", "") for answer in answers) == ["", "true", "true", "true"]


def test_a_key_opens_and_closes_all_replicas(replicas: list[Running]) -> None:
    one, two = replicas
    secret = json.loads(one.run("keys", "add", "ci", "--json"))["key"]

    def become(status: int) -> bool:
        return {asked(replica, "/search", {"query": "block"}, secret).status_code for replica in replicas} == {status}

    until(lambda: become(200), FRESH_S + 3)
    two.run("keys", "revoke", "ci")
    until(lambda: become(401), FRESH_S + 3)


class KillAt(Faults):
    """Ends a replica at the comment of that number, which is made all the same."""

    def __init__(self, replica: Running, number: int) -> None:
        super().__init__()
        self._replica, self._left = replica, number

    def take(self, call: Any) -> Answer | None:
        if call.method == "POST" and call.path.endswith("/comments"):
            self._left -= 1
            if self._left == 0:
                self._replica.kill()
                return Answer(cut="after")
        return None


def test_each_mention_has_one_reply_though_a_replica_dies(github: GitHubServer, replicas: list[Running]) -> None:
    one, two = replicas
    github.faults = KillAt(one, MENTIONS // 2)

    def mention(at: int, replica: Running) -> bool:
        comment = github.world.comment(github.world.issue(f"issue {at}", "It grows."), "@RepoPilot what is a block?")
        taken = github.deliver(comment, url=f"{replica.url}/webhooks/github").ok
        if taken and at % 3:
            return True
        # What nobody took goes elsewhere, as a load balancer has it; and some things come twice.
        return github.deliver(comment, url=f"{two.url}/webhooks/github").ok

    assert all(mention(at, replicas[at % 2]) for at in range(MENTIONS - LATE))
    # Whichever of them makes that comment, one dies: its own is taken up, the other's is tried again.
    one.wait_for_death()
    assert all(mention(at, replicas[at % 2]) for at in range(MENTIONS - LATE, MENTIONS))
    two.wait_until_idle(TAKEN_OVER_S)
    replies = Counter(str(subject(change.post).title) for change in github.replies)
    assert replies == {f"issue {at}": 1 for at in range(MENTIONS)}
