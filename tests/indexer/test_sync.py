from __future__ import annotations

import os
import random
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.retrieval import Retriever
from bot.types import Passage, Question
from fakes import elsewhere
from fakes.embedder import HashingEmbedder
from fakes.repository import REPOSITORY, Repository
from indexer.compaction import to_compact
from indexer.embedding import Vectors
from indexer.errors import EmbedderError, EmbedderMismatch, IndexDamaged, IndexLocked, IndexMissing, StorageError
from indexer.records import StoredSegment
from indexer.sources import open_source
from indexer.stores import Stores
from indexer.sync import Report, remove, sync
from indexer.types import Entry, Source, SourceFile

FILES: Mapping[str, str | bytes] = {
    "engine/cache.py": "BLOCK = 16\n\n\ndef allocate(tokens):\n    return tokens // BLOCK\n",
    "engine/scheduler.py": "class Scheduler:\n    def preempt(self, request):\n        self.waiting.append(request)\n",
    "docs/guide.md": "# Guide\n\nThe scheduler preempts.\n\n# Cache\n\nA block holds sixteen tokens.\n",
    "logo.png": b"\x89PNG\0\0",
    "table.txt": b"a\0b" * 100,
}
Row = tuple[str, int, int, str, str]


@dataclass
class Reading:
    """A source that remembers what was read of it."""

    source: Source
    read_paths: list[str] = field(default_factory=list)

    @property
    def origin(self):
        return self.source.origin

    def entries(self):
        return self.source.entries()

    def read(self, entries: Sequence[Entry]) -> Iterator[SourceFile]:
        for file in self.source.read(entries):
            self.read_paths.append(file.path)
            yield file


@dataclass
class Home:
    """The stores of one home with everything that writes to them and answers from them."""

    stores: Stores
    embedder: HashingEmbedder
    retriever: Retriever

    @classmethod
    def at(cls, folder: Path, embedder: HashingEmbedder | None = None) -> Home:
        stores, chosen = Stores(folder), embedder or HashingEmbedder()
        return cls(stores, chosen, Retriever(stores, chosen))

    def index(self, source: Source, full: bool = False) -> Report:
        return sync(source, self.stores, self.embedder, full=full)

    def found(self, query: str, ref: str | None = None, limit: int = 50) -> set[str]:
        return {passage.path for passage in self.passages(query, ref, limit)}

    def passages(self, query: str, ref: str | None = None, limit: int = 50) -> tuple[Passage, ...]:
        return self.retriever.search(Question(query, repository=REPOSITORY if ref else None, ref=ref), limit).passages

    def rows(self, ref: str | None = None) -> set[Row]:
        catalog = self.stores.catalog
        stored = catalog.all_chunks(catalog.snapshots(ref=ref)[0])
        return {(s.path, s.chunk.start_line, s.chunk.end_line, s.chunk.symbol, s.chunk.text) for s in stored}

    def vectors(self) -> dict[tuple[str, int], bytes]:
        """The stored vector of each chunk; raises IndexDamaged where one has none."""
        catalog = self.stores.catalog
        (snapshot,) = catalog.snapshots()
        places = {s.id: (s.path, s.chunk.start_line) for s in catalog.all_chunks(snapshot)}
        found = dict[tuple[str, int], bytes]()
        for segment in catalog.segments(snapshot.collection):
            ids = catalog.chunk_ids(segment)
            rows = self.stores.vectors.open(segment.name).vectors(ids).round(4)
            found |= {places[i]: row.tobytes() for i, row in zip(ids, rows, strict=True)}
        assert found.keys() == set(places.values())
        return found

    def by_terms(self, query: str) -> list[tuple[str, int]]:
        """All that the lexical index finds, of this version or of none."""
        catalog = self.stores.catalog
        (snapshot,) = catalog.snapshots()
        places = {s.id: (s.path, s.chunk.start_line) for s in catalog.all_chunks(snapshot)}
        return sorted(places[i] for i, _ in self.stores.lexical(snapshot.collection.name).search(query, 10_000))

    def vector_folders(self) -> set[str]:
        return {folder.name for folder in (self.stores.home / "vectors").iterdir()}

    def close(self) -> None:
        self.retriever.close()
        self.stores.catalog.close()


def counts(report: Report) -> tuple[int, int, int, int]:
    return report.added, report.updated, report.removed, report.unchanged


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "engine")
    made.commit(FILES)
    return made


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home.at(tmp_path / "home")
    yield made
    made.close()


