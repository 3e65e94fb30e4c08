"""A question becomes passages: lexical and dense rankings of one version, fused, with few passages of one file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bot.types import Index, Passage, Question
from indexer.catalog import Collection, Snapshot, StoredChunk
from indexer.embedding import Embedder
from indexer.errors import EmbedderMismatch, IndexDamaged, IndexMissing
from indexer.lexical import LexicalIndex
from indexer.permalink import permalink
from indexer.stores import Stores
from indexer.types import FileKind
from indexer.vectors import Segment

# Reciprocal-rank fusion's constant, as in Cormack et al. (SIGIR 2009): how little the very first ranks are favoured.
RRF_CONSTANT = 60
# Candidates each ranking contributes before fusion.
CANDIDATES = 100
# One file must not crowd out the others.
MOST_OF_ONE_FILE = 3
# Tests quote what they test and config repeats names: they answer less often than what they are about.
KIND_WEIGHTS: Mapping[FileKind, float] = {"code": 1.0, "docs": 1.0, "example": 0.8, "config": 0.7, "test": 0.5}
GENERATED_WEIGHT = 0.5

Ranking = Sequence[tuple[int, float]]
"""(chunk id, score), best first."""


@dataclass(frozen=True, slots=True)
class Found:
    passages: tuple[Passage, ...]
    snapshot: Snapshot


class Retriever:
    """Searches the stores. Opened indexes are kept; a version published by another process is seen by the next search.

    Safe to call from several threads.
    """

    def __init__(
        self, stores: Stores, embedder: Embedder, repository: str | None = None, ref: str | None = None
    ) -> None:
        self._stores = stores
        self._embedder = embedder
        self._default = (repository, ref)
        self._segment = lru_cache(maxsize=64)(self._open_segment)
        self._lexical = lru_cache(maxsize=64)(self._open_lexical)

    def snapshot(self, repository: str | None = None, ref: str | None = None) -> Snapshot:
        """The version that answers: the one named, else the default, else the one indexed last. Raises IndexMissing."""
        if repository is None and ref is None:
            repository, ref = self._default
        found = self._stores.catalog.snapshots(repository, ref)
        if not found:
            raise IndexMissing(_missing(repository, ref, self._stores.catalog.snapshots()))
        return found[0]

    def search(self, question: Question, limit: int) -> Found:
        """The best passages of one version. Raises IndexMissing, IndexDamaged, EmbedderMismatch or EmbedderError."""
        snapshot = self.snapshot(question.repository, question.ref)
        try:
            return self._search(question, limit, snapshot)
        except IndexDamaged:
            latest = self.snapshot(question.repository, question.ref)
            if latest.id == snapshot.id:
                raise
            return self._search(question, limit, latest)  # a sync has replaced the version under our hands

    def close(self) -> None:
        self._segment.cache_clear()
        self._lexical.cache_clear()

    def _search(self, question: Question, limit: int, snapshot: Snapshot) -> Found:
        query = standalone(question)
        lexical = self._lexical(snapshot.collection.name)
        rankings = [
            self._reached(lambda n: lexical.search(query, n), snapshot),
            *self._dense(query, snapshot),
        ]
        chunks = self._stores.catalog.chunks(snapshot, [i for ranking in rankings for i, _ in ranking])
        ranked = fuse([[i for i, _ in ranking] for ranking in rankings], lambda i: prior(chunks[i]))
        best = diverse(ranked, lambda i: chunks[i].path, lambda i: chunks[i].chunk.text)[:limit]
        return Found(tuple(passage(snapshot, chunks[i], score) for i, score in best), snapshot)

    def _dense(self, query: str, snapshot: Snapshot) -> list[Ranking]:
        if snapshot.collection.embedder != self._embedder.name:
            raise EmbedderMismatch(_mismatch(snapshot.collection, self._embedder))
        vector = self._embedder.embed_query(query)
        segments = [s for s in self._stores.catalog.segments(snapshot.collection) if s.chunks]

        def nearest(limit: int) -> list[tuple[int, float]]:
            found = [hit for s in segments for hit in self._segment(s.name).search(vector, min(limit, s.chunks))]
            return sorted(found, key=lambda hit: -hit[1])[:limit]

        return [self._reached(nearest, snapshot)] if segments else []

    def _reached(self, search: Callable[[int], list[tuple[int, float]]], snapshot: Snapshot) -> Ranking:
        """The best candidates of the version: others share the stores, so ask for more where those crowd it out."""
        limit = CANDIDATES
        while True:
            found = search(limit)
            reached = self._stores.catalog.reached(snapshot, [i for i, _ in found])
            kept = [(i, score) for i, score in found if i in reached]
            if len(kept) >= CANDIDATES or len(found) < limit or limit >= CANDIDATES * 64:
                return kept[:CANDIDATES]
            limit *= 4

    def _open_segment(self, name: str) -> Segment:
        return self._stores.vectors.open(name)

    def _open_lexical(self, name: str) -> LexicalIndex:
        return self._stores.lexical(name)


def standalone(question: Question) -> str:
    """The question with what it follows up on: the asker's last message before it, if there is one."""
    earlier = [turn.content for turn in question.history if turn.role == "user"]
    return "\n".join((question.text, *earlier[-1:]))


