from __future__ import annotations

import gc
import os
import shutil
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from cases.program import free_port
from fakes.chroma import chroma
from fakes.disk import small_disk
from fakes.elsewhere import elsewhere, nearest
from indexer.errors import IndexDamaged, StorageError
from indexer.vectors import LocalVectorStore, Segment, ServerVectorStore, Vectors, VectorStore

LIMIT_OF_CHROMA = 5_461


def unit_vectors(count: int, dimension: int = 32, seed: int = 0) -> Vectors:
    made = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    unit: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


@pytest.fixture(scope="session")
def chroma_server() -> Iterator[str]:
    with chroma() as url:
        yield url


@pytest.fixture(params=["local", "server"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> VectorStore:
    if request.param == "local":
        return LocalVectorStore(tmp_path / "vectors")
    return ServerVectorStore(request.getfixturevalue("chroma_server"))


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    return f"{abs(hash(request.node.nodeid)):016x}"


def sealed(store: VectorStore, name: str, ids: Sequence[int], vectors: Vectors) -> None:
    segment = store.create(name)
    segment.add(ids, vectors)
    segment.seal()


class TestContract:
    """What both stores promise."""

    def test_the_nearest_chunks_come_first_with_their_cosine_similarity(self, store: VectorStore, name: str) -> None:
        segment = store.create(name)
        segment.add([7, 8, 9], np.array([[1, 0, 0], [0.6, 0.8, 0], [0, 0, 1]], dtype=np.float32))
        hits = segment.search(np.array([1, 0, 0], dtype=np.float32), 2)
        assert [chunk_id for chunk_id, _ in hits] == [7, 8]
        assert [score for _, score in hits] == pytest.approx([1.0, 0.6], abs=1e-6)

    def test_a_limit_beyond_what_is_there_gives_all(self, store: VectorStore, name: str) -> None:
        segment = store.create(name)
        segment.add([1, 2], unit_vectors(2))
        assert len(segment.search(unit_vectors(1)[0], 6_400)) == 2

    def test_more_than_chroma_takes_at_once(self, store: VectorStore, name: str) -> None:
        count = LIMIT_OF_CHROMA + 500
        vectors = unit_vectors(count, 8)
        segment = store.create(name)
        segment.add(range(10, 10 + count), vectors)
        segment.seal()
        opened = store.open(name)
        assert np.allclose(opened.vectors(range(10, 10 + count)), vectors, atol=1e-6)
        for row in (0, LIMIT_OF_CHROMA, count - 1):
            assert opened.search(vectors[row], 1)[0] == (10 + row, pytest.approx(1, abs=1e-5))

    def test_vectors_come_in_the_order_asked(self, store: VectorStore, name: str) -> None:
        vectors = unit_vectors(3)
        segment = store.create(name)
        segment.add([1, 2, 3], vectors)
        assert np.allclose(segment.vectors([3, 1]), vectors[[2, 0]], atol=1e-6)

    def test_a_vector_that_is_missing_is_damage(self, store: VectorStore, name: str) -> None:
        segment = store.create(name)
        segment.add([1, 2], unit_vectors(2))
        with pytest.raises(IndexDamaged, match=r"1 vectors are missing.*--full"):
            segment.vectors([1, 99])

    def test_segments_are_apart(self, store: VectorStore, name: str) -> None:
        for part in "ab":
            sealed(store, name + part, [ord(part)], unit_vectors(1))
        assert store.open(name + "a").search(unit_vectors(1)[0], 5)[0][0] == ord("a")

    def test_a_missing_segment_is_damage(self, store: VectorStore, name: str) -> None:
        with pytest.raises(IndexDamaged, match=f"{name}.*--full"):
            store.open(name)

    def test_a_dropped_segment_is_missing(self, store: VectorStore, name: str) -> None:
        sealed(store, name + "kept", [1], unit_vectors(1))
        sealed(store, name, [1], unit_vectors(1))
        store.drop(name)
        store.drop(name)
        with pytest.raises(IndexDamaged):
            store.open(name)
        store.open(name + "kept")

    def test_a_name_is_given_once(self, store: VectorStore, name: str) -> None:
        store.create(name)
        with pytest.raises(StorageError, match=f"{name}.*cannot be written"):
            store.create(name)

    def test_threads_search_one_segment(self, store: VectorStore, name: str) -> None:
        vectors = unit_vectors(200)
        sealed(store, name, range(200), vectors)
        segment, wrong = store.open(name), list[object]()

        def ask(start: int) -> None:
            for row in range(start, 200, 4):
                hits = segment.search(vectors[row], 1)
                wrong.extend(hits if hits[0][0] != row else ())

        threads = [threading.Thread(target=ask, args=(start,)) for start in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


@pytest.fixture
def local(tmp_path: Path) -> LocalVectorStore:
    return LocalVectorStore(tmp_path / "vectors")


def graph_of(folder: Path) -> Path:
    return next(path.parent for path in folder.glob("*/header.bin"))


def test_a_segment_is_on_disk_as_a_whole(local: LocalVectorStore, tmp_path: Path) -> None:
    """Chroma replays what it has not written to its graph whenever the folder is opened, for seconds."""
    vectors = unit_vectors(7_300, 8)
    segment = local.create("whole")
    for start in range(0, 7_300, 4_000):
        segment.add(range(start, min(start + 4_000, 7_300)), vectors[start : start + 4_000])
    segment.seal()
    lengths = (graph_of(tmp_path / "vectors" / "whole") / "length.bin").read_bytes()
    assert len(lengths) == 7_300 * struct.calcsize("f")
    assert elsewhere(nearest, tmp_path / "vectors", "whole", vectors[-1], 1)[0][0] == 7_299


def scramble(file: Path) -> None:
    """Other bytes, as many as before."""
    file.write_bytes(bytes(byte ^ 0xFF for byte in file.read_bytes()))


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sound")
    sealed(LocalVectorStore(root), "segment", range(64), unit_vectors(64))
    return root


# Chroma 1.5.9 reads past the end of a cut `data_level0.bin`, and now and then that ends the process.
TEARS: dict[str, Callable[[Path], object]] = {
    "a database that is none": lambda folder: (folder / "chroma.sqlite3").write_bytes(b"x" * 5_000),
    "an empty database": lambda folder: (folder / "chroma.sqlite3").write_bytes(b""),
    "a short database": lambda folder: os.truncate(folder / "chroma.sqlite3", 16_384),
    "a graph without its head": lambda folder: (graph_of(folder) / "header.bin").unlink(),
    "a graph with other names": lambda folder: (graph_of(folder) / "index_metadata.pickle").write_bytes(b"zz"),
    "a short graph": lambda folder: os.truncate(graph_of(folder) / "data_level0.bin", 8_192),
    "a graph of other bytes": lambda folder: scramble(graph_of(folder) / "data_level0.bin"),
    "a graph with more": lambda folder: (graph_of(folder) / "more.bin").write_bytes(b"zz"),
    "no seal": lambda folder: (folder / "sealed.json").unlink(),
    "a torn seal": lambda folder: os.truncate(folder / "sealed.json", 20),
    "no folder": shutil.rmtree,
}


@pytest.mark.parametrize("tear", TEARS.values(), ids=TEARS.keys())
def test_a_torn_segment_is_damage(sound: Path, tmp_path: Path, tear: Callable[[Path], object]) -> None:
    shutil.copytree(sound, tmp_path / "torn")
    tear(tmp_path / "torn" / "segment")
    with pytest.raises(IndexDamaged, match=r"segment.*--full"):
        LocalVectorStore(tmp_path / "torn").open("segment").search(unit_vectors(1)[0], 10)


def test_a_segment_that_is_dropped_while_it_is_open_answers_or_is_damage(local: LocalVectorStore) -> None:
    sealed(local, "segment", [1], unit_vectors(1))
    opened = local.open("segment")
    local.drop("segment")
    try:
        assert opened.search(unit_vectors(1)[0], 1)[0][0] == 1
    except IndexDamaged as error:
        assert "segment" in str(error)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_segment_that_nobody_holds_is_closed(local: LocalVectorStore) -> None:
    """A server that follows a repository for weeks opens thousands of segments."""
    from chromadb.api.shared_system_client import SharedSystemClient

    gc.collect()
    clients, files = set(SharedSystemClient._identifier_to_system), open_files()
    for number in range(5):
        sealed(local, f"segment{number}", [1], unit_vectors(1))
        local.open(f"segment{number}").search(unit_vectors(1)[0], 1)
    assert set(SharedSystemClient._identifier_to_system) <= clients
    assert open_files() <= files + 4


def test_a_segment_that_is_held_twice_stays_open(local: LocalVectorStore) -> None:
    sealed(local, "segment", [1], unit_vectors(1))
    kept, other = local.open("segment"), local.open("segment")
    del other
    assert kept.search(unit_vectors(1)[0], 1)[0][0] == 1


def test_threads_may_open_segments_at_once(local: LocalVectorStore) -> None:
    names = [f"segment{number % 3}" for number in range(12)]
    for name in set(names):
        sealed(local, name, [1], unit_vectors(1))
    opened: list[Segment] = []
    threads = [threading.Thread(target=lambda name=name: opened.append(local.open(name))) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [segment.search(unit_vectors(1)[0], 1)[0][0] for segment in opened] == [1] * len(names)


def test_a_dotenv_of_another_program_is_not_chromas(
    local: LocalVectorStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("MIGRATIONS=none\nIS_PERSISTENT=maybe\nCHROMA_API_IMPL=nonsense\n")
    monkeypatch.chdir(tmp_path)
    sealed(local, "segment", [1], unit_vectors(1))


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    with (
        small_disk(tmp_path / "disk", "1m"),
        pytest.raises(StorageError, match=r"segment cannot be written .*free space"),
    ):
        LocalVectorStore(tmp_path / "disk").create("segment").add(range(2_000), unit_vectors(2_000, 256))


def test_a_server_that_is_not_there_is_said() -> None:
    with pytest.raises(StorageError, match=r"Chroma server at http://127\.0\.0\.1:\d+ does not answer"):
        ServerVectorStore(f"http://127.0.0.1:{free_port()}")


def test_a_server_that_goes_away_is_said() -> None:
    with chroma() as url:
        segment = ServerVectorStore(url).create("segment")
    for act in (lambda: segment.search(unit_vectors(1)[0], 1), lambda: segment.add([1], unit_vectors(1))):
        with pytest.raises(StorageError, match="segment on the Chroma server cannot be reached"):
            act()
