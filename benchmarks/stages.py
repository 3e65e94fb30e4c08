"""Each stage of indexing alone, with what it takes ready in memory: the floor that no overlap can get below."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import checkout
from benchmarks.table import Row
from indexer.chunking import chunk
from indexer.embedding import card, open_embedder
from indexer.embedding.tokens import Tokens
from indexer.lexical import lexical_document
from indexer.preparing import Prepared, document_of
from indexer.stores import Stores
from indexer.types import Document


@dataclass(slots=True)
class Stages:
    """Seconds and CPU seconds by stage, and how many bytes of text went through them."""

    wall: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    text_bytes: int = 0

    @property
    def total(self) -> float:
        return sum(self.wall.values())

    @property
    def text_mib(self) -> float:
        return self.text_bytes / (1 << 20)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall[name] = self.wall.get(name, 0) + time.perf_counter() - wall
        self.cpu[name] = self.cpu.get(name, 0) + time.process_time() - cpu

    def rows(self) -> list[Row]:
        """Each stage beside reading, and what it takes in CPU."""
        first = next(iter(self.wall.values()))
        rows = [Row(name, seconds, "s", f"read; {self.cpu[name]:.1f} s of CPU") for name, seconds in self.wall.items()]
        return [row.beside(first) for row in rows]


def measure(source: str, cache: Path, home: Path) -> Stages:
    """Run every stage over the whole source."""
    stages = Stages()
    with stages.timed("read"):
        files = list(checkout.selected(source, cache))
    with stages.timed("decode and mask"):
        documents = [found for found in map(document_of, files) if isinstance(found, Document)]
    del files
    stages.text_bytes = sum(len(document.text.encode()) for document in documents)
    with stages.timed("parse and chunk"):
        chunked = [(document, chunk(document)) for document in documents]
    with stages.timed("terms"):
        prepared = [
            Prepared(document, chunks, tuple(lexical_document(document.path, document.kind, piece) for piece in chunks))
            for document, chunks in chunked
        ]
    _write(stages, prepared, Stores(home))
    return stages


def _write(stages: Stages, prepared: list[Prepared], stores: Stores) -> None:
    tokens, embedder = Tokens(), open_embedder()
    with stores.catalog.transaction():
        collection = stores.catalog.add_collection("bench", "bench/bench", embedder.name, 1)
        segment_id = stores.catalog.add_segment(collection, "bench")
    stores.create_lexical("bench")
    segment = stores.vectors.create("bench")
    with stores.lexical("bench").writing() as writer:
        for start in range(0, len(prepared), 400):
            some = prepared[start : start + 400]
            cards = [card(each.document.path, piece) for each in some for piece in each.chunks]
            with stages.timed("tokens"):
                distinct = iter([found.tobytes() for found in tokens.distinct(cards)])
            with stages.timed("vectors"):
                vectors = embedder.embed(cards)
            ids: list[int] = []
            with stages.timed("catalog (SQLite)"), stores.catalog.transaction():
                for each in some:
                    own = [next(distinct) for _ in each.chunks]
                    ids += stores.catalog.add_file(collection, segment_id, each.document, each.chunks, own)[1]
            with stages.timed("terms index (tantivy)"):
                writer.add(zip(ids, (terms for each in some for terms in each.terms), strict=True))
            with stages.timed("vector index (Chroma)"):
                segment.add(ids, vectors)
        with stages.timed("terms index (tantivy)"):
            writer.commit()
    segment.seal()