def fuse(rankings: Iterable[Sequence[int]], weight: Callable[[int], float]) -> list[tuple[int, float]]:
    """Reciprocal-rank fusion: (id, score), best first; an id counts once a ranking. `weight` scales each id's score."""
    scores: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, chunk_id in enumerate(ranking, start=1):
            scores[chunk_id] += 1 / (RRF_CONSTANT + rank)
    weighted = [(chunk_id, score * weight(chunk_id)) for chunk_id, score in scores.items()]
    return sorted(weighted, key=lambda pair: (-pair[1], pair[0]))


def prior(chunk: StoredChunk) -> float:
    """How much a chunk's kind of file speaks for it."""
    return KIND_WEIGHTS[chunk.kind] * (GENERATED_WEIGHT if chunk.generated else 1.0)


def diverse(
    ranked: Iterable[tuple[int, float]], path: Callable[[int], str], text: Callable[[int], str]
) -> list[tuple[int, float]]:
    """The ranking without repeated texts and with at most a few chunks of one file."""
    kept: list[tuple[int, float]] = []
    of_file: dict[str, int] = defaultdict(int)
    texts: set[str] = set()
    for chunk_id, score in ranked:
        if of_file[path(chunk_id)] < MOST_OF_ONE_FILE and text(chunk_id) not in texts:
            kept.append((chunk_id, score))
            of_file[path(chunk_id)] += 1
            texts.add(text(chunk_id))
    return kept


def passage(snapshot: Snapshot, stored: StoredChunk, score: float) -> Passage:
    chunk = stored.chunk
    return Passage(
        stored.path,
        chunk.start_line,
        chunk.end_line,
        chunk.symbol,
        stored.kind,
        stored.language,
        score,
        chunk.text,
        permalink(snapshot.origin, stored.path, chunk.start_line, chunk.end_line),
    )


def index_of(snapshot: Snapshot) -> Index:
    origin = snapshot.origin
    return Index(origin.repository, origin.ref, origin.commit, snapshot.indexed_at)


def _missing(repository: str | None, ref: str | None, indexed: Sequence[Snapshot]) -> str:
    if not indexed:
        return "Nothing is indexed yet; run `repopilot index SOURCE` first."
    wanted = " at ".join(filter(None, (repository, ref)))
    there = ", ".join(f"{s.origin.repository} at {s.origin.ref}" for s in indexed[:5])
    return f"There is no index of {wanted}; indexed are: {there}."


def _mismatch(collection: Collection, embedder: Embedder) -> str:
    return (
        f"The index of {collection.repository} was made with the embedder {collection.embedder}, but {embedder.name} is"
        " configured; run `repopilot index SOURCE` again, or set REPOPILOT_EMBEDDER back."
    )