def fresh(tmp_path: Path, source: Source) -> Home:
    made = Home.at(Path(tempfile.mkdtemp(dir=tmp_path)))
    made.index(source)
    return made


def test_a_first_run_makes_the_version_searchable(repo: Repository, home: Home) -> None:
    report = home.index(repo.source())
    assert counts(report) == (3, 0, 0, 0)
    assert (report.snapshot.files, report.snapshot.chunks) == (3, report.embedded)
    assert report.snapshot.origin.commit == repo.git("rev-parse", "HEAD")
    assert [skipped.path for skipped in report.skipped] == ["logo.png", "table.txt"]
    assert "engine/cache.py" in home.found("allocate")


def test_only_what_changed_is_read_and_embedded(repo: Repository, home: Home) -> None:
    home.index(repo.source())
    repo.commit({"engine/cache.py": "def release(): ...\n", "new.py": "def new(): ...\n", "docs/guide.md": None})
    source = Reading(repo.source())
    report = home.index(source)
    assert counts(report) == (1, 1, 1, 1)
    assert source.read_paths == ["engine/cache.py", "new.py"]
    assert report.embedded == 2
    assert home.rows() == fresh(home.stores.home, repo.source()).rows()
    assert home.found("sixteen tokens guide allocate") <= {"engine/cache.py", "engine/scheduler.py", "new.py"}


def test_an_unchanged_source_is_not_even_listed(repo: Repository, home: Home) -> None:
    home.index(repo.source())

    class Sealed(Reading):
        def entries(self):
            raise AssertionError("the fingerprint is enough")

    report = home.index(Sealed(repo.source()))
    assert counts(report) == (0, 0, 0, 3)
    assert [skipped.path for skipped in report.skipped] == ["logo.png", "table.txt"]


def test_a_full_run_reads_everything_again(repo: Repository, home: Home) -> None:
    home.index(repo.source())
    before = home.rows()
    source = Reading(repo.source())
    report = home.index(source, full=True)
    assert counts(report) == (0, 0, 0, 3)
    assert set(source.read_paths) == FILES.keys() - {"logo.png"}
    assert home.rows() == before
    assert len(home.vector_folders()) == 1
    assert len(list((home.stores.home / "lexical").iterdir())) == 1


def test_a_renamed_file_is_found_under_its_new_name_alone(repo: Repository, home: Home) -> None:
    home.index(repo.source())
    repo.git("mv", "engine/cache.py", "engine/blocks.py")
    repo.commit({})
    assert counts(home.index(repo.source())) == (1, 0, 1, 2)
    assert "engine/blocks.py" in home.found("allocate")
    assert "engine/cache.py" not in home.found("allocate")


def test_a_file_that_comes_back_is_found_again(repo: Repository, home: Home) -> None:
    home.index(repo.source())
    repo.commit({"engine/cache.py": None})
    home.index(repo.source())
    assert "engine/cache.py" not in home.found("allocate")
    repo.commit({"engine/cache.py": FILES["engine/cache.py"]})
    assert counts(home.index(repo.source())) == (1, 0, 0, 2)
    assert "engine/cache.py" in home.found("allocate")


def test_an_emptied_repository_has_a_version_that_finds_nothing(repo: Repository, home: Home) -> None:
    home.index(repo.source())
    repo.commit(dict.fromkeys(FILES))
    assert counts(home.index(repo.source())) == (0, 0, 3, 0)
    assert home.found("allocate") == set()
    assert home.vector_folders() == set()


def test_an_empty_first_version_finds_nothing(tmp_path: Path, home: Home) -> None:
    empty = Repository(tmp_path / "empty")
    empty.commit({})
    assert counts(home.index(empty.source())) == (0, 0, 0, 0)
    assert home.found("allocate") == set()


def test_versions_side_by_side_share_what_they_have_in_common(repo: Repository, home: Home) -> None:
    home.index(repo.source())
    repo.commit({"engine/cache.py": "def release(): ...\n", "docs/guide.md": None}, branch="next")
    source = Reading(repo.source("next"))
    report = home.index(source)
    assert source.read_paths == ["engine/cache.py"]
    assert (report.snapshot.files, report.embedded) == (2, 1)
    assert {s.origin.ref: s.files for s in home.stores.catalog.snapshots()} == {"main": 3, "next": 2}
    assert "release" not in str(home.passages("release allocate", "main"))
    assert "tokens // BLOCK" not in str(home.passages("release allocate", "next"))
    for ref in ("main", "next"):
        assert home.rows(ref) == fresh(home.stores.home, repo.source(ref)).rows()
        assert "engine/scheduler.py" in home.found("preempt", ref)


