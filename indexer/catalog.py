"""The one store that holds the truth: which versions exist, their files, texts and chunks (SQLite).

Vectors and lexical documents are derived and addressed by chunk ids, which are never reused. What no snapshot reaches
does not exist for a reader; publishing a snapshot is one transaction, so a reader sees the old version or the new one.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from importlib.resources import files
from pathlib import Path
from typing import Any
from weakref import WeakSet

from filelock import FileLock

from indexer.errors import IndexDamaged, StorageError
from indexer.records import Collection, Place, Rejected, Snapshot, StoredChunk, StoredFile, StoredSegment
from indexer.types import Chunk, Definition, Document, Origin, Skipped

SCHEMA_VERSION = 2
BUSY_TIMEOUT_S = 10.0


class _Connection(sqlite3.Connection):
    """A connection that can be referred to weakly."""


class Catalog:
    """The catalog, safe to share: each thread has a connection of its own, so none sees what another has not committed.

    One process writes, others may read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._own = threading.local()
        self._connections = WeakSet[_Connection]()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._migrate()

    def close(self) -> None:
        for connection in list(self._connections):
            connection.close()

    @property
    def _db(self) -> _Connection:
        """This thread's connection; it is closed when the thread ends."""
        if not hasattr(self._own, "connection"):
            self._own.connection = self._connect()
        connection: _Connection = self._own.connection
        return connection

    def _connect(self) -> _Connection:
        try:
            connection = sqlite3.connect(
                self._path,
                timeout=BUSY_TIMEOUT_S,
                isolation_level=None,
                check_same_thread=False,  # `close` closes all of them
                factory=_Connection,
            )
            connection.executescript("PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;")
        except sqlite3.DatabaseError as error:
            raise _storage_error(self._path, error) from error
        self._connections.add(connection)
        return connection

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

    # Reading. CROSS JOIN keeps the order as written: the planner would walk the whole version (7 s) for a few ids.

    def snapshots(self, repository: str | None = None, ref: str | None = None) -> list[Snapshot]:
        """The versions that can answer, latest indexed first."""
        rows = self._rows(
            "SELECT s.id, c.id, c.name, c.repository, c.embedder, c.chunker, s.repository, s.ref, s.commit_id, s.web,"
            " s.fingerprint, s.indexed_at, s.files, s.chunks"
            " FROM snapshot s JOIN collection c ON c.id = s.collection_id"
            " WHERE (?1 IS NULL OR s.repository = ?1 COLLATE NOCASE) AND (?2 IS NULL OR s.ref = ?2 OR s.commit_id = ?2)"
            " ORDER BY s.id DESC",
            (repository, ref),
        )
        return [Snapshot(r[0], Collection(*r[1:6]), Origin(*r[6:11]), *r[11:]) for r in rows]

    def sealed_segments(self, collection: Collection) -> dict[str, int]:
        """Chunks by name of each segment that a search has to ask: one that no version reaches may be going away."""
        rows = self._rows(
            "SELECT name, chunks FROM segment s WHERE collection_id = ? AND chunks > 0 AND EXISTS"
            " (SELECT 1 FROM file f JOIN snapshot_file sf ON sf.file_id = f.id WHERE f.segment_id = s.id)",
            (collection.id,),
        )
        return dict(rows)

    def segments(self, collection: Collection) -> list[StoredSegment]:
        """The segments that hold this collection's published chunks, oldest first. Counts chunks: for writers."""
        rows = self._rows(
            "SELECT s.id, s.name, s.chunks, count(c.id) FROM segment s JOIN file f ON f.segment_id = s.id"
            " JOIN chunk c ON c.file_id = f.id WHERE s.collection_id = ? AND EXISTS"
            " (SELECT 1 FROM snapshot_file sf WHERE sf.file_id = f.id) GROUP BY s.id ORDER BY s.id",
            (collection.id,),
        )
        return [StoredSegment(*row) for row in rows]

    def files(self, snapshot: Snapshot) -> list[StoredFile]:
        rows = self._rows(
            "SELECT f.id, f.path, f.content_id FROM snapshot_file sf JOIN file f ON f.id = sf.file_id"
            " WHERE sf.snapshot_id = ? ORDER BY f.path",
            (snapshot.id,),
        )
        return [StoredFile(*row) for row in rows]

    def skipped(self, snapshot: Snapshot) -> list[Rejected]:
        rows = self._rows(
            "SELECT path, reason, content_id FROM skipped WHERE snapshot_id = ? ORDER BY path", (snapshot.id,)
        )
        return [Rejected(Skipped(path, reason), content_id) for path, reason, content_id in rows]

    def chunks(self, snapshot: Snapshot, ids: Sequence[int]) -> dict[int, StoredChunk]:
        """Those of the ids that belong to this version, by id."""
        rows = self._rows(
            f"SELECT {_CHUNK_COLUMNS} FROM json_each(?2) j CROSS JOIN chunk c ON c.id = j.value"
            " CROSS JOIN file f ON f.id = c.file_id"
            " CROSS JOIN snapshot_file sf ON sf.file_id = f.id AND sf.snapshot_id = ?1 ORDER BY f.id",
            (snapshot.id, json.dumps(list(ids))),
        )
        return {chunk.id: chunk for chunk in _stored_chunks(rows)}

    def places(self, snapshot: Snapshot, chunk_ids: Sequence[int]) -> dict[int, Place]:
        """Those of the ids that belong to this version, by id."""
        rows = self._rows(
            "SELECT c.id, f.path, f.kind, f.generated FROM json_each(?2) j CROSS JOIN chunk c ON c.id = j.value"
            " CROSS JOIN file f ON f.id = c.file_id"
            " CROSS JOIN snapshot_file sf ON sf.file_id = f.id AND sf.snapshot_id = ?1",
            (snapshot.id, json.dumps(list(chunk_ids))),
        )
        return {chunk_id: Place(path, kind, bool(generated)) for chunk_id, path, kind, generated in rows}

    def tokens(self, chunk_ids: Sequence[int]) -> dict[int, bytes]:
        """The token ids of these chunks, as they were stored."""
        rows = self._rows(
            "SELECT c.id, c.tokens FROM json_each(?) j CROSS JOIN chunk c ON c.id = j.value",
            (json.dumps(list(chunk_ids)),),
        )
        return dict(rows)

    def all_chunks(self, snapshot: Snapshot, path: str | None = None) -> Iterator[StoredChunk]:
        """Every chunk of a version (or of one of its files), in reading order."""
        rows = self._rows(
            f"SELECT {_CHUNK_COLUMNS} FROM snapshot_file sf JOIN file f ON f.id = sf.file_id"
            " JOIN chunk c ON c.file_id = f.id WHERE sf.snapshot_id = ?1 AND (?2 IS NULL OR f.path = ?2)"
            " ORDER BY f.path, c.id",
            (snapshot.id, path),
        )
        return _stored_chunks(rows)

    def text(self, snapshot: Snapshot, path: str) -> str | None:
        """The whole decoded text of a file of this version, or None."""
        rows = self._rows(
            "SELECT f.text FROM file f CROSS JOIN snapshot_file sf ON sf.file_id = f.id AND sf.snapshot_id = ?"
            " WHERE f.collection_id = ? AND f.path = ?",
            (snapshot.id, snapshot.collection.id, path),
        )
        return next((_unpack(row[0]) for row in rows), None)

    # Writing (inside a transaction)

    def collection(self, repository: str, embedder: str, chunker: int) -> Collection | None:
        """The newest collection that these may add to."""
        rows = self._rows(
            "SELECT id, name, repository, embedder, chunker FROM collection WHERE repository = ? AND embedder = ?"
            " AND chunker = ? ORDER BY id DESC LIMIT 1",
            (repository, embedder, chunker),
        )
        return next((Collection(*row) for row in rows), None)

    def add_collection(self, name: str, repository: str, embedder: str, chunker: int) -> Collection:
        cursor = self._run(
            "INSERT INTO collection (name, repository, embedder, chunker) VALUES (?, ?, ?, ?)",
            (name, repository, embedder, chunker),
        )
        return Collection(_row_id(cursor), name, repository, embedder, chunker)

    def add_segment(self, collection: Collection, name: str) -> int:
        return _row_id(self._run("INSERT INTO segment (collection_id, name) VALUES (?, ?)", (collection.id, name)))

    def add_file(
        self,
        collection: Collection,
        segment_id: int,
        document: Document,
        chunks: Sequence[Chunk],
        tokens: Sequence[bytes],
    ) -> tuple[int, list[int]]:
        """Store a document and its chunks, with the token ids of each; returns its file id and its chunks' ids."""
        cursor = self._run(
            "INSERT INTO file (collection_id, segment_id, path, content_id, language, kind, generated, text)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                collection.id,
                segment_id,
                document.path,
                document.content_id,
                document.language,
                document.kind,
                document.generated,
                zlib.compress(document.text.encode()),
            ),
        )
        file_id = _row_id(cursor)
        pairs = zip(chunks, tokens, strict=True)
        return file_id, [self._add_chunk(file_id, document, chunk, ids) for chunk, ids in pairs]

    def publish(
        self,
        collection: Collection,
        origin: Origin,
        indexed_at: str,
        file_ids: Iterable[int],
        skipped: Iterable[Rejected],
    ) -> Snapshot:
        """Make these files the version that answers for `origin`, in place of the one before."""
        self._run("DELETE FROM snapshot WHERE repository = ? AND ref = ?", (origin.repository, origin.ref))
        cursor = self._run(
            "INSERT INTO snapshot"
            " (collection_id, repository, ref, commit_id, web, fingerprint, indexed_at, files, chunks)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0)",
            (collection.id, origin.repository, origin.ref, origin.commit, origin.web, origin.fingerprint, indexed_at),
        )
        snapshot_id = _row_id(cursor)
        self._run_many("INSERT INTO snapshot_file VALUES (?, ?)", ((snapshot_id, file_id) for file_id in file_ids))
        self._run_many(
            "INSERT INTO skipped VALUES (?, ?, ?, ?)",
            ((snapshot_id, r.skipped.path, r.skipped.reason, r.content_id) for r in skipped),
        )
        self._run(
            "UPDATE snapshot SET files = (SELECT count(*) FROM snapshot_file WHERE snapshot_id = ?1),"
            " chunks = (SELECT count(*) FROM snapshot_file JOIN chunk USING (file_id) WHERE snapshot_id = ?1)"
            " WHERE id = ?1",
            (snapshot_id,),
        )
        return next(s for s in self.snapshots(origin.repository, origin.ref) if s.id == snapshot_id)

    def chunk_ids(self, segment: StoredSegment) -> list[int]:
        """Ids of the chunks in a segment that some snapshot still reaches."""
        rows = self._rows(
            "SELECT c.id FROM file f JOIN chunk c ON c.file_id = f.id WHERE f.segment_id = ?"
            " AND EXISTS (SELECT 1 FROM snapshot_file WHERE file_id = f.id) ORDER BY c.id",
            (segment.id,),
        )
        return [row[0] for row in rows]

    def move_files(self, segment: StoredSegment, to_segment_id: int) -> None:
        self._run("UPDATE file SET segment_id = ? WHERE segment_id = ?", (to_segment_id, segment.id))

    def seal_segment(self, segment_id: int, chunks: int) -> None:
        self._run("UPDATE segment SET chunks = ? WHERE id = ?", (chunks, segment_id))

    def unreached_chunks(self) -> dict[str, list[int]]:
        """Chunk ids that no snapshot reaches, by the name of their collection, where that one is still used."""
        found: dict[str, list[int]] = {}
        rows = self._rows(
            "SELECT k.name, c.id FROM file f JOIN collection k ON k.id = f.collection_id"
            " JOIN chunk c ON c.file_id = f.id WHERE NOT EXISTS (SELECT 1 FROM snapshot_file WHERE file_id = f.id)"
            " AND EXISTS (SELECT 1 FROM snapshot WHERE collection_id = k.id)"
        )
        for name, chunk_id in rows:
            found.setdefault(name, []).append(chunk_id)
        return found

    def unreached_segments(self) -> list[str]:
        """Names of the segments that hold nothing a snapshot reaches."""
        rows = self._rows(
            "SELECT name FROM segment s WHERE NOT EXISTS (SELECT 1 FROM file f JOIN snapshot_file sf"
            " ON sf.file_id = f.id WHERE f.segment_id = s.id) ORDER BY id"
        )
        return [row[0] for row in rows]

    def unreached_collections(self) -> list[str]:
        """Names of the collections that have no snapshot."""
        rows = self._rows(
            "SELECT name FROM collection c WHERE NOT EXISTS (SELECT 1 FROM snapshot WHERE collection_id = c.id)"
        )
        return [row[0] for row in rows]

    def forget_unreached(self) -> None:
        """Delete files that no snapshot reaches, then segments without files, then collections without snapshots."""
        self._run("DELETE FROM file WHERE NOT EXISTS (SELECT 1 FROM snapshot_file WHERE file_id = file.id)")
        self._run("DELETE FROM segment WHERE NOT EXISTS (SELECT 1 FROM file WHERE segment_id = segment.id)")
        self._run(
            "DELETE FROM collection WHERE NOT EXISTS (SELECT 1 FROM snapshot WHERE collection_id = collection.id)"
        )

    def collection_names(self) -> set[str]:
        return {row[0] for row in self._rows("SELECT name FROM collection")}

    def segment_names(self) -> set[str]:
        return {row[0] for row in self._rows("SELECT name FROM segment")}

    def stored_files(self, collection: Collection) -> dict[tuple[str, str], int]:
        """File ids by (path, content id)."""
        rows = self._rows("SELECT path, content_id, id FROM file WHERE collection_id = ?", (collection.id,))
        return {(path, content_id): file_id for path, content_id, file_id in rows}

    def rejected(self, collection: Collection) -> dict[tuple[str, str], Rejected]:
        """What was read and left out in any version of a collection, by (path, content id)."""
        rows = self._rows(
            "SELECT path, reason, content_id FROM skipped WHERE content_id IS NOT NULL AND snapshot_id IN"
            " (SELECT id FROM snapshot WHERE collection_id = ?)",
            (collection.id,),
        )
        return {(path, content): Rejected(Skipped(path, reason), content) for path, reason, content in rows}

    def _rows(self, sql: str, parameters: Sequence[object] = ()) -> Iterator[Any]:
        """The rows of a query, one after the other: a torn page may come up at any of them."""
        try:
            yield from self._db.execute(sql, parameters)
        except sqlite3.DatabaseError as error:
            raise _storage_error(self._path, error) from error

    def _run(self, sql: str, parameters: Sequence[object] = ()) -> sqlite3.Cursor:
        try:
            return self._db.execute(sql, parameters)
        except sqlite3.DatabaseError as error:
            raise _storage_error(self._path, error) from error

    def _run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        try:
            self._db.executemany(sql, rows)
        except sqlite3.DatabaseError as error:
            raise _storage_error(self._path, error) from error

    def _add_chunk(self, file_id: int, document: Document, chunk: Chunk, tokens: bytes) -> int:
        own_text = chunk.text if document.language == "notebook" else None
        cursor = self._run(
            "INSERT INTO chunk (file_id, start_line, end_line, symbol, definitions, text, tokens)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                file_id,
                chunk.start_line,
                chunk.end_line,
                chunk.symbol,
                json.dumps([astuple(found) for found in chunk.definitions]),
                own_text,
                tokens,
            ),
        )
        return _row_id(cursor)

    def _migrate(self) -> None:
        if self._version() == SCHEMA_VERSION:
            return
        # Another process may be making it right now, and SQLite does not wait for a change of the journal's mode.
        with FileLock(self._path.with_suffix(".lock"), timeout=BUSY_TIMEOUT_S):
            version = self._version()
            if version == 0 and not list(self._rows("SELECT 1 FROM sqlite_master LIMIT 1")):
                self._run("PRAGMA journal_mode=WAL")
                with self.transaction():
                    schema = files("indexer").joinpath("schema.sql").read_text(encoding="utf-8")
                    for statement in (*schema.split(";")[:-1], f"PRAGMA user_version = {SCHEMA_VERSION}"):
                        self._run(statement)
            elif version != SCHEMA_VERSION:
                raise IndexDamaged(
                    f"The index in {self._path.parent} was made by another RepoPilot (format {version}, this one reads"
                    f" {SCHEMA_VERSION}); delete that folder and run `repopilot index SOURCE` again."
                )

    def _version(self) -> int:
        version: int = self._run("PRAGMA user_version").fetchone()[0]
        return version


