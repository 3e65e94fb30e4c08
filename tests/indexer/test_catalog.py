from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakes.disk import small_disk
from indexer.catalog import Catalog
from indexer.database import SCHEMA_VERSION
from indexer.errors import IndexDamaged, StorageError
from indexer.records import Collection, Place, Rejected, Snapshot
from indexer.types import Chunk, Definition, Document, Origin, Skipped

NOW = "2026-01-01T00:00:00+00:00"


def document(
    path: str = "a.py", text: str = "def a():\n    pass\n\n\ndef ö():\n    pass", version: str = "1"
) -> Document:
    return Document(path, f"{path}-{version}", "python", "code", text)


def origin(ref: str = "main", commit: str = "c1") -> Origin:
    return Origin("acme/engine", ref, commit, None, f"print-{commit}")


CHUNKS = (
    Chunk(1, 2, "def a():\n    pass", "a", (Definition("a", 1, 2),)),
    Chunk(5, 6, "def ö():\n    pass", "ö", (Definition("ö", 5, 6),)),
)
TOKENS = (b"\x01\x00", b"\x02\x00\x03\x00")


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    made = Catalog(tmp_path / "home" / "catalog.sqlite3")
    yield made
    made.close()


@pytest.fixture
def collection(catalog: Catalog) -> Collection:
    return catalog.add_collection("terms", "acme/engine", "hashing", 1)


def add(catalog: Catalog, collection: Collection, *documents: Document, segment: str = "one") -> list[int]:
    with catalog.transaction():
        segment_id = catalog.add_segment(collection, segment)
        stored = [catalog.add_file(collection, segment_id, d, CHUNKS, TOKENS) for d in documents]
        catalog.seal_segment(segment_id, sum(len(chunk_ids) for _, chunk_ids in stored))
    return [file_id for file_id, _ in stored]


def publish(catalog: Catalog, collection: Collection, files: list[int], made: Origin, *skipped: Rejected) -> Snapshot:
    with catalog.transaction():
        return catalog.publish(collection, made, NOW, dict.fromkeys(files), skipped)


def paths(catalog: Catalog, snapshot: Snapshot) -> list[str]:
    return [file.path for file in catalog.files(snapshot)]


def test_what_is_published_is_read_back(catalog: Catalog, collection: Collection) -> None:
    skipped = Rejected(Skipped("x.bin", "binary"), "sha")
    snapshot = publish(catalog, collection, add(catalog, collection, document()), origin(), skipped)
    assert catalog.snapshots() == [snapshot]
    assert (snapshot.files, snapshot.chunks, snapshot.origin, snapshot.indexed_at) == (1, 2, origin(), NOW)
    stored = list(catalog.all_chunks(snapshot))
    assert [s.chunk for s in stored] == list(CHUNKS)
    assert catalog.chunks(snapshot, [s.id for s in stored]) == {s.id: s for s in stored}
    assert tuple(catalog.tokens([s.id for s in stored]).values()) == TOKENS
    assert catalog.text(snapshot, "a.py") == document().text
    assert catalog.text(snapshot, "b.py") is None
    assert catalog.skipped(snapshot) == [skipped]
    assert catalog.rejected(collection) == {("x.bin", "sha"): skipped}


def test_a_notebooks_chunk_keeps_its_own_text(catalog: Catalog, collection: Collection) -> None:
    notebook = Document("n.ipynb", "sha", "notebook", "docs", '{"cells": ["a"]}')
    with catalog.transaction():
        file_id, _ = catalog.add_file(
            collection, catalog.add_segment(collection, "s"), notebook, [Chunk(1, 1, "a")], [b""]
        )
    snapshot = publish(catalog, collection, [file_id], origin())
    assert [s.chunk.text for s in catalog.all_chunks(snapshot)] == ["a"]


def test_lines_are_split_at_newlines_only(catalog: Catalog, collection: Collection) -> None:
    odd = "a\r\nb\x0bc\x85d\u2028e\nf"
    with catalog.transaction():
        segment_id = catalog.add_segment(collection, "s")
        file_id, _ = catalog.add_file(collection, segment_id, document(text=odd), [Chunk(2, 3, "unused")], [b""])
    snapshot = publish(catalog, collection, [file_id], origin())
    assert next(catalog.all_chunks(snapshot)).chunk.text == "b\x0bc\x85d\u2028e\nf"


def test_publishing_replaces_one_version_and_no_other(catalog: Catalog, collection: Collection) -> None:
    first, second = add(catalog, collection, document("a.py"), document("b.py"))
    publish(catalog, collection, [first], origin("main", "c1"))
    other = publish(catalog, collection, [first, second], origin("v1", "c1"))
    after = publish(catalog, collection, [second], origin("main", "c2"))
    assert catalog.snapshots() == [after, other]
    assert (paths(catalog, after), paths(catalog, other)) == (["b.py"], ["a.py", "b.py"])


