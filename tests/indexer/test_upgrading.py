"""An index of an earlier format is made anew from what it noted of its sources."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.retrieval import Retriever
from bot.types import Question
from fakes.library import REPOSITORY, Library
from indexer.database import SCHEMA_VERSION
from indexer.errors import IndexDamaged, IndexMissing, SourceError
from indexer.sources import open_source
from indexer.stores import CATALOG, Stores
from indexer.sync import sync
from indexer.types import Address
from indexer.upgrading import FOLDER, CannotUpgrade, remembered, upgrade


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    found = Library.empty(tmp_path)
    found.index()
    address = Address(str(found.folder), None, REPOSITORY)
    source = open_source(address.source, ref=None, repository=REPOSITORY, cache=found.stores.cache)
    sync(source, found.stores, found.embedder, full=True, address=address)
    yield found
    found.close()


def altered(home: Path, *statements: str) -> None:
    with closing(sqlite3.connect(home / CATALOG)) as catalog:
        for statement in statements:
            catalog.execute(statement)
        catalog.commit()


def made_earlier(library: Library, *statements: str) -> Path:
    """The index as if an earlier RepoPilot had made it."""
    library.close()
    altered(library.stores.home, *statements, f"PRAGMA user_version = {SCHEMA_VERSION - 1}")
    return library.stores.home


def test_an_older_index_is_made_anew_in_its_place(library: Library) -> None:
    old = {path.name for path in (library.stores.home / "vectors").iterdir()}
    home = made_earlier(library)
    with pytest.raises(IndexDamaged, match="repopilot upgrade"):
        Stores(home)
    found = remembered(home)
    assert found and [(each.repository, each.address and each.address.source) for each in found] == [
        (REPOSITORY, str(library.folder))
    ]

    def index(stores: Stores, address: Address) -> None:
        source = open_source(address.source, ref=address.ref, repository=address.repository, cache=stores.cache)
        sync(source, stores, library.embedder, address=address)

    upgrade(home, found, index)
    assert remembered(home) is None and not (home / FOLDER).exists()
    stores = Stores(home)
    retriever = Retriever(stores, library.embedder)
    passages = retriever.search(Question("how many blocks hold the tokens"), 1).passages
    assert [passage.path for passage in passages] == ["cache/blocks.py"]
    assert not old & {path.name for path in (home / "vectors").iterdir()}
    retriever.close()
    stores.catalog.close()


def test_the_old_index_stays_when_a_source_is_gone(library: Library) -> None:
    home = made_earlier(library)
    shutil.rmtree(library.folder)
    found = remembered(home)

    def index(stores: Stores, address: Address) -> None:
        open_source(address.source, ref=address.ref, repository=address.repository, cache=stores.cache)

    assert found
    with pytest.raises(SourceError):
        upgrade(home, found, index)
    assert remembered(home) == found and list((home / "vectors").iterdir())


def test_a_source_that_was_not_noted_is_asked_for(library: Library) -> None:
    home = made_earlier(library, "ALTER TABLE snapshot DROP COLUMN address")
    found = remembered(home)
    assert found and found[0].address is None
    with pytest.raises(CannotUpgrade, match=f"{REPOSITORY}.*--full"):
        upgrade(home, found, lambda stores, address: None)


def test_what_cannot_be_upgraded_is_said(library: Library, tmp_path: Path) -> None:
    home = library.stores.home
    assert remembered(home) is None
    library.close()
    altered(home, f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(CannotUpgrade, match="newer"):
        remembered(home)
    (home / CATALOG).write_bytes(b"not a database at all" * 100)
    with pytest.raises(CannotUpgrade, match="--full"):
        remembered(home)
    with pytest.raises(IndexMissing):
        remembered(tmp_path / "nothing")