_CHUNK_COLUMNS = (
    "c.id, f.path, f.language, f.kind, f.generated, c.start_line, c.end_line, c.symbol, c.definitions, c.text,"
    " f.id, f.text"
)


def _stored_chunks(rows: Iterable[Any]) -> Iterator[StoredChunk]:
    """Chunks from rows of `_CHUNK_COLUMNS`; rows of one file come together, so that it is unpacked once."""
    last_file, lines = None, list[str]()
    for chunk_id, path, language, kind, generated, start, end, symbol, definitions, text, file_id, packed in rows:
        if file_id != last_file:
            last_file, lines = file_id, _unpack(packed).split("\n")
        own_text = "\n".join(lines[start - 1 : end]) if text is None else text
        found = tuple(Definition(*row) for row in json.loads(definitions))
        chunk = Chunk(start, end, own_text, symbol, found)
        yield StoredChunk(chunk_id, path, language, kind, bool(generated), chunk)


def _unpack(packed: bytes) -> str:
    try:
        return zlib.decompress(packed).decode()
    except (zlib.error, ValueError) as error:
        raise IndexDamaged(
            f"A text in the catalog is damaged ({error}); run `repopilot index SOURCE --full` to rebuild it."
        ) from error


def _row_id(cursor: sqlite3.Cursor) -> int:
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _storage_error(path: Path, error: sqlite3.DatabaseError) -> StorageError | IndexDamaged:
    text = str(error)
    if "malformed" in text or "not a database" in text:
        return IndexDamaged(
            f"The catalog {path} is damaged ({text}); delete its folder and run `repopilot index SOURCE` again."
        )
    return StorageError(
        f"The catalog {path} cannot be written or read ({text}); free space or mend its permissions, then try again."
    )
