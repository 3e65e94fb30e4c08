"""Many small segments of vectors become few: a search asks each one, and each has its price."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from itertools import islice

from indexer.records import Collection, StoredSegment
from indexer.stores import Stores
from indexer.vectors import LARGEST_BATCH

# A segment with more unreached chunks than this share is rewritten; until then they only cost space.
MOST_UNREACHED = 0.3


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


def compact(stores: Stores, collection: Collection) -> None:
    """Merge small and wasteful segments into one new one; vectors are copied, not computed."""
    catalog = stores.catalog
    old = to_compact(catalog.segments(collection))
    if not old:
        return
    new = stores.add_segment(collection)
    total = 0
    with closing(stores.vectors.create(new.name)) as merged:
        for segment in old:
            ids = iter(catalog.chunk_ids(segment))
            opened = stores.vectors.open(segment.name)
            while batch := list(islice(ids, LARGEST_BATCH)):
                merged.add(batch, opened.vectors(batch))
                total += len(batch)
        merged.seal()
    with catalog.transaction():
        for segment in old:
            catalog.move_files(segment, new.id)
        catalog.seal_segment(new.id, total)
