"""An index of an earlier format is made anew beside the old one, from the sources that it noted, and put in its place.

The old RepoPilot may go on serving until the new one starts: it keeps what it has open. (Not on a Chroma server, which
lets go of the old vectors.)
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from indexer.database import SCHEMA_VERSION
from indexer.errors import IndexMissing, RepoPilotError, StorageError
from indexer.stores import CATALOG, Stores, index_lock
from indexer.types import Address

FOLDER: Final = "upgrade"


class CannotUpgrade(RepoPilotError):
    """The index is not one that can be made anew by itself; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A version that an earlier format's catalog lists; `address` is None where it did not note its source."""

    repository: str
    ref: str
    address: Address | None


def remembered(home: Path) -> list[Remembered] | None:
    """What the catalog in a folder lists; None when its format is this RepoPilot's. Raises IndexMissing and
    CannotUpgrade."""
    path = home / CATALOG
    if not path.exists():
        raise IndexMissing(f"Nothing is indexed in {home}; run `repopilot index SOURCE` first.")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as catalog:
            version: int = catalog.execute("PRAGMA user_version").fetchone()[0]
            if version == SCHEMA_VERSION:
                return None
            if version > SCHEMA_VERSION:
                raise CannotUpgrade(
                    f"The index in {home} was made by a newer RepoPilot (format {version}, this one makes"
                    f" {SCHEMA_VERSION}); use that one."
                )
            noted = any(column[1] == "address" for column in catalog.execute("PRAGMA table_info(snapshot)"))
            rows = catalog.execute(f"SELECT repository, ref, {'address' if noted else 'NULL'} FROM snapshot").fetchall()
    except sqlite3.DatabaseError as error:
        raise CannotUpgrade(
            f"The catalog {path} cannot be read ({error}); run `repopilot index SOURCE --full`, which replaces it."
        ) from error
    return [Remembered(repository, ref, _address(address)) for repository, ref, address in rows]


def upgrade(
    home: Path, found: list[Remembered], index: Callable[[Stores, Address], object], chroma_url: str | None = None
) -> None:
    """Index all of what is remembered with `index` into new stores, and put these in the place of the old.

    What was done is kept when it ends early, and taken up by the next run. Raises what `index` raises, CannotUpgrade,
    IndexLocked, StorageError.
    """
    unknown = [f"{each.repository} {each.ref}" for each in found if each.address is None]
    if unknown:
        raise CannotUpgrade(
            f"The index in {home} does not say where {', '.join(unknown)} came from; run"
            " `repopilot index SOURCE --full` with the source, which replaces all of it."
        )
    stores = Stores(home / FOLDER, chroma_url)
    for each in found:
        assert each.address
        index(stores, each.address)
    names = stores.catalog.segment_names() | stores.catalog.collection_names()
    old = _segments(home / CATALOG)
    stores.catalog.close()
    try:
        with index_lock(home, "putting a new index in the place of an old one"):
            _put_in_place(home, names)
            if chroma_url:
                for name in old:
                    stores.vectors.drop(name)
    except OSError as error:
        raise StorageError(f"The new index could not be put in its place in {home} ({error}).") from error


def _put_in_place(home: Path, names: set[str]) -> None:
    """First the folders, whose names no other index has; then the catalog, at one stroke; then the old goes."""
    new = home / FOLDER
    for kind in ("vectors", "lexical"):
        (home / kind).mkdir(exist_ok=True)
        for folder in (new / kind).glob("*"):
            folder.rename(home / kind / folder.name)
    for journal in home.glob(f"{CATALOG}-*"):  # it belongs to the old one
        journal.unlink()
    (new / CATALOG).replace(home / CATALOG)
    for kind in ("vectors", "lexical"):
        for folder in (home / kind).iterdir():
            if folder.name not in names:
                shutil.rmtree(folder, ignore_errors=True)
    for leftover in (new, home / "pending"):
        shutil.rmtree(leftover, ignore_errors=True)


def _segments(path: Path) -> set[str]:
    """Names of an earlier format's segments, of which a Chroma server keeps no other list; none where it had none."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as catalog:
            return {name for (name,) in catalog.execute("SELECT name FROM segment")}
    except sqlite3.DatabaseError:
        return set()


def _address(noted: str | None) -> Address | None:
    found = json.loads(noted) if noted else None
    return Address(*found) if found else None
