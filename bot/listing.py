"""The stored chunks of a version as `chunks --json` prints them: all that is known of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby
from typing import Any

from indexer import anchors, links
from indexer.catalog import Catalog
from indexer.permalink import permalink
from indexer.records import Snapshot, StoredChunk


def chunk_rows(catalog: Catalog, snapshot: Snapshot, path: str | None) -> Iterator[dict[str, Any]]:
    """One row a chunk, in reading order; Markdown has the paths that its links lead to, and its heading's anchors."""
    for file, chunks in groupby(catalog.all_chunks(snapshot, path), key=lambda stored: stored.path):
        headings: list[anchors.Heading] | None = None
        for stored in chunks:
            row = _row(snapshot, stored)
            if stored.language == "markdown":
                if headings is None:
                    headings = anchors.headings(catalog.text(snapshot, file) or "")
                row["links"] = links.resolved(file, stored.chunk.text)
                row["anchors"] = dict(anchors.anchors_at(headings, _heading_line(stored)))
            yield row


def _row(snapshot: Snapshot, stored: StoredChunk) -> dict[str, Any]:
    chunk = stored.chunk
    return {
        "id": stored.id,
        "path": stored.path,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        "symbol": chunk.symbol,
        "definitions": [asdict(definition) for definition in chunk.definitions],
        "kind": stored.kind,
        "language": stored.language,
        "text": chunk.text,
        "url": permalink(snapshot.origin, stored.path, chunk.start_line, chunk.end_line),
    }


def _heading_line(stored: StoredChunk) -> int:
    """Where the heading stands that a chunk is named by: others without text of their own may precede it."""
    chunk = stored.chunk
    named = (found.start_line for found in chunk.definitions if found.name == chunk.symbol)
    return next(named, chunk.start_line)
