"""What a run has prepared goes into the stores: rows first, then terms, then (in a second thread) vectors.

A run that was killed is taken up: what stands in the catalog and has its vectors among the pending ones is done; its
terms and its segment are made anew from these, which costs no reading, no parsing and no embedding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice

from indexer.batches import batches
from indexer.catalog import Catalog
from indexer.embedding import Embedder, card
from indexer.embedding.tokens import TokenIds, Tokens
from indexer.lexical import LexicalWriter, lexical_document
from indexer.pending import PendingVectors
from indexer.preparing import Outcome, Prepared
from indexer.records import Collection, OpenSegment, Rejected
from indexer.stores import Stores
from indexer.types import Skipped
from indexer.vectors import Segment

# Chunks that are written together: under Chroma's limit, and a few megabytes of text.
BATCH_CHUNKS = 4_000
# Chunks that are embedded together: what is lost when a run is killed, which with a slow embedder is a minute's work.
EMBEDDED_CHUNKS = 1_000


@dataclass(slots=True)
class Stored:
    """What a run has stored: paths of new files by id, what was read and left out, how many chunks were embedded."""

    files: dict[int, str] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)
    embedded: int = 0
    warnings: list[str] = field(default_factory=list)


def take_up(stores: Stores, collection: Collection) -> OpenSegment | None:
    """The segment of a run that did not finish, without its incomplete files; None when the last one finished."""
    segment = stores.catalog.open_segment(collection)
    if segment is None:
        return None
    complete = (chunk_id for ids, _ in stores.pending(segment.name) for chunk_id in ids)
    with stores.catalog.transaction():
        stores.catalog.forget_incomplete(segment.id, complete)
    return segment


def store(
    outcomes: Iterable[Outcome], stores: Stores, collection: Collection, embedder: Embedder, segment: OpenSegment | None
) -> Stored:
    """Write what was prepared into `segment`, or a new one, and seal it: everything, or a run to be taken up.

    Raises StorageError, IndexDamaged and EmbedderError, and what `outcomes` raises.
    """
    stored = Stored()
    with _filling(stores, collection, embedder, segment) as filling:
        prepared = _without_rejected(outcomes, stored.rejected)
        for batch in batches(prepared, lambda one: len(one.chunks), BATCH_CHUNKS):
            stored.files |= filling.add(batch)
            stored.embedded += sum(len(one.chunks) for one in batch)
            stored.warnings += filter(None, (one.warning for one in batch))
    return stored


def _without_rejected(outcomes: Iterable[Outcome], rejected: list[Rejected]) -> Iterator[Prepared]:
    """What is to be stored; what was left out goes to `rejected`."""
    for file, outcome in outcomes:
        if isinstance(outcome, Skipped):
            rejected.append(Rejected(outcome, file.content_id))
        else:
            yield outcome


@contextmanager
def _filling(
    stores: Stores, collection: Collection, embedder: Embedder, taken_up: OpenSegment | None
) -> Iterator[_Filling]:
    """Everything that is written to is open inside, and sealed at the end."""
    catalog, segment = stores.catalog, taken_up or stores.add_segment(collection)
    pending = stores.pending(segment.name)
    stores.vectors.drop(segment.name)
    with (
        closing(stores.vectors.create(segment.name)) as made,
        stores.lexical(collection.name).writing() as terms,
        ThreadPoolExecutor(1) as thread,
    ):
        vectors = _VectorWriter(made, pending, embedder)
        filling = _Filling(catalog, collection, segment, terms, vectors, thread)
        if taken_up:
            filling.restore()
        yield filling
        filling.wait()
        made.seal()
    with catalog.transaction():
        catalog.seal_segment(segment.id, vectors.written)
    pending.drop()


class _VectorWriter:
    """Writes to one segment, in a thread of its own."""

    def __init__(self, segment: Segment, pending: PendingVectors, embedder: Embedder) -> None:
        self._segment = segment
        self._pending = pending
        self._embedder = embedder
        self.written = 0

    def restore(self) -> None:
        """Write what was pending when the last run ended."""
        for ids, vectors in self._pending:
            self._segment.add(ids, vectors)
            self.written += len(ids)

    def add(self, ids: Sequence[int], cards: Sequence[str]) -> None:
        for start in range(0, len(ids), EMBEDDED_CHUNKS):
            some = slice(start, start + EMBEDDED_CHUNKS)
            vectors = self._embedder.embed(cards[some])
            self._pending.add(ids[some], vectors)
            self._segment.add(ids[some], vectors)
        self.written += len(ids)


class _Filling:
    """The open stores of a run, and the thread that writes vectors a batch behind the rows."""

    def __init__(
        self,
        catalog: Catalog,
        collection: Collection,
        segment: OpenSegment,
        terms: LexicalWriter,
        vectors: _VectorWriter,
        thread: ThreadPoolExecutor,
    ) -> None:
        self._catalog = catalog
        self._collection = collection
        self._segment = segment
        self._terms = terms
        self._vectors = vectors
        self._thread = thread
        self._tokens = Tokens()
        self._running: Future[None] | None = None

    def restore(self) -> None:
        """Make the terms and vectors of what an earlier run has stored."""
        self._running = self._thread.submit(self._vectors.restore)
        stored = self._catalog.chunks_of_segment(self._segment.id)
        documents = ((s.id, lexical_document(s.path, s.kind, s.chunk)) for s in stored)
        while some := list(islice(documents, BATCH_CHUNKS)):
            self._terms.delete(chunk_id for chunk_id, _ in some)  # the run may have ended after they were committed
            self._terms.add(some)

    def add(self, batch: Sequence[Prepared]) -> dict[int, str]:
        """Store documents; their vectors follow while the next batch is prepared. Returns their paths by file id."""
        cards = [card(prepared.document.path, piece) for prepared in batch for piece in prepared.chunks]
        files, ids = self._add_rows(batch, iter(self._tokens.distinct(cards)))
        self._terms.add(zip(ids, (document for prepared in batch for document in prepared.terms), strict=True))
        self.wait()
        self._running = self._thread.submit(self._vectors.add, ids, cards)
        return files

    def wait(self) -> None:
        """Until the vectors so far are written; raises what went wrong with them."""
        if self._running:
            self._running.result()

    def _add_rows(self, batch: Sequence[Prepared], tokens: Iterator[TokenIds]) -> tuple[dict[int, str], list[int]]:
        files, ids = dict[int, str](), list[int]()
        with self._catalog.transaction():
            for prepared in batch:
                own = [found.tobytes() for found in islice(tokens, len(prepared.chunks))]
                file_id, chunk_ids = self._catalog.add_file(
                    self._collection, self._segment.id, prepared.document, prepared.chunks, own
                )
                files[file_id] = prepared.document.path
                ids += chunk_ids
        return files, ids
