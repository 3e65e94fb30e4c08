from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot import retrieval
from bot.passages import MOST_OF_ONE_FILE
from bot.reading.narrowing import LONGEST_CITATION
from bot.retrieval import LONGEST_REMINDER, MOST_OPEN, Found, Opened, Retriever, index_of, standalone
from bot.types import Question, Turn
from fakes.embedder import HashingEmbedder
from fakes.repository import REPOSITORY, Repository
from indexer.errors import EmbedderError, EmbedderMismatch, IndexDamaged, IndexMissing
from indexer.stores import Stores
from indexer.sync import sync

CACHE = '''"""Blocks of the cache."""

BLOCK_SIZE = 16


def allocate(tokens):
    """How many blocks hold the tokens."""
    return -(-tokens // BLOCK_SIZE)
'''
FILES = {
    "engine/cache.py": CACHE,
    "engine/scheduler.py": "class Scheduler:\n    def preempt(self, request):\n        self.waiting.append(request)\n",
    "docs/parrot.md": "# Colours\n\nThe parrot on the sign is green.\n",
    "tests/test_cache.py": "def test_allocate():\n    assert allocate(17) == 2\n",
}
ONE_FILE = {"big.py": "\n\n".join(f"def needle_{n}():\n" + f"    needle({n})\n" * 40 for n in range(12))}


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    made = Stores(tmp_path / "home")
    yield made
    made.catalog.close()


@pytest.fixture
def repo(tmp_path: Path, stores: Stores) -> Repository:
    made = Repository(tmp_path / "engine")
    made.git("remote", "add", "origin", "https://github.com/acme/engine.git")
    made.commit(FILES)
    sync(made.source(), stores, HashingEmbedder())
    return made


@pytest.fixture
def retriever(repo: Repository, stores: Stores) -> Iterator[Retriever]:
    made = Retriever(stores, HashingEmbedder())
    yield made
    made.close()


def asked(retriever: Retriever, text: str, limit: int = 10, **rest: object) -> Found:
    return retriever.search(Question(text, **rest), limit)  # type: ignore[arg-type]


def paths(found: Found) -> list[str]:
    return [passage.path for passage in found.passages]


# Pure


def test_a_follow_up_is_read_with_what_was_asked_before() -> None:
    history = (Turn("user", "first"), Turn("user", "second"), Turn("assistant", "an answer"))
    assert standalone(Question("and then?", history)) == "and then?\nsecond\nan answer"
    assert standalone(Question("?", (Turn("assistant", "x" * 9_000),))) == "?\n" + "x" * LONGEST_REMINDER
    assert standalone(Question("first")) == "first"


def test_a_question_that_is_no_unicode_is_made_so() -> None:
    assert standalone(Question("what is \udcff?")) == "what is ??"


# With real stores


def test_passages_have_exact_lines_and_a_permalink(retriever: Retriever, repo: Repository) -> None:
    best = asked(retriever, "How does allocate count the blocks?").passages[0]
    commit = repo.git("rev-parse", "HEAD")
    assert best.path == "engine/cache.py"
    assert best.text == "\n".join(CACHE.split("\n")[best.start_line - 1 : best.end_line])
    assert best.url == (
        f"https://github.com/acme/engine/blob/{commit}/engine/cache.py#L{best.start_line}-L{best.end_line}"
    )


def test_scores_fall_and_the_limit_holds(retriever: Retriever) -> None:
    for limit in (1, 2, 50):
        passages = asked(retriever, "allocate blocks preempt parrot", limit).passages
        assert len(passages) <= limit
        assert [p.score for p in passages] == sorted((p.score for p in passages), reverse=True)
    assert len(asked(retriever, "allocate blocks preempt parrot", 2).passages) == 2


def test_few_passages_of_one_file(repo: Repository, stores: Stores, retriever: Retriever) -> None:
    repo.commit(ONE_FILE)
    sync(repo.source(), stores, HashingEmbedder())
    found = paths(asked(retriever, "needle", 20))
    assert found.count("big.py") == MOST_OF_ONE_FILE
    assert len(found) > MOST_OF_ONE_FILE


def test_a_follow_up_finds_what_the_conversation_is_about(retriever: Retriever) -> None:
    history = (Turn("user", "What colour is the parrot?"), Turn("assistant", "Green [1]."))
    assert paths(asked(retriever, "And where is that written?", history=history))[0] == "docs/parrot.md"


@pytest.mark.parametrize("text", ["", "?", "the", "\0", "zebra " * 10_000, "a AND (b OR", "\ud800"])
def test_any_question_is_answered_with_passages_or_none(retriever: Retriever, text: str) -> None:
    assert len(asked(retriever, text).passages) <= 10


def test_the_version_asked_for_answers(retriever: Retriever, repo: Repository, stores: Stores) -> None:
    repo.commit({"engine/cache.py": "def release(): ...\n"}, branch="next")
    sync(repo.source("next"), stores, HashingEmbedder())
    main = asked(retriever, "allocate", repository="ACME/Engine", ref="main")
    latest = asked(retriever, "allocate")
    assert (main.snapshot.origin.ref, latest.snapshot.origin.ref) == ("main", "next")
    assert any("BLOCK_SIZE" in p.text for p in main.passages) and not any(
        "BLOCK_SIZE" in p.text for p in latest.passages
    )
    by_commit = asked(retriever, "allocate", ref=main.snapshot.origin.commit)
    assert by_commit == main
    assert index_of(main.snapshot).commit == main.snapshot.origin.commit
    assert Retriever(stores, HashingEmbedder(), ref="main").snapshot() == main.snapshot


