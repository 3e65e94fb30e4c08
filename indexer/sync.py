"""A source becomes a version that can answer: plan what is new, store it, publish it in one step, sweep what is left.

A crash before `publish` leaves the old version answering; the next run goes on where that one ended.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from indexer.catalog import Catalog
from indexer.chunking import CHUNKER_VERSION
from indexer.compaction import compact
from indexer.embedding import Embedder
from indexer.errors import IndexMissing
from indexer.preparing import Outcome, prepare_all
from indexer.records import Collection, Rejected, Snapshot
from indexer.rules import Rules, read_rules
from indexer.selection import select
from indexer.stores import Stores
from indexer.storing import Stored, store, take_up
from indexer.types import Address, Entry, Origin, Skipped, Source

# Bytes of source that take as long as starting a worker does.
WORTH_A_WORKER = 1 << 20

Progress = Callable[[int, int], None]
"""Called with (files done, files in all)."""


@dataclass(frozen=True, slots=True)
class Report:
    """What one run of `index` did. Counts are files, but for `embedded`, which counts chunks."""

    snapshot: Snapshot
    added: int
    updated: int
    removed: int
    unchanged: int
    embedded: int
    skipped: Sequence[Skipped]
    seconds: float
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is stored already (with what the rules say of it), what has to be read, and what is left out."""

    keep: Mapping[int, bool | None]
    read: tuple[Entry, ...]
    rejected: tuple[Rejected, ...]


def sync(
    source: Source,
    stores: Stores,
    embedder: Embedder,
    *,
    full: bool = False,
    exclude: Sequence[str] = (),
    address: Address | None = None,
    workers: int = 0,
    progress: Progress = lambda done, total: None,
) -> Report:
    """Make the source's version searchable; nothing is done when it already is and `full` is not asked for.

    `exclude` are ignore patterns beside the repository's own, `address` is what a watcher opens the source by, and
    `workers` is how many processes parse (0: this one). Raises IndexLocked, StorageError, IndexDamaged, EmbedderError
    or SourceError; the version before keeps answering.
    """
    started, catalog = time.perf_counter(), stores.catalog
    origin = replace(source.origin, fingerprint=_fingerprint(source.origin, embedder, exclude))
    with stores.locked(f"indexing {origin.repository} at {origin.ref}"):
        before = _before(catalog, origin)
        if before and before.origin == origin and not full:
            catalog.mark_checked(before, _now())
            return _unchanged(catalog, before, started)
        if before:
            catalog.mark_stale(before)
        old_files = {f.path: f.content_id for f in catalog.files(before)} if before else {}
        collection = _collection(stores, origin.repository, embedder, full)
        segment = take_up(stores, collection)
        entries = source.entries()
        rules = read_rules(source, entries, exclude)
        plan = plan_sync(entries, catalog.stored_files(collection), catalog.rejected(collection), rules)
        stored = Stored()
        if plan.read or segment:
            outcomes = prepare_all(source.read(plan.read), _enough(workers, plan.read))
            outcomes = _counted(outcomes, len(plan.read), progress)
            stored = store(outcomes, stores, collection, embedder, segment)
        snapshot = _publish(catalog, collection, origin, plan, stored, rules, address)
        compact(stores, collection)
        stores.sweep(origin.repository)
        warnings = (*rules.problems, *stored.warnings)
        return _report(catalog, snapshot, old_files, stored.embedded, warnings, started)


def remove(stores: Stores, snapshots: Sequence[Snapshot]) -> None:
    """Delete versions, and what only they reach. Raises IndexLocked, StorageError or IndexMissing."""
    repositories = {snapshot.origin.repository for snapshot in snapshots}
    with stores.locked(f"removing {', '.join(sorted(repositories))}"):
        known = {snapshot.id for snapshot in stores.catalog.snapshots()}
        if gone := [s for s in snapshots if s.id not in known]:
            raise IndexMissing(f"{gone[0].origin.repository} at {gone[0].origin.ref} was removed or replaced just now.")
        with stores.catalog.transaction():
            for snapshot in snapshots:
                stores.catalog.remove(snapshot)
        for collection in {s.collection for s in stores.catalog.snapshots() if s.origin.repository in repositories}:
            compact(stores, collection)
        for repository in repositories:
            stores.sweep(repository)


def plan_sync(
    entries: Iterable[Entry | Skipped],
    stored: Mapping[tuple[str, str], int],
    rejected: Mapping[tuple[str, str], Rejected],
    rules: Rules,
) -> Plan:
    """Sort a source's paths into kept, to be read, and left out. `stored` and `rejected` go by (path, content id)."""
    keep, read, left_out = dict[int, bool | None](), list[Entry](), list[Rejected]()
    for entry in entries:
        skipped = entry if isinstance(entry, Skipped) else select(entry, rules)
        if skipped:
            left_out.append(Rejected(skipped, None))
            continue
        assert isinstance(entry, Entry)
        key = (entry.path, entry.content_id)
        if key in stored:
            keep[stored[key]] = rules.aside(entry.path)
        elif key in rejected:
            left_out.append(rejected[key])
        else:
            read.append(entry)
    return Plan(keep, tuple(read), tuple(left_out))


def _before(catalog: Catalog, origin: Origin) -> Snapshot | None:
    """The version that this one replaces: a commit that is named by its SHA may also be at the head of a branch."""
    named = (origin.repository, origin.ref)
    known = catalog.snapshots(*named)
    return next((s for s in known if (s.origin.repository, s.origin.ref) == named), None)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _fingerprint(origin: Origin, embedder: Embedder, exclude: Sequence[str]) -> str:
    return "|".join((origin.fingerprint, embedder.name, str(CHUNKER_VERSION), *exclude))


def _collection(stores: Stores, repository: str, embedder: Embedder, full: bool) -> Collection:
    """The collection to add to; a new one for a full run, another embedder or another chunker."""
    catalog = stores.catalog
    found = None if full else catalog.collection(repository, embedder.name, CHUNKER_VERSION)
    if found:
        return found
    name = secrets.token_hex(8)
    stores.create_lexical(name)
    with catalog.transaction():
        return catalog.add_collection(name, repository, embedder.name, CHUNKER_VERSION)


def _enough(workers: int, entries: Sequence[Entry]) -> int:
    """How many of the workers are worth their start."""
    return min(workers, 1 + sum(entry.size for entry in entries) // WORTH_A_WORKER)


def _counted(outcomes: Iterable[Outcome], total: int, progress: Progress) -> Iterator[Outcome]:
    for number, outcome in enumerate(outcomes, start=1):
        yield outcome
        progress(number, total)


def _publish(
    catalog: Catalog,
    collection: Collection,
    origin: Origin,
    plan: Plan,
    stored: Stored,
    rules: Rules,
    address: Address | None,
) -> Snapshot:
    rejected = sorted((*plan.rejected, *stored.rejected), key=lambda r: r.skipped.path)
    new = {file_id: rules.aside(path) for file_id, path in stored.files.items()}
    with catalog.transaction():
        return catalog.publish(collection, origin, _now(), {**plan.keep, **new}, rejected, address)


def _report(
    catalog: Catalog,
    snapshot: Snapshot,
    old_files: Mapping[str, str],
    embedded: int,
    warnings: Sequence[str],
    started: float,
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
        warnings=warnings,
    )


def _unchanged(catalog: Catalog, snapshot: Snapshot, started: float) -> Report:
    skipped = [rejected.skipped for rejected in catalog.skipped(snapshot)]
    return Report(snapshot, 0, 0, 0, snapshot.files, 0, skipped, time.perf_counter() - started)