def test_a_failed_publication_changes_nothing(catalog: Catalog, collection: Collection) -> None:
    before = publish(catalog, collection, add(catalog, collection, document()), origin())
    with pytest.raises(StorageError, match="FOREIGN KEY"), catalog.transaction():
        catalog.publish(collection, origin("main", "c2"), NOW, {999: None}, [])
    with pytest.raises(RuntimeError), catalog.transaction():
        catalog.publish(collection, origin("main", "c2"), NOW, {}, [])
        raise RuntimeError("in the middle")
    assert catalog.snapshots() == [before]
    assert paths(catalog, before) == ["a.py"]


def test_versions_are_found_by_repository_ref_and_commit(catalog: Catalog, collection: Collection) -> None:
    main = publish(catalog, collection, [], origin("main", "c1"))
    release = publish(catalog, collection, [], origin("v1", "c2"))
    assert catalog.snapshots("ACME/Engine") == [release, main]
    assert catalog.snapshots("acme/engine", "main") == catalog.snapshots(None, "c1") == [main]
    assert catalog.snapshots("acme/other") == catalog.snapshots(ref="v2") == []


def test_chunks_are_those_of_the_version(catalog: Catalog, collection: Collection) -> None:
    first, second = add(catalog, collection, document("a.py"), document("b.py"))
    main = publish(catalog, collection, [first], origin("main"))
    both = publish(catalog, collection, [first, second], origin("v1"))
    ids = [s.id for s in catalog.all_chunks(both)]
    assert {s.path for s in catalog.chunks(main, [*ids, 12_345]).values()} == {"a.py"}
    assert set(catalog.places(main, ids)) == set(catalog.chunks(main, ids)) == set(ids[:2])
    assert catalog.places(both, ids) == dict.fromkeys(ids[:2], Place("a.py", "code", False)) | dict.fromkeys(
        ids[2:], Place("b.py", "code", False)
    )
    assert [s.path for s in catalog.all_chunks(both, "b.py")] == ["b.py", "b.py"]


def test_what_no_version_reaches_is_forgotten_and_what_is_shared_stays(
    catalog: Catalog, collection: Collection
) -> None:
    shared, own = add(catalog, collection, document("a.py"), document("b.py"))
    (gone,) = add(catalog, collection, document("c.py"), segment="two")
    publish(catalog, collection, [shared, own, gone], origin("main", "c1"))
    release = publish(catalog, collection, [shared], origin("v1", "c1"))
    main = publish(catalog, collection, [shared, own], origin("main", "c2"))
    unused = catalog.add_collection("unused", "acme/engine", "other", 1)
    add(catalog, unused, document("d.py"), segment="three")
    assert {name: len(ids) for name, ids in catalog.unreached_chunks("acme/engine").items()} == {"terms": 2}
    assert catalog.unreached_segments("acme/engine") == ["two", "three"]
    assert catalog.unreached_collections("acme/engine") == ["unused"]
    with catalog.transaction():
        catalog.forget_unreached("acme/engine")
    assert (paths(catalog, main), paths(catalog, release)) == (["a.py", "b.py"], ["a.py"])
    assert catalog.segment_names() == {"one"}
    assert catalog.collection_names() == {"terms"}
    assert set(catalog.stored_files(collection)) == {("a.py", "a.py-1"), ("b.py", "b.py-1")}
    assert (catalog.unreached_chunks("acme/engine"), catalog.unreached_segments("acme/engine")) == ({}, [])


def test_ids_are_never_given_again(catalog: Catalog, collection: Collection) -> None:
    (first,) = add(catalog, collection, document())
    with catalog.transaction():
        catalog.forget_unreached("acme/engine")
    again = catalog.add_collection("terms", "acme/engine", "hashing", 1)
    assert add(catalog, again, document())[0] > first


def test_segments_know_what_is_reached_and_move(catalog: Catalog, collection: Collection) -> None:
    kept, _ = add(catalog, collection, document("a.py"), document("b.py"))
    publish(catalog, collection, [kept], origin())
    (segment,) = catalog.segments(collection)
    assert (segment.name, segment.chunks, segment.reached) == ("one", 4, 2)
    assert len(catalog.chunk_ids(segment)) == 2
    with catalog.transaction():
        target = catalog.add_segment(collection, "two")
        catalog.move_files(segment, target)
        catalog.seal_segment(target, 2)
    assert catalog.sealed_segments(collection) == {"two": 2}
    (moved,) = catalog.segments(collection)
    assert (moved.name, moved.chunks, moved.reached) == ("two", 2, 2)


def test_a_skipped_content_is_known_to_its_own_collection_only(catalog: Catalog, collection: Collection) -> None:
    publish(
        catalog, collection, [], origin(), Rejected(Skipped("x", "binary"), "sha"), Rejected(Skipped("y", "lock"), None)
    )
    fresh = catalog.add_collection("fresh", "acme/engine", "hashing", 1)
    assert set(catalog.rejected(collection)) == {("x", "sha")}
    assert catalog.rejected(fresh) == {}
    assert catalog.collection("acme/engine", "hashing", 1) == fresh
    assert catalog.collection("acme/engine", "hashing", 2) is None


