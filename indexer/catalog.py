"""The one store that holds the truth: which versions exist, their files, texts and chunks (SQLite).

Vectors and lexical documents are derived and addressed by chunk ids, which are never reused. What no snapshot reaches
does not exist for a reader; publishing a snapshot is one transaction, so a reader sees the old version or the new one.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from typing import Any

from indexer.database import Database
from indexer.errors import IndexDamaged
from indexer.records import Collection, OpenSegment, Place, Rejected, Snapshot, StoredChunk, StoredFile, StoredSegment
from indexer.types import Address, Chunk, Definition, Document, Origin, Skipped


class Catalog(Database):
    """The tables of schema.sql."""

    # Reading. CROSS JOIN keeps the order as written: the planner would walk the whole version (7 s) for a few ids.

    def snapshots(self, repository: str | None = None, ref: str | None = None) -> list[Snapshot]:
        """The versions that can answer, latest indexed first."""
        rows = self._rows(
            "SELECT s.id, c.id, c.name, c.repository, c.embedder, c.chunker, s.repository, s.ref, s.commit_id, s.web,"
            " s.fingerprint, s.indexed_at, s.files, s.chunks, s.checked_at, s.stale, s.address"
            " FROM snapshot s JOIN collection c ON c.id = s.collection_id"
            " WHERE (?1 IS NULL OR s.repository = ?1 COLLATE NOCASE) AND (?2 IS NULL OR s.ref = ?2 OR s.commit_id = ?2)"
            " ORDER BY s.id DESC",
            (repository, ref),
        )
        return [_snapshot(row) for row in rows]

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
            "SELECT c.id, f.path, f.kind, coalesce(sf.aside, f.generated)"
            " FROM json_each(?2) j CROSS JOIN chunk c ON c.id = j.value"
            " CROSS JOIN file f ON f.id = c.file_id"
            " CROSS JOIN snapshot_file sf ON sf.file_id = f.id AND sf.snapshot_id = ?1",
            (snapshot.id, json.dumps(list(chunk_ids))),
        )
        return {chunk_id: Place(path, kind, bool(aside)) for chunk_id, path, kind, aside in rows}

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
        values = (name, repository, embedder, chunker)
        made = self._insert("INSERT INTO collection (name, repository, embedder, chunker) VALUES (?, ?, ?, ?)", values)
        return Collection(made, *values)

    def add_segment(self, collection: Collection, name: str) -> int:
        return self._insert("INSERT INTO segment (collection_id, name) VALUES (?, ?)", (collection.id, name))

    def add_file(
        self,
        collection: Collection,
        segment_id: int,
        document: Document,
        chunks: Sequence[Chunk],
        tokens: Sequence[bytes],
    ) -> tuple[int, list[int]]:
        """Store a document and its chunks, with the token ids of each; returns its file id and its chunks' ids."""
        file_id = self._insert(
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
        pairs = zip(chunks, tokens, strict=True)
        return file_id, [self._add_chunk(file_id, document, chunk, ids) for chunk, ids in pairs]

    def publish(
        self,
        collection: Collection,
        origin: Origin,
        indexed_at: str,
        files: Mapping[int, bool | None],
        skipped: Iterable[Rejected],
        address: Address | None = None,
    ) -> Snapshot:
        """Make these files the version that answers for `origin`, in place of the one before.

        `files` tells by file id whether the file stands aside in this version (None: as its own text says).
        """
        self._run("DELETE FROM snapshot WHERE repository = ? AND ref = ?", (origin.repository, origin.ref))
        snapshot_id = self._insert(
            "INSERT INTO snapshot (collection_id, repository, ref, commit_id, web, fingerprint, indexed_at, checked_at,"
            " address) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (collection.id, *astuple(origin), indexed_at, indexed_at, json.dumps(address and astuple(address))),
        )
        self._run_many(
            "INSERT INTO snapshot_file VALUES (?, ?, ?)", ((snapshot_id, *file_aside) for file_aside in files.items())
        )
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

    def mark_checked(self, snapshot: Snapshot, checked_at: str) -> None:
        """The source was looked at and is as this version has it."""
        self._run("UPDATE snapshot SET checked_at = ?, stale = 0 WHERE id = ?", (checked_at, snapshot.id))

    def mark_stale(self, snapshot: Snapshot) -> None:
        """The source has moved on, and the version that will replace this one is not there yet."""
        self._run("UPDATE snapshot SET stale = 1 WHERE id = ?", (snapshot.id,))

    def remove(self, snapshot: Snapshot) -> None:
        """The version answers no more; a sweep deletes what nothing else reaches."""
        self._run("DELETE FROM snapshot WHERE id = ?", (snapshot.id,))

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

    def open_segment(self, collection: Collection) -> OpenSegment | None:
        """The segment that a run which did not finish was writing."""
        rows = self._rows(
            "SELECT id, name FROM segment WHERE collection_id = ? AND chunks = 0 ORDER BY id DESC LIMIT 1",
            (collection.id,),
        )
        return next((OpenSegment(*row) for row in rows), None)

    def chunks_of_segment(self, segment_id: int) -> Iterator[StoredChunk]:
        """Every chunk in a segment, whether a version reaches it or not."""
        return _stored_chunks(
            self._rows(
                f"SELECT {_CHUNK_COLUMNS} FROM file f JOIN chunk c ON c.file_id = f.id WHERE f.segment_id = ?"
                " ORDER BY f.id, c.id",
                (segment_id,),
            )
        )

    def forget_incomplete(self, segment_id: int, chunk_ids: Iterable[int]) -> None:
        """Delete the files of a segment that have a chunk which is not among these."""
        self._run("CREATE TEMP TABLE IF NOT EXISTS complete (id INTEGER PRIMARY KEY)")
        self._run("DELETE FROM complete")
        self._run_many("INSERT INTO complete VALUES (?)", ((chunk_id,) for chunk_id in chunk_ids))
        self._run(
            "DELETE FROM file WHERE segment_id = ? AND EXISTS"
            " (SELECT 1 FROM chunk WHERE file_id = file.id AND id NOT IN (SELECT id FROM complete))",
            (segment_id,),
        )

    def unreached_chunks(self, repository: str) -> dict[str, list[int]]:
        """Chunk ids that no snapshot reaches, by the name of their collection, where that one is still used."""
        found: dict[str, list[int]] = {}
        rows = self._rows(
            "SELECT k.name, c.id FROM collection k JOIN file f ON f.collection_id = k.id JOIN chunk c"
            " ON c.file_id = f.id WHERE k.repository = ?"
            " AND NOT EXISTS (SELECT 1 FROM snapshot_file WHERE file_id = f.id)"
            " AND EXISTS (SELECT 1 FROM snapshot WHERE collection_id = k.id)",
            (repository,),
        )
        for name, chunk_id in rows:
            found.setdefault(name, []).append(chunk_id)
        return found

    def unreached_segments(self, repository: str) -> list[str]:
        """Names of the segments that hold nothing a snapshot reaches."""
        rows = self._rows(
            "SELECT s.name FROM segment s JOIN collection k ON k.id = s.collection_id WHERE k.repository = ? AND"
            " NOT EXISTS (SELECT 1 FROM file f JOIN snapshot_file sf ON sf.file_id = f.id WHERE f.segment_id = s.id)"
            " ORDER BY s.id",
            (repository,),
        )
        return [row[0] for row in rows]

    def unreached_collections(self, repository: str) -> list[str]:
        """Names of the collections that have no snapshot."""
        rows = self._rows(
            "SELECT name FROM collection c WHERE repository = ?"
            " AND NOT EXISTS (SELECT 1 FROM snapshot WHERE collection_id = c.id)",
            (repository,),
        )
        return [row[0] for row in rows]

    def forget_unreached(self, repository: str) -> None:
        """Delete files that no snapshot reaches, then segments without files, then collections without snapshots."""
        of_repository = "collection_id IN (SELECT id FROM collection WHERE repository = ?)"
        for statement in (
            f"DELETE FROM file WHERE {of_repository} AND NOT EXISTS"
            " (SELECT 1 FROM snapshot_file WHERE file_id = file.id)",
            f"DELETE FROM segment WHERE {of_repository} AND NOT EXISTS"
            " (SELECT 1 FROM file WHERE segment_id = segment.id)",
            "DELETE FROM collection WHERE repository = ? AND NOT EXISTS"
            " (SELECT 1 FROM snapshot WHERE collection_id = collection.id)",
        ):
            self._run(statement, (repository,))

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

    def _add_chunk(self, file_id: int, document: Document, chunk: Chunk, tokens: bytes) -> int:
        own_text = chunk.text if document.language == "notebook" else None
        return self._insert(
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


_CHUNK_COLUMNS = (
    "c.id, f.path, f.language, f.kind, f.generated, c.start_line, c.end_line, c.symbol, c.definitions, c.text,"
    " f.id, f.text"
)


def _snapshot(row: Sequence[Any]) -> Snapshot:
    indexed_at, files, chunks, checked_at, stale, address = row[11:]
    typed = Address(*found) if (found := json.loads(address)) else None
    collection, origin = Collection(*row[1:6]), Origin(*row[6:11])
    return Snapshot(row[0], collection, origin, indexed_at, files, chunks, checked_at, bool(stale), typed)


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
