"""A SQLite file that threads and processes share: connections, transactions, its schema, and its failures in words."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any
from weakref import WeakSet

from filelock import FileLock, Timeout

from indexer.errors import IndexDamaged, StorageError

SCHEMA_VERSION = 3
BUSY_TIMEOUT_S = 10.0


class _Held:
    """What a thread holds its connection by, which is closed as the thread ends: left to itself it would wait for the
    garbage collector, since sqlite3 ties a connection to its statements in a circle."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        self.connection.close()


class Database:
    """Safe to share: each thread has a connection of its own, so none sees what another has not committed.

    One process writes, others may read. Raises IndexDamaged for a file that is torn, foreign or of another format.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._own = threading.local()
        self._connections = WeakSet[_Held]()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._make()

    def close(self) -> None:
        for held in list(self._connections):
            held.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; raises StorageError when the disk is full or not writable."""
        self._run("BEGIN IMMEDIATE")
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # a full disk has rolled back already
                self._db.rollback()
            raise

    def give_back_space(self) -> None:
        """Return the space of deleted rows to the file system."""
        for _ in self._rows("PRAGMA incremental_vacuum"):
            pass

    @property
    def _db(self) -> sqlite3.Connection:
        """This thread's connection; it is closed when the thread ends."""
        if not hasattr(self._own, "held"):
            self._own.held = _Held(self._connect())
            self._connections.add(self._own.held)
        held: _Held = self._own.held
        return held.connection

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                self._path,
                timeout=BUSY_TIMEOUT_S,
                isolation_level=None,
                check_same_thread=False,  # `close` closes all of them
            )
            connection.executescript("PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;")
        except sqlite3.DatabaseError as error:
            raise _failure(self._path, error) from error
        return connection

    def _rows(self, sql: str, parameters: Sequence[object] = ()) -> Iterator[Any]:
        """The rows of a query, one after the other: a torn page may come up at any of them."""
        try:
            yield from self._db.execute(sql, parameters)
        except sqlite3.DatabaseError as error:
            raise _failure(self._path, error) from error

    def _run(self, sql: str, parameters: Sequence[object] = ()) -> sqlite3.Cursor:
        try:
            return self._db.execute(sql, parameters)
        except sqlite3.DatabaseError as error:
            raise _failure(self._path, error) from error

    def _run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        try:
            self._db.executemany(sql, rows)
        except sqlite3.DatabaseError as error:
            raise _failure(self._path, error) from error

    def _insert(self, sql: str, parameters: Sequence[object]) -> int:
        """The id of the new row."""
        row_id = self._run(sql, parameters).lastrowid
        assert row_id is not None
        return row_id

    def _make(self) -> None:
        if self._version() == SCHEMA_VERSION:
            return
        # Another process may be making it right now, and SQLite does not wait for a change of the journal's mode.
        try:
            with FileLock(self._path.with_suffix(".lock"), timeout=BUSY_TIMEOUT_S):
                self._make_locked()
        except Timeout as error:
            raise StorageError(
                f"Another process has been making the catalog {self._path} for {BUSY_TIMEOUT_S:.0f} seconds;"
                " run this again when it has finished."
            ) from error

    def _make_locked(self) -> None:
        version = self._version()
        if version == 0 and not list(self._rows("SELECT 1 FROM sqlite_master LIMIT 1")):
            self._run("PRAGMA auto_vacuum=INCREMENTAL")
            self._run("PRAGMA journal_mode=WAL")
            with self.transaction():
                schema = files("indexer").joinpath("schema.sql").read_text(encoding="utf-8")
                for statement in (*schema.split(";")[:-1], f"PRAGMA user_version = {SCHEMA_VERSION}"):
                    self._run(statement)
        elif version == 0:
            raise StorageError(
                f"{self._path} belongs to another program; set REPOPILOT_HOME to a folder of RepoPilot's own."
            )
        elif version != SCHEMA_VERSION:
            raise IndexDamaged(
                f"The index in {self._path.parent} was made by another RepoPilot (format {version}, this one reads"
                f" {SCHEMA_VERSION}); run `repopilot upgrade`, which makes it anew from its sources, or"
                " `repopilot index SOURCE --full`, which replaces all of it."
            )

    def _version(self) -> int:
        version: int = self._run("PRAGMA user_version").fetchone()[0]
        return version


def _failure(path: Path, error: sqlite3.DatabaseError) -> StorageError | IndexDamaged:
    text = str(error)
    if "malformed" in text or "not a database" in text:
        return IndexDamaged(
            f"The catalog {path} is damaged ({text}); run `repopilot index SOURCE --full`, which replaces all of"
            f" {path.parent}."
        )
    return StorageError(
        f"The catalog {path} cannot be written or read ({text}); free space or mend its permissions, then try again."
    )
