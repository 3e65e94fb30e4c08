"""A source becomes a version that can answer: plan what is new, store it, publish it in one step, sweep what is left.

A crash before `publish` leaves the old version answering and some rows that nothing reaches; the next run sweeps them.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice

from indexer.catalog import Catalog
from indexer.chunking import CHUNKER_VERSION, chunk, language_of
from indexer.decoding import decode
from indexer.embedding import Embedder, card
from indexer.embedding.tokens import TokenIds, Tokens
from indexer.lexical import LexicalDocument, LexicalWriter
from indexer.records import Collection, Rejected, Snapshot, StoredSegment
from indexer.selection import inspect, is_generated, kind_of, select
from indexer.stores import Stores
from indexer.terms import declared_names
from indexer.types import Chunk, Document, Entry, Origin, Skipped, Source, SourceFile
from indexer.vectors import Segment

# Chunks that are embedded and written together: under Chroma's limit, and a few megabytes of text.
BATCH_CHUNKS = 4_000
# A segment with more unreached chunks than this share is rewritten; until then they only cost space.
MOST_UNREACHED = 0.3

Progress = Callable[[int, int], None]
"""Called with (files done, files in all)."""


@dataclass(frozen=True, slots=True)
class Report:
    """What one run of `index` did. Counts are files, but for `chunks` and `embedded`."""

    snapshot: Snapshot
    added: int
    updated: int
    removed: int
    unchanged: int
    embedded: int
    skipped: Sequence[Skipped]
    seconds: float


@dataclass(frozen=True, slots=True)
class Plan:
    """What has to be read, what is stored already, and what is left out."""

    keep: tuple[int, ...]
    read: tuple[Entry, ...]
    rejected: tuple[Rejected, ...]


@dataclass(slots=True)
class Stored:
    """What a run has stored so far."""

    files: list[int] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    chunks: int = 0


def sync(
    source: Source,
    stores: Stores,
    embedder: Embedder,
    *,
    full: bool = False,
    exclude: Sequence[str] = (),
    progress: Progress = lambda done, total: None,
) -> Report:
    """Make the source's version searchable; nothing is done when it already is and `full` is not asked for.

    Raises IndexLocked, StorageError, IndexDamaged, EmbedderError or SourceError; the version before keeps answering.
    """
    started = time.perf_counter()
    origin = replace(source.origin, fingerprint=_fingerprint(source.origin, embedder, exclude))
    with stores.locked():
        before = next(iter(stores.catalog.snapshots(origin.repository, origin.ref)), None)
        if before and before.origin == origin and not full:
            return _unchanged(stores.catalog, before, started)
        stores.sweep()
        old_files = {f.path: f.content_id for f in stores.catalog.files(before)} if before else {}
        collection = _collection(stores, origin.repository, embedder, full)
        plan = plan_sync(
            source.entries(),
            stores.catalog.stored_files(collection),
            stores.catalog.rejected(collection),
            exclude,
        )
        stored = _store(source, plan, stores, collection, embedder, progress)
        snapshot = _publish(stores.catalog, collection, origin, plan, stored)
        _compact(stores, collection)
        stores.sweep()
        return _report(stores.catalog, snapshot, old_files, stored.chunks, started)


def plan_sync(
    entries: Iterable[Entry | Skipped],
    stored: Mapping[tuple[str, str], int],
    rejected: Mapping[tuple[str, str], Rejected],
    exclude: Sequence[str],
) -> Plan:
    """Sort a source's paths into kept, to be read, and left out. `stored` and `rejected` go by (path, content id)."""
    keep, read, left_out = list[int](), list[Entry](), list[Rejected]()
    for entry in entries:
        skipped = entry if isinstance(entry, Skipped) else select(entry, exclude=exclude)
        if skipped:
            left_out.append(Rejected(skipped, None))
            continue
        assert isinstance(entry, Entry)
        key = (entry.path, entry.content_id)
        if key in stored:
            keep.append(stored[key])
        elif key in rejected:
            left_out.append(rejected[key])
        else:
            read.append(entry)
    return Plan(tuple(keep), tuple(read), tuple(left_out))


def to_compact(segments: Sequence[StoredSegment]) -> list[StoredSegment]:
    """Which segments to merge into one: the small ones while none is larger than what is merged before it (so that
    their number grows with the logarithm of the chunks), and those with many unreached chunks."""
    wasteful = [s for s in segments if s.reached < (1 - MOST_UNREACHED) * s.chunks]
    merged: list[StoredSegment] = []
    total = 0
    for segment in sorted((s for s in segments if s not in wasteful), key=lambda s: s.reached):
        if merged and segment.reached > total:
            break
        merged.append(segment)
        total += segment.reached
    return wasteful + merged if len(merged) > 1 else wasteful


def _fingerprint(origin: Origin, embedder: Embedder, exclude: Sequence[str]) -> str:
    return "|".join((origin.fingerprint, embedder.name, str(CHUNKER_VERSION), *exclude))


def _collection(stores: Stores, repository: str, embedder: Embedder, full: bool) -> Collection:
    """The collection to add to; a new one for a full run, another embedder or another chunker."""
    catalog = stores.catalog
    found = None if full else catalog.collection(repository, embedder.name, CHUNKER_VERSION)
    if found:
        return found
    with catalog.transaction():
        made = catalog.add_collection(secrets.token_hex(8), repository, embedder.name, CHUNKER_VERSION)
    stores.create_lexical(made.name)
    return made


