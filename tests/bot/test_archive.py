"""What is stored is packed while it is in use, and comes back whole or not at all."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from bot.archive import InUse, NoBackup, backup, restore
from bot.history import History
from bot.ledger import Ledger
from bot.retrieval import Retriever
from bot.types import Question
from fakes.library import Library
from indexer.errors import IndexLocked, StorageError
from indexer.stores import Stores

ASKED = Question("how many blocks hold the tokens")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.indexed(tmp_path) as made:
        yield made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "monday.tar.gz"


@pytest.fixture
def packed(library: Library, file: Path) -> Path:
    file.parent.mkdir()
    backup(library.stores, file)
    return file


def found(library: Library, home: Path) -> list[tuple[str, int]]:
    stores = Stores(home)
    retriever = Retriever(stores, library.embedder)
    passages = retriever.search(ASKED, 5).passages
    retriever.close()
    stores.catalog.close()
    return [(passage.path, passage.start_line) for passage in passages]


def test_an_index_answers_as_before(library: Library, packed: Path, tmp_path: Path) -> None:
    before = found(library, library.stores.home)
    restore(packed, tmp_path / "new")
    assert before and found(library, tmp_path / "new") == before
    assert packed.stat().st_mode & 0o077 == 0


def test_what_is_written_meanwhile_harms_nothing(library: Library, file: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{library.stores.home / 'jobs.sqlite'}"
    ledger, history = Ledger(url), History(url)
    ledger.keep("discord:config:1", {"ref": "main"})  # in the journal only, since the connections stay open
    history.vote("a1", "http:ada", "up")
    file.parent.mkdir()
    backup(library.stores, file)
    restore(file, tmp_path / "new")
    again = f"sqlite:///{tmp_path / 'new' / 'jobs.sqlite'}"
    assert Ledger(again).kept("discord:config:1") == {"ref": "main"}
    assert History(again).votes("a1") == {"http:ada": "up"}
    ledger.close()
    history.close()


def test_downloads_and_locks_are_left_out(library: Library, file: Path) -> None:
    home = library.stores.home
    (home / "sources").mkdir(exist_ok=True)
    (home / "sources" / "big.tar").write_bytes(b"x" * 1000)
    file.parent.mkdir()
    made = backup(library.stores, file)
    with tarfile.open(file) as archive:
        names = archive.getnames()
    assert len(names) == made.files + 1 and "catalog.sqlite3" in names
    assert not [name for name in names if "sources" in name or name.endswith((".lock", "-wal", "-shm"))]


def test_nothing_is_packed_while_something_is_indexed(library: Library, tmp_path: Path) -> None:
    with FileLock(library.stores.home / "index.lock", is_singleton=False), pytest.raises(IndexLocked):
        backup(library.stores, tmp_path / "b.tar.gz")
    assert not list(tmp_path.glob("b.tar.gz*"))


def test_a_folder_that_holds_something_is_refused_or_moved_aside(
    packed: Path, library: Library, tmp_path: Path
) -> None:
    home = tmp_path / "new"
    home.mkdir()
    (home / "precious").write_text("yes")
    with pytest.raises(InUse, match="--force"):
        restore(packed, home)
    assert [path.name for path in home.iterdir()] == ["precious"]
    restore(packed, home, force=True)
    (aside,) = home.glob("before-*")
    assert (aside / "precious").read_text() == "yes" and found(library, home)
    restore(packed, home, force=True)
    assert len(list(home.glob("before-*"))) == 2
    assert not list(home.glob(".restoring*"))


@pytest.mark.parametrize("damage", ["cut", "foreign", "empty", "bytes"])
def test_what_is_no_whole_backup_changes_nothing(packed: Path, tmp_path: Path, damage: str) -> None:
    whole = packed.read_bytes()
    if damage == "foreign":
        with tarfile.open(packed, "w:gz") as archive:
            member = tarfile.TarInfo("x")
            archive.addfile(member, io.BytesIO())
    else:
        packed.write_bytes({"cut": whole[: len(whole) // 2], "empty": b"", "bytes": b"no archive at all"}[damage])
    with pytest.raises(NoBackup, match="monday"):
        restore(packed, tmp_path / "new")
    assert list((tmp_path / "new").iterdir()) == []


def test_a_member_that_would_leave_the_folder_is_refused(packed: Path, tmp_path: Path) -> None:
    with tarfile.open(packed) as archive:
        members = [(member, archive.extractfile(member).read()) for member in archive if member.isfile()]  # type: ignore[union-attr]
    with tarfile.open(packed, "w:gz") as archive:
        for member, content in members:
            member.name = member.name.replace("catalog.sqlite3", "../../catalog.sqlite3")
            archive.addfile(member, io.BytesIO(content))
    with pytest.raises(NoBackup):
        restore(packed, tmp_path / "new")
    assert not list(tmp_path.glob("catalog*"))


def test_a_place_that_cannot_be_written_is_named(library: Library, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="nowhere"):
        backup(library.stores, tmp_path / "nowhere" / "b.tar.gz")