def test_a_missing_index_is_said(tmp_path: Path, retriever: Retriever) -> None:
    with pytest.raises(IndexMissing, match=r"^Nothing is indexed yet; run `repopilot index SOURCE` first"):
        asked(Retriever(Stores(tmp_path / "empty"), HashingEmbedder()), "allocate")
    there = f"indexed are: {REPOSITORY} at main."
    with pytest.raises(IndexMissing, match=rf"^There is no index of acme/other at v1; {there}$"):
        asked(retriever, "allocate", repository="acme/other", ref="v1")


def test_parts_that_nobody_asks_for_any_more_are_let_go() -> None:
    names = [f"part {number}" for number in range(MOST_OPEN + 1)]
    made: list[str] = []
    opened = Opened[str](lambda name: made.append(name) or name, lambda: set(names))  # type: ignore[func-returns-value]
    for name in names:
        assert opened(name) == name
        opened(names[0])
    assert made == names
    opened(names[0])
    assert made == names
    opened(names[1])
    assert made == [*names, names[1]]


def test_an_index_of_another_embedder_is_said(stores: Stores, repo: Repository) -> None:
    with pytest.raises(
        EmbedderMismatch, match=f"index of {REPOSITORY} was made with the embedder hashing-64, but other is"
    ):
        asked(Retriever(stores, HashingEmbedder("other")), "allocate")


def test_an_embedder_that_is_down_is_said(stores: Stores, repo: Repository) -> None:
    embedder = HashingEmbedder()
    embedder.failure = EmbedderError("The embeddings server failed; start it, then try again.")
    with pytest.raises(EmbedderError):
        asked(Retriever(stores, embedder), "allocate")


def test_damage_that_no_sync_explains_is_said(stores: Stores, retriever: Retriever) -> None:
    for name in stores.catalog.segment_names():
        stores.vectors.drop(name)
    with pytest.raises(IndexDamaged, match="--full"):
        asked(retriever, "allocate")


def test_a_version_that_shares_its_stores_with_many_still_finds_its_own(
    repo: Repository, stores: Stores, retriever: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval, "CANDIDATES", 4)
    repo.commit({f"other/m{n}.py": f"def allocate_{n}(): return allocate\n" for n in range(30)}, branch="next")
    sync(repo.source("next"), stores, HashingEmbedder())
    assert {"engine/cache.py", "tests/test_cache.py"} <= set(paths(asked(retriever, "allocate", ref="main")))


def confidence(retriever: Retriever, text: str) -> float:
    question = Question(text)
    return retriever.evidence(question, retriever.search(question, 10)).confidence


def test_what_answers_is_better_evidence_than_what_is_only_there(retriever: Retriever) -> None:
    asked_for = confidence(retriever, "How does allocate count the blocks that hold the tokens?")
    assert asked_for > confidence(retriever, "How do gnomes in violet hats count the moons of Jupiter?")
    assert asked_for > confidence(retriever, "How does allocate_gnome_slots count the blocks that hold the tokens?")


def test_evidence_has_the_passages_as_they_would_be_cited(
    repo: Repository, stores: Stores, retriever: Retriever
) -> None:
    repo.commit(
        {"long.md": "# Needle\n\n" + "\n\n".join(f"Paragraph {n} of hay." for n in range(40)) + "\n\nA needle."}
    )
    sync(repo.source(), stores, HashingEmbedder())
    question = Question("Where is the needle?")
    found = retriever.search(question, 10)
    evidence = retriever.evidence(question, found)
    assert [passage.path for passage in evidence.passages] == paths(found)
    assert all(passage.end_line - passage.start_line < LONGEST_CITATION for passage in evidence.passages)
    assert len(evidence.chances) == len(evidence.of_passages) == len(found.passages)


def test_names_that_a_version_has_nowhere_are_unknown(repo: Repository, stores: Stores, retriever: Retriever) -> None:
    names = [
        "allocate",
        "BLOCK_SIZE",
        "--block-size",
        "preempt",
        "engine/cache.py",
        "./cache.py",
        "zebra_size",
        "no/such.py",
    ]
    snapshot = retriever.snapshot()
    assert retriever.unknown(names, snapshot) == {"zebra_size", "no/such.py"}
    repo.commit({"zebra.py": "zebra_size = 1\n"})
    sync(repo.source(), stores, HashingEmbedder())
    assert retriever.unknown(names, retriever.snapshot()) == {"no/such.py"}
    assert retriever.unknown([], snapshot) == set()


def test_threads_search_at_once(retriever: Retriever) -> None:
    expected = asked(retriever, "How does allocate count the blocks?")
    with ThreadPoolExecutor(8) as pool:
        questions = ["How does allocate count the blocks?"] * 64
        assert all(found == expected for found in pool.map(lambda text: asked(retriever, text), questions))


def open_segments() -> Sequence[str]:
    from chromadb.api.shared_system_client import SharedSystemClient

    gc.collect()
    return list(SharedSystemClient._identifier_to_system)


def test_what_a_sync_has_replaced_is_closed(retriever: Retriever, repo: Repository, stores: Stores) -> None:
    before = set(open_segments())
    for number in range(4):
        repo.commit({f"n{number}.py": f"def needle_{number}(): ...\n"})
        sync(repo.source(), stores, HashingEmbedder())
        assert f"n{number}.py" in paths(asked(retriever, f"needle_{number}"))
    ours = {name for name in set(open_segments()) - before if str(stores.home) in name}
    assert {Path(name).name for name in ours} <= stores.catalog.segment_names()
