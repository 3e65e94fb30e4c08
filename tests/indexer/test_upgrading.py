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
from fakes.chroma import chroma
from fakes.embedder import HashingEmbedder
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
    found = noted(Library.empty(tmp_path))
    yield found
    found.close()


def noted(library: Library) -> Library:
    """The library, indexed by an address that its catalog notes."""
    library.index()
    address = Address(str(library.folder), None, REPOSITORY)
    source = open_source(address.source, ref=None, repository=REPOSITORY, cache=library.stores.cache)
    sync(source, library.stores, library.embedder, full=True, address=address)
    return library


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


def test_of_the_old_index_nothing_is_left_on_a_chroma_server(tmp_path: Path) -> None:
    import chromadb

    with chroma() as url:
        stores, embedder = Stores(tmp_path / "home", url), HashingEmbedder()
        library = noted(Library(stores, embedder, Retriever(stores, embedder), tmp_path / "demo"))
        (old,) = stores.catalog.segment_names()
        home = made_earlier(library)

        def index(stores: Stores, address: Address) -> None:
            source = open_source(address.source, ref=address.ref, repository=address.repository, cache=stores.cache)
            sync(source, stores, embedder, address=address)

        upgrade(home, remembered(home) or [], index, url)
        stores = Stores(home, url)
        (new,) = stores.catalog.segment_names()
        there = chromadb.HttpClient("127.0.0.1", int(url.rpartition(":")[2])).list_collections()
        assert new != old and [collection.name for collection in there] == [f"repopilot-{new}"]
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