def _store(
    source: Source, plan: Plan, stores: Stores, collection: Collection, embedder: Embedder, progress: Progress
) -> Stored:
    """Read, chunk, embed and write what is new. Vectors are made and written in a second thread, a batch behind."""
    stored = Stored()
    if not plan.read:
        return stored
    name = secrets.token_hex(8)
    with stores.catalog.transaction():
        segment_id = stores.catalog.add_segment(collection, name)
    segment = stores.vectors.create(name)
    tokens = Tokens()
    with stores.lexical(collection.name).writing() as writer, ThreadPoolExecutor(1) as executor:
        pending: Future[None] | None = None
        for documents in _batches(_documents(source, plan.read, stored, progress)):
            cards = [card(document.path, piece) for document, chunks in documents for piece in chunks]
            ids = _write_rows(stores.catalog, collection, segment_id, documents, tokens.distinct(cards), stored)
            _write_terms(writer, documents, ids)
            if pending:
                pending.result()
            pending = executor.submit(_write_vectors, segment, embedder, cards, ids)
        if pending:
            pending.result()
    with stores.catalog.transaction():
        stores.catalog.seal_segment(segment_id, stored.chunks)
    return stored


Chunked = tuple[Document, tuple[Chunk, ...]]


def _documents(source: Source, entries: Sequence[Entry], stored: Stored, progress: Progress) -> Iterator[Chunked]:
    for number, file in enumerate(source.read(entries), start=1):
        skipped = inspect(file)
        if skipped:
            stored.rejected.append(Rejected(skipped, file.content_id))
        else:
            document = _document(file)
            yield document, chunk(document)
        progress(number, len(entries))


def _document(file: SourceFile) -> Document:
    text = decode(file)
    return Document(file.path, file.content_id, language_of(file.path), kind_of(file.path), text, is_generated(text))


def _batches(documents: Iterator[Chunked]) -> Iterator[list[Chunked]]:
    batch: list[Chunked] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document[1])
        if size >= BATCH_CHUNKS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _write_rows(
    catalog: Catalog,
    collection: Collection,
    segment_id: int,
    documents: Sequence[Chunked],
    tokens: Sequence[TokenIds],
    stored: Stored,
) -> list[int]:
    ids: list[int] = []
    rest = iter(tokens)
    with catalog.transaction():
        for document, chunks in documents:
            own = [found.tobytes() for found in islice(rest, len(chunks))]
            file_id, chunk_ids = catalog.add_file(collection, segment_id, document, chunks, own)
            stored.files.append(file_id)
            ids += chunk_ids
    stored.chunks += len(ids)
    return ids


def _write_terms(writer: LexicalWriter, documents: Sequence[Chunked], ids: Sequence[int]) -> None:
    pairs = ((document, piece) for document, chunks in documents for piece in chunks)
    writer.add(_terms(i, document, piece) for i, (document, piece) in zip(ids, pairs, strict=True))


def _terms(chunk_id: int, document: Document, piece: Chunk) -> LexicalDocument:
    names = [found.name for found in piece.definitions]
    # Only code declares: prose and tests name what they are about as well.
    declares = declared_names(names, piece.text) if document.kind in ("code", "config") else ()
    return LexicalDocument(chunk_id, piece.text, " ".join((piece.symbol, *names)), document.path, declares)


def _write_vectors(segment: Segment, embedder: Embedder, cards: Sequence[str], ids: Sequence[int]) -> None:
    if cards:
        segment.add(ids, embedder.embed(cards))


def _publish(catalog: Catalog, collection: Collection, origin: Origin, plan: Plan, stored: Stored) -> Snapshot:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    rejected = sorted((*plan.rejected, *stored.rejected), key=lambda r: r.skipped.path)
    with catalog.transaction():
        return catalog.publish(collection, origin, now, (*plan.keep, *stored.files), rejected)


def _compact(stores: Stores, collection: Collection) -> None:
    """Merge small and wasteful segments into one new one; vectors are copied, not computed."""
    catalog = stores.catalog
    old = to_compact(catalog.segments(collection))
    if not old:
        return
    name = secrets.token_hex(8)
    with catalog.transaction():
        segment_id = catalog.add_segment(collection, name)
    merged = stores.vectors.create(name)
    total = 0
    for segment in old:
        ids = iter(catalog.chunk_ids(segment))
        opened = stores.vectors.open(segment.name)
        while batch := list(islice(ids, BATCH_CHUNKS)):
            merged.add(batch, opened.vectors(batch))
            total += len(batch)
    with catalog.transaction():
        for segment in old:
            catalog.move_files(segment, segment_id)
        catalog.seal_segment(segment_id, total)


def _report(
    catalog: Catalog, snapshot: Snapshot, old_files: Mapping[str, str], embedded: int, started: float
) -> Report:
    new_files = {file.path: file.content_id for file in catalog.files(snapshot)}
    common = new_files.keys() & old_files.keys()
    updated = sum(new_files[path] != old_files[path] for path in common)
    return Report(
        snapshot,
        added=len(new_files.keys() - old_files.keys()),
        updated=updated,
        removed=len(old_files.keys() - new_files.keys()),
        unchanged=len(common) - updated,
        embedded=embedded,
        skipped=[rejected.skipped for rejected in catalog.skipped(snapshot)],
        seconds=time.perf_counter() - started,
    )


def _unchanged(catalog: Catalog, snapshot: Snapshot, started: float) -> Report:
    skipped = [rejected.skipped for rejected in catalog.skipped(snapshot)]
    return Report(snapshot, 0, 0, 0, snapshot.files, 0, skipped, time.perf_counter() - started)
