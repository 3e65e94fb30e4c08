"""Names that a question writes and the repository does not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.names import MOST_NAMES, unknown_names
from fakes.embedder import HashingEmbedder
from fakes.repository import Repository
from indexer.stores import Stores
from indexer.sync import sync

FILES = {
    "serve.py": """
import os

LIMIT = os.environ.get("ACME_QUEUE_LIMIT", "8")


class QueueConfig:
    max_waiting_requests: int = 8
    watermark: float = 0.5


def add(parser):
    parser.add_argument("--max-waiting-requests", type=int)
    counter("acme:requests_waiting")
""",
    "docs/tuning.md": "# Tuning\n\nSet `--max-waiting-requests` and the `low_priority_lane`.\n",
    "my_module/deep_file.py": "x = 1\n",
}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    folder: Path = tmp_path_factory.mktemp("names")
    made = Stores(folder / "home")
    repo = Repository(folder / "repo")
    repo.commit({"old.py": "def low_lane_import():\n    return 1\n"})
    sync(repo.source("HEAD"), made, HashingEmbedder())
    repo.commit({"old.py": None, **FILES})
    sync(repo.source("HEAD"), made, HashingEmbedder())
    return made


def unknown(stores: Stores, question: str) -> Mapping[str, tuple[str, ...]]:
    snapshot = stores.catalog.snapshots()[0]
    return unknown_names(question, snapshot, stores.catalog, stores.lexical(snapshot.collection.name))


@pytest.mark.parametrize(
    "question",
    [
        "What does --max-waiting-requests do?",
        "what does max_waiting_requests do",
        "`--max_waiting_requests`?",
        "is ACME_QUEUE_LIMIT read at start",
        "where is acme:requests_waiting counted",
        "my graph of acme:requests_waiting_total is empty",  # clients append what kind of number it is
        "is QueueConfig public?",
        "how do I use low_priority_lane",  # only prose has it
        "what is in deep_file",  # only a path has it
        "does `watermark` exist",
        "Why is the queue full on our 8xH20 with Qwen3-VL-32B?",  # nothing here is a name
        "it fails in /home/me/my_own_app/run_it.py",  # theirs
        "log:\n```\nfoo_bar_baz = 1\n```\n",
        "2026-03-01 12:00:00 ERROR queue_limit_requests is 9\nwhy?",  # a log
        "our orders_export.py stops",
        "I call shop_orders from our code",  # its words are not the repository's
    ],
)
def test_what_is_there_or_is_no_name_is_not_said(stores: Stores, question: str) -> None:
    assert unknown(stores, question) == {}


@pytest.mark.parametrize(
    ("question", "name", "nearest"),
    [
        ("does --max-waiting-request work", "--max-waiting-request", "--max-waiting-requests"),
        ("set ACME_QUEUE_LIMITS=3", "ACME_QUEUE_LIMITS", "ACME_QUEUE_LIMIT"),
        ("what is `watermrk`?", "watermrk", "watermark"),
        ("where is QueConfig", "QueConfig", "QueueConfig"),
        ("what does --low-priority do", "--low-priority", None),
        ("where is low_lane_import", "low_lane_import", None),  # another version had it
    ],
)
def test_what_is_nowhere_is_said_with_the_nearest(
    stores: Stores, question: str, name: str, nearest: str | None
) -> None:
    found = unknown(stores, question)
    assert list(found) == [name]
    assert found[name][:1] == ((nearest,) if nearest else ())


def test_a_pasted_log_is_asked_for_a_few_names_only(stores: Stores) -> None:
    assert len(unknown(stores, " ".join(f"max_requests_{n}_{n}_limit" for n in range(100)))) == MOST_NAMES