def test_a_change_in_one_version_leaves_the_other(repo: Repository, home: Home) -> None:
    home.index(repo.source())
    repo.commit({}, branch="next")
    home.index(repo.source("next"))
    before = home.rows("main")
    repo.commit({"engine/cache.py": None, "docs/guide.md": None})
    home.index(repo.source("next"))
    assert home.rows("main") == before
    assert home.found("allocate sixteen", "main") >= {"engine/cache.py", "docs/guide.md"}
    assert home.found("allocate sixteen", "next") <= {"engine/scheduler.py"}


def test_a_skipped_file_is_reported_again_without_being_read(repo: Repository, home: Home) -> None:
    reasons = {skipped.path: skipped.reason for skipped in home.index(repo.source()).skipped}
    assert reasons == {"logo.png": reasons["logo.png"], "table.txt": "binary: it holds NUL bytes"}
    repo.commit({"new.py": "def new(): ...\n"})
    source = Reading(repo.source())
    assert {skipped.path: skipped.reason for skipped in home.index(source).skipped} == reasons
    assert source.read_paths == ["new.py"]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("odd.py", b"# coding: raw_unicode_escape\nname = '\\ud800 \xe9'\n"),
        ("odd.ipynb", b'{"cells": [{"cell_type": "code", "source": "name = \'\\ud800\'"}]}'),
        ("odd.json", b'{"name": "\\ud800"}'),
        ("\udcff\udcfe.py".encode("utf-8", "surrogateescape"), b"name = 1\n"),
        ("new\nline\t#%.py", b"name = 1\n"),
    ],
)
def test_an_odd_file_does_not_end_the_run(repo: Repository, home: Home, path: str | bytes, content: bytes) -> None:
    repo.commit({os.fsdecode(path): content})
    report = home.index(repo.source())
    assert report.added + len(report.skipped) == len(FILES) + 1
    assert "engine/cache.py" in home.found("allocate")


def test_another_embedder_has_a_collection_of_its_own(repo: Repository, home: Home) -> None:
    home.index(repo.source())
    other = Home(home.stores, HashingEmbedder("other"), home.retriever)
    asked: list[set[str]] = []

    class Asking(Reading):
        def read(self, entries: Sequence[Entry]) -> Iterator[SourceFile]:
            asked.append(home.found("allocate"))
            yield from super().read(entries)

    report = other.index(Asking(repo.source()))
    assert report.embedded == report.snapshot.chunks
    assert "engine/cache.py" in asked[0]
    assert "engine/cache.py" in Home.at(home.stores.home, other.embedder).found("allocate")
    assert len(home.stores.catalog.collection_names()) == len(home.vector_folders()) == 1
    with pytest.raises(EmbedderMismatch, match=r"made with the embedder other, but hashing-64 is configured; run"):
        home.found("allocate")


def test_a_second_indexer_is_told_who_holds_the_lock(repo: Repository, home: Home) -> None:
    manager = elsewhere.context()
    ready, done = manager.Event(), manager.Event()
    holder = elsewhere.started(elsewhere.hold, home.stores.home, ready, done)
    assert ready.wait(60)
    with pytest.raises(IndexLocked, match=rf"in use: process {holder.pid} has been holding it since [\d:]+; wait"):
        home.index(repo.source())
    holder.kill()  # a dead holder holds nothing
    holder.join()
    assert counts(home.index(repo.source())) == (3, 0, 0, 0)


class Failing(HashingEmbedder):
    """Fails on the text that says so, as a server does that dies in the middle."""

    word = "zebra"

    def embed(self, texts: Sequence[str]) -> Vectors:
        if any(self.word in text for text in texts):
            raise EmbedderError("The embeddings server failed; start it, then try again.")
        return super().embed(texts)