def test_a_thread_never_sees_what_another_has_not_committed(catalog: Catalog, collection: Collection) -> None:
    before = publish(catalog, collection, add(catalog, collection, document()), origin())
    seen: list[list[Snapshot]] = []
    with catalog.transaction():
        after = catalog.publish(collection, origin("main", "c2"), NOW, {}, [])
        thread = threading.Thread(target=lambda: seen.append(catalog.snapshots()))
        thread.start()
        thread.join()
    assert (seen, catalog.snapshots()) == ([[before]], [after])


def test_threads_may_read_while_one_writes(catalog: Catalog, collection: Collection) -> None:
    files = add(catalog, collection, *(document(f"{n}.py") for n in range(50)))
    publish(catalog, collection, files, origin())
    wrong: list[object] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                (snapshot,) = catalog.snapshots()
                found = len(list(catalog.all_chunks(snapshot)))
                if found not in (0, 100):  # 0: replaced since
                    wrong.append(found)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is wrong
            wrong.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(30):
        publish(catalog, collection, files, origin("main", f"c{number}"))
    done.set()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_threads_connection_ends_with_it(catalog: Catalog) -> None:
    """Servers end and start threads all day, and the garbage collector may look hours later."""
    left: list[sqlite3.Connection] = []
    for _ in range(20):
        thread = threading.Thread(target=lambda: left.append(catalog._db))
        thread.start()
        thread.join()
    assert len(catalog._connections) == 1
    for connection in left:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


def test_two_may_make_the_catalog_at_once(tmp_path: Path) -> None:
    path, wrong = tmp_path / "catalog.sqlite3", list[Exception]()

    def make() -> None:
        try:
            Catalog(path).snapshots()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is wrong
            wrong.append(error)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_file_that_is_no_database_is_damage(tmp_path: Path) -> None:
    (tmp_path / "catalog.sqlite3").write_bytes(b"not a database " * 1_000)
    with pytest.raises(IndexDamaged, match=r"catalog\.sqlite3 is damaged .*run `repopilot index SOURCE --full`"):
        Catalog(tmp_path / "catalog.sqlite3")


def test_a_catalog_of_another_repopilot_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite3"
    Catalog(path).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(IndexDamaged, match=rf"format {SCHEMA_VERSION + 1}, this one reads {SCHEMA_VERSION}"):
        Catalog(path)
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION + 1,)


def test_another_programs_database_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite3"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE theirs (x)")
    with pytest.raises(StorageError, match="belongs to another program; set REPOPILOT_HOME"):
        Catalog(path)
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


def test_torn_pages_are_damage_wherever_they_come_up(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite3"
    catalog = Catalog(path)
    collection = catalog.add_collection("terms", "acme/engine", "hashing", 1)
    snapshot = publish(
        catalog, collection, add(catalog, collection, *(document(f"{n}.py") for n in range(500))), origin()
    )
    catalog.close()
    whole = path.read_bytes()
    with pytest.raises(IndexDamaged):
        for page in range(1, len(whole) // 4_096):
            path.write_bytes(whole[: page * 4_096] + b"\xff" * 4_096 + whole[(page + 1) * 4_096 :])
            torn = Catalog(path)
            try:
                list(torn.all_chunks(snapshot))
            finally:
                torn.close()


def test_a_torn_text_is_damage(catalog: Catalog, collection: Collection) -> None:
    snapshot = publish(catalog, collection, add(catalog, collection, document()), origin())
    with sqlite3.connect(catalog._path) as db:
        db.execute("UPDATE file SET text = x'00'")
    with pytest.raises(IndexDamaged, match="text in the catalog is damaged"):
        list(catalog.all_chunks(snapshot))


def fill(catalog: Catalog, collection: Collection) -> None:
    with catalog.transaction():
        segment_id = catalog.add_segment(collection, "full")
        for number in range(10_000):
            text = "".join(f"{number * n:x}" for n in range(2_000))
            catalog.add_file(collection, segment_id, document(f"{number}.txt", text), [], [])


def test_a_full_disk_leaves_the_version_before(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as resize:
        catalog = Catalog(tmp_path / "disk" / "catalog.sqlite3")
        collection = catalog.add_collection("terms", "acme/engine", "hashing", 1)
        before = publish(catalog, collection, add(catalog, collection, document()), origin())
        with pytest.raises(StorageError, match=r"catalog\.sqlite3 cannot be written or read .*free space"):
            fill(catalog, collection)
        assert catalog.snapshots() == [before]
        assert len(list(catalog.all_chunks(before))) == 2
        resize("16m")
        publish(catalog, collection, add(catalog, collection, document("b.py"), segment="two"), origin("main", "c2"))
        catalog.close()


def test_a_full_database_leaves_the_version_before(catalog: Catalog, collection: Collection) -> None:
    """The same without a file system of its own: SQLite's own limit raises what a full disk does."""
    before = publish(catalog, collection, add(catalog, collection, document()), origin())
    catalog._db.execute("PRAGMA max_page_count = 60")
    with pytest.raises(StorageError, match=r"full.*free space"):
        fill(catalog, collection)
    assert catalog.snapshots() == [before]
    catalog._db.execute("PRAGMA max_page_count = 100000")
    publish(catalog, collection, add(catalog, collection, document("b.py"), segment="two"), origin("main", "c2"))