def test_an_embedder_that_fails_leaves_the_old_version(
    repo: Repository, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.storing.BATCH_CHUNKS", 2)
    home.embedder = Failing()
    home.index(repo.source())
    before = home.rows()
    repo.commit(
        {f"m{n}.py": f"def m{n}(): return 'sheep'\n" for n in range(9)}
        | {"m5.py": "zebra = 1\n", "docs/guide.md": None}
    )
    with pytest.raises(EmbedderError):
        home.index(repo.source())
    assert home.rows() == before
    assert "docs/guide.md" in home.found("sixteen tokens")
    assert not home.found("sheep") & {f"m{n}.py" for n in range(9)}
    home.embedder.word = "nothing says this"
    assert counts(home.index(repo.source())) == (9, 0, 1, 2)
    assert home.rows() == fresh(home.stores.home, repo.source()).rows()
    assert {f"m{n}.py" for n in range(9) if n != 5} <= home.found("sheep")
    assert home.vector_folders() == home.stores.catalog.segment_names()


@pytest.mark.parametrize("lost", ["vectors", "lexical"])
def test_a_lost_store_is_said_and_a_full_run_mends_it(repo: Repository, home: Home, lost: str) -> None:
    home.index(repo.source())
    repo.commit({"new.py": "def new(): ...\n"}, branch="next")
    home.index(repo.source("next"))
    shutil.rmtree(home.stores.home / lost)
    home.retriever.close()
    with pytest.raises(IndexDamaged, match=r"run `repopilot index SOURCE --full` to rebuild it\.$"):
        home.found("allocate", "main")
    for ref in ("main", "next"):
        home.index(repo.source(ref), full=True)
    for ref in ("main", "next"):
        assert "engine/cache.py" in home.found("allocate", ref)


def test_a_home_without_rights_is_said(repo: Repository, tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can become another user")
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o755)
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    said = elsewhere.elsewhere(elsewhere.index_as, 65534, repo.folder, locked / "home", REPOSITORY)
    assert said.startswith("StorageError: The index folder ") and "Permission denied" in said


def test_a_home_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(StorageError, match=r"home cannot be used .*set REPOPILOT_HOME"):
        Stores(tmp_path / "home")


def segments(*sizes: int | tuple[int, int]) -> list[StoredSegment]:
    pairs = [size if isinstance(size, tuple) else (size, size) for size in sizes]
    return [StoredSegment(n, str(n), chunks, reached) for n, (chunks, reached) in enumerate(pairs)]


@pytest.mark.parametrize(
    ("there", "merged"),
    [
        (segments(), []),
        (segments(100), []),
        (segments(100, 100), [0, 1]),
        (segments(1_000, 10, 20), []),
        (segments(1_000, 10, 10), [1, 2]),
        (segments(1_000, 10, 10, 20, 41), [1, 2, 3]),
        (segments((1_000, 700), 10), []),
        (segments((1_000, 699), 10), [0]),
    ],
)
def test_small_and_wasteful_segments_are_merged(there: list[StoredSegment], merged: list[int]) -> None:
    assert sorted(segment.id for segment in to_compact(there)) == merged


def test_compaction_keeps_what_is_found_and_bounds_the_segments(repo: Repository, home: Home) -> None:
    home.index(repo.source())
    for number in range(12):
        repo.commit(
            {f"n{number}.py": f"def needle_{number}():\n    return {number}\n", f"n{number - 5}.py": None}
            if number > 4
            else {f"n{number}.py": f"def needle_{number}():\n    return {number}\n"}
        )
        home.index(repo.source())
        assert f"n{number}.py" in home.found(f"needle_{number}")
        assert len(home.vector_folders()) <= 4
    assert home.vector_folders() == home.stores.catalog.segment_names()
    other = fresh(home.stores.home, repo.source())
    assert home.rows() == other.rows()
    assert home.vectors() == other.vectors()
    for query in ("needle", "allocate tokens", "how does the scheduler preempt"):
        assert home.found(query) == other.found(query)
        assert home.by_terms(query) == other.by_terms(query)


NAMES = [f"m{number}.py" for number in range(8)]


def check(home: Home, least: int = 0) -> int:
    """Ask for all files of a version; each must be there, as this version has it. Returns the version."""
    found = home.retriever.search(Question("needle in the haystack version"), 50)
    (version,) = {passage.text.split("version ")[1].split()[0] for passage in found.passages}
    assert sorted(passage.path for passage in found.passages) == NAMES
    assert {passage.text for passage in found.passages} == {
        elsewhere.text_of(name, int(version)).rstrip("\n") for name in NAMES
    }
    assert all(
        found.snapshot.origin.commit in (passage.url or found.snapshot.origin.commit) for passage in found.passages
    )
    assert int(version) >= least
    return int(version)


@pytest.mark.parametrize("writer", ["process", "thread"])
def test_a_reader_always_sees_one_whole_version(tmp_path: Path, home: Home, writer: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    elsewhere.write(folder, NAMES, 0)
    home.index(open_source(str(folder), ref=None, repository=REPOSITORY, cache=home.stores.cache))
    version, searches = check(home), 0
    if writer == "process":
        running = elsewhere.started(elsewhere.rewrite, folder, home.stores.home, REPOSITORY, NAMES, 12)
    else:
        running = threading.Thread(
            target=elsewhere.rewrite_with, args=(folder, home.stores, REPOSITORY, NAMES, 12), daemon=True
        )
        running.start()
    while running.is_alive():
        version, searches = check(home, version), searches + 1
    running.join()
    assert check(home) == 12
    assert searches > 12


def test_killed_at_any_moment_the_index_is_whole(tmp_path: Path, home: Home) -> None:
    folder, names = tmp_path / "folder", [f"m{number:03}.py" for number in range(200)]
    folder.mkdir()

    def published() -> int:
        (snapshot,) = home.stores.catalog.snapshots()
        texts = {s.path: s.chunk.text for s in home.stores.catalog.all_chunks(snapshot)}
        version = int(texts[names[0]].split("version ")[1].split()[0])
        assert texts == {name: elsewhere.text_of(name, version).rstrip("\n") for name in names}
        passages = {p.path: p.text for p in home.passages("needle_m007", limit=200)}
        assert "m007.py" in passages and passages.items() <= texts.items()
        return version

    elsewhere.write(folder, names, 0)
    elsewhere.elsewhere(elsewhere.index, folder, home.stores.home, REPOSITORY)
    started = time.perf_counter()
    elsewhere.write(folder, names, 1)
    elsewhere.elsewhere(elsewhere.index, folder, home.stores.home, REPOSITORY)
    whole, before, chance = time.perf_counter() - started, published(), random.Random(7)
    for version in range(2, 22):
        elsewhere.write(folder, names, version)
        running = elsewhere.started(elsewhere.index, folder, home.stores.home, REPOSITORY)
        time.sleep(chance.uniform(0.1, 1) * whole)
        running.kill()
        running.join()
        assert published() in (before, version)
        before = published()
    elsewhere.elsewhere(elsewhere.index, folder, home.stores.home, REPOSITORY)
    assert published() == 21
    other = Home.at(tmp_path / "other")
    elsewhere.elsewhere(elsewhere.index, folder, tmp_path / "other", REPOSITORY)
    assert home.rows() == other.rows()
    assert home.vectors() == other.vectors()
    for query in ("needle_m003", "haystack"):
        assert home.by_terms(query) == other.by_terms(query)
    assert home.vector_folders() == home.stores.catalog.segment_names()


def test_a_run_that_was_stopped_is_taken_up(repo: Repository, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.storing.BATCH_CHUNKS", 4)
    repo.commit({f"m{n:02}.py": f"def m{n:02}(): return 'sheep'\n" for n in range(40)} | {"m33.py": "zebra = 1\n"})
    other = fresh(home.stores.home, repo.source())
    home.embedder = Failing()
    with pytest.raises(EmbedderError):
        home.index(repo.source())
    assert not home.stores.catalog.snapshots()
    home.embedder.word = "nothing says this"
    source = Reading(repo.source())
    report = home.index(source)
    assert 4 <= report.embedded <= 20
    assert len(source.read_paths) < 25 and report.added == 43
    assert home.rows() == other.rows()
    assert home.vectors() == other.vectors()
    for query in ("sheep", "allocate tokens"):
        assert home.by_terms(query) == other.by_terms(query)
    assert home.vector_folders() == home.stores.catalog.segment_names()
    assert not list((home.stores.home / "pending").iterdir())


def test_what_another_repository_has_begun_is_left_for_it(
    repo: Repository, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.storing.BATCH_CHUNKS", 2)
    repo.commit({"z.py": "zebra = 1\n"})
    home.embedder = Failing()
    with pytest.raises(EmbedderError):
        home.index(repo.source())
    other = Repository(tmp_path / "other")
    other.commit({"b.py": "def b(): ...\n"})
    home.index(open_source(str(other.folder), ref=None, repository="acme/other", cache=tmp_path))
    home.embedder.word = "nothing says this"
    assert home.index(repo.source()).embedded < 5
    assert home.rows("main") and {s.origin.repository for s in home.stores.catalog.snapshots()} == {
        REPOSITORY,
        "acme/other",
    }


def test_a_version_is_stale_from_when_its_source_moves_on_until_it_is_indexed(repo: Repository, home: Home) -> None:
    home.index(repo.source())
    repo.commit({"new.py": "zebra = 1\n"})
    assert not home.retriever.search(Question("allocate"), 5).index.stale  # nobody has looked
    home.embedder = Failing()
    with pytest.raises(EmbedderError):
        home.index(repo.source())
    assert home.retriever.search(Question("allocate"), 5).index.stale
    home.embedder.word = "nothing says this"
    home.index(repo.source())
    assert not home.retriever.search(Question("allocate"), 5).index.stale


def test_a_commit_by_its_sha_leaves_the_branch_at_it_alone(repo: Repository, home: Home) -> None:
    home.index(repo.source())
    report = home.index(repo.source(repo.git("rev-parse", "HEAD")))
    assert counts(report) == (3, 0, 0, 0) and report.embedded == 0
    named, main = home.stores.catalog.snapshots()
    assert (named.origin.ref, main.origin.ref) == (main.origin.commit, "main") and not (named.stale or main.stale)


def test_the_repositorys_rules_hold_and_change_with_it(repo: Repository, home: Home) -> None:
    def aside() -> set[str]:
        (snapshot,) = home.stores.catalog.snapshots()
        ids = {s.id for s in home.stores.catalog.all_chunks(snapshot)}
        return {place.path for place in home.stores.catalog.places(snapshot, sorted(ids)).values() if place.aside}

    home.index(repo.source())
    repo.commit({".repopilotignore": "docs/\n", ".gitattributes": "engine/c*.py linguist-generated\n"})
    report = home.index(repo.source())
    reasons = {skipped.path: skipped.reason for skipped in report.skipped}
    assert reasons["docs/guide.md"] == "excluded by the pattern docs/ in .repopilotignore"
    assert (report.unchanged, aside()) == (2, {"engine/cache.py"})
    repo.commit({".repopilotignore": None, ".gitattributes": "!\n"})
    report = home.index(repo.source())
    assert aside() == set() and "docs/guide.md" in home.found("sixteen tokens")


def test_a_removed_version_takes_only_what_it_alone_needs(repo: Repository, home: Home) -> None:
    home.index(repo.source())
    repo.commit({"new.py": "def new(): ...\n", "docs/guide.md": None}, branch="next")
    home.index(repo.source("next"))
    (main,) = home.stores.catalog.snapshots(ref="main")
    remove(home.stores, [main])
    assert [s.origin.ref for s in home.stores.catalog.snapshots()] == ["next"]
    other = fresh(home.stores.home, repo.source("next"))
    assert home.rows() == other.rows()
    assert home.by_terms("sixteen tokens guide") == other.by_terms("sixteen tokens guide")
    with pytest.raises(IndexMissing, match=r"acme/engine at main was removed"):
        remove(home.stores, [main])
    remove(home.stores, home.stores.catalog.snapshots())
    assert home.vector_folders() == set() and not list((home.stores.home / "lexical").iterdir())


WORDS = ("alpha", "beta", "gamma", "delta", "block", "cache", "\r\n", "é", "def f():", "# x", "\n\n", "  ")
TREES = st.dictionaries(
    st.sampled_from(["a.py", "b.md", "src/c.rs", "src/d.txt", "e.json", "f"]),
    st.lists(st.sampled_from(WORDS), max_size=6).map("\n".join),
    max_size=5,
)


def folder_with(tree: Mapping[str, str], folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path, text in tree.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(text.encode())
    return folder


@settings(
    max_examples=int(os.environ.get("EXAMPLES", "12")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(TREES, TREES)
def test_syncing_one_tree_after_another_is_as_a_fresh_index(before: dict[str, str], after: dict[str, str]) -> None:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as made:
        home, root = Home.at(Path(made) / "home"), Path(made)
        for tree in (before, after):
            folder_with(tree, root / "tree")
            report = home.index(open_source(str(root / "tree"), ref=None, repository=REPOSITORY, cache=root / "c"))
        other = Home.at(root / "other")
        expected = other.index(open_source(str(root / "tree"), ref=None, repository=REPOSITORY, cache=root / "c"))
        assert home.rows() == other.rows()
        assert list(report.skipped) == list(expected.skipped)
        assert home.found("alpha block def f") == other.found("alpha block def f")
        home.close()
        other.close()


def test_nothing_indexed_is_said(home: Home) -> None:
    with pytest.raises(IndexMissing, match="Nothing is indexed yet; run `repopilot index SOURCE` first"):
        home.found("allocate")
