"""A question becomes passages: lexical and dense rankings of one version, fused, with few passages of one file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice
from threading import Lock
from typing import Generic, TypeVar

from bot.types import Index, Passage, Question
from indexer.decoding import without_lone_surrogates
from indexer.embedding import Embedder
from indexer.errors import EmbedderMismatch, IndexDamaged, IndexMissing
from indexer.lexical import FIELDS, LexicalIndex
from indexer.permalink import permalink
from indexer.records import Collection, Place, Snapshot, StoredChunk
from indexer.stores import Stores
from indexer.terms import asked_names, names
from indexer.types import Chunk, FileKind
from indexer.vectors import Segment

# Reciprocal-rank fusion's constant, as in Cormack et al. (SIGIR 2009): how little the very first ranks are favoured.
RRF_CONSTANT = 60
# A name or a path says what a chunk is about, but few words match it by chance; alone it must not outrank the text.
RANKING_WEIGHTS = {"body": 1.0, "names": 0.3, "path": 0.3, "declares": 1.0, "dense": 1.0}
# Candidates each ranking contributes before fusion.
CANDIDATES = 100
# One file must not crowd out the others.
MOST_OF_ONE_FILE = 3
# Tests quote what they test and config repeats names: they answer less often than what they are about.
KIND_WEIGHTS: Mapping[FileKind, float] = {"code": 1.0, "docs": 1.0, "example": 0.8, "config": 0.7, "test": 0.5}
GENERATED_WEIGHT = 0.5

_NAME_JOINT = re.compile(r"\.|::")
_COMMENT = ("//", "/*", "*", "#[", "@")

Ranking = Mapping[int, Place]
"""Chunk ids with their places, best first."""


@dataclass(frozen=True, slots=True)
class Found:
    passages: tuple[Passage, ...]
    snapshot: Snapshot


Part = TypeVar("Part")


class Opened(Generic[Part]):
    """Parts of an index by name, each opened once and kept while the catalog names it. Threads may share it."""

    def __init__(self, open_part: Callable[[str], Part], named: Callable[[], Set[str]]) -> None:
        self._open_part = open_part
        self._named = named
        self._parts: dict[str, Part] = {}
        self._opening = Lock()

    def __call__(self, name: str) -> Part:
        with self._opening:
            if name not in self._parts:
                named = self._named()
                self._parts = {kept: part for kept, part in self._parts.items() if kept in named}
                self._parts[name] = self._open_part(name)
            return self._parts[name]

    def close(self) -> None:
        self._parts = {}


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
        self._segment = Opened[Segment](self._open_segment, stores.catalog.segment_names)
        self._lexical = Opened[LexicalIndex](stores.lexical, stores.catalog.collection_names)

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
        while True:  # until no sync has replaced under our hands what was read
            snapshot, segments = read = self._readable(question)
            try:
                found = self._search(question, limit, snapshot, segments)
            except IndexDamaged:
                if self._readable(question) == read:
                    raise
                continue
            if self.snapshot(question.repository, question.ref) == snapshot:
                return found

    def close(self) -> None:
        self._segment.close()
        self._lexical.close()

    def _open_segment(self, name: str) -> Segment:
        return self._stores.vectors.open(name)

    def _readable(self, question: Question) -> tuple[Snapshot, Mapping[str, int]]:
        snapshot = self.snapshot(question.repository, question.ref)
        return snapshot, self._stores.catalog.sealed_segments(snapshot.collection)

    def _search(self, question: Question, limit: int, snapshot: Snapshot, segments: Mapping[str, int]) -> Found:
        query = standalone(question)
        rankings = self._lexical_rankings(query, snapshot) | self._dense(query, snapshot, segments)
        places = {i: place for ranking in rankings.values() for i, place in ranking.items()}
        weighted = [(RANKING_WEIGHTS[name], ranking) for name, ranking in rankings.items()]
        ranked = few_of_a_file(fuse(weighted, lambda i: prior(places[i])), lambda i: places[i].path)[: 2 * limit]
        chunks = self._stores.catalog.chunks(snapshot, [i for i, _ in ranked])
        best = without_repeats(ranked, {i: stored.chunk.text for i, stored in chunks.items()})[:limit]
        asked = names(query)
        return Found(tuple(passage(snapshot, narrowed(chunks[i], asked), score) for i, score in best), snapshot)

    def _lexical_rankings(self, query: str, snapshot: Snapshot) -> dict[str, Ranking]:
        lexical = self._lexical(snapshot.collection.name)

        def ranking(field: str) -> Ranking:
            return self._reached(lambda limit: lexical.search(query, limit, [field]), snapshot)

        named = asked_names(query)
        declaring = self._reached(lambda limit: lexical.declaring(named, limit), snapshot)
        return {field: ranking(field) for field in FIELDS} | {"declares": declaring}

    def _dense(self, query: str, snapshot: Snapshot, segments: Mapping[str, int]) -> dict[str, Ranking]:
        if snapshot.collection.embedder != self._embedder.name:
            raise EmbedderMismatch(_mismatch(snapshot.collection, self._embedder))
        vector = self._embedder.embed_query(query)

        def nearest(limit: int) -> list[tuple[int, float]]:
            asked = ((self._segment(name), min(limit, chunks)) for name, chunks in segments.items())
            found = [hit for segment, most in asked for hit in segment.search(vector, most)]
            return sorted(found, key=lambda hit: -hit[1])[:limit]

        return {"dense": self._reached(nearest, snapshot)} if segments else {}

    def _reached(self, search: Callable[[int], list[tuple[int, float]]], snapshot: Snapshot) -> Ranking:
        """The best candidates of the version: others share the stores, so ask for more where those crowd it out."""
        limit = CANDIDATES
        while True:
            found = search(limit)
            places = self._stores.catalog.places(snapshot, [i for i, _ in found])
            kept = {i: places[i] for i, _ in found if i in places}
            if len(kept) >= CANDIDATES or len(found) < limit or limit >= CANDIDATES * 64:
                return dict(islice(kept.items(), CANDIDATES))
            limit *= 4


def standalone(question: Question) -> str:
    """The question with what it follows up on: the asker's last message before it, if there is one."""
    earlier = [turn.content for turn in question.history if turn.role == "user"]
    return without_lone_surrogates("\n".join((question.text, *earlier[-1:])))


def fuse(rankings: Iterable[tuple[float, Iterable[int]]], speaks: Callable[[int], float]) -> list[tuple[int, float]]:
    """Weighted reciprocal-rank fusion: (id, score), best first; an id counts once a ranking.

    `rankings` come with their weights; `speaks` says how much an id is worth by itself, whatever was asked.
    """
    scores: dict[int, float] = defaultdict(float)
    for weight, ranking in rankings:
        for rank, chunk_id in enumerate(dict.fromkeys(ranking), start=1):
            scores[chunk_id] += weight / (RRF_CONSTANT + rank)
    weighed = [(chunk_id, score * speaks(chunk_id)) for chunk_id, score in scores.items()]
    return sorted(weighed, key=lambda pair: (-pair[1], pair[0]))


def prior(place: Place) -> float:
    """How much a chunk's kind of file speaks for it."""
    return KIND_WEIGHTS[place.kind] * (GENERATED_WEIGHT if place.generated else 1.0)


def few_of_a_file(ranked: Iterable[tuple[int, float]], path: Callable[[int], str]) -> list[tuple[int, float]]:
    """The ranking with at most a few chunks of each file."""
    of_file: dict[str, int] = defaultdict(int)
    kept: list[tuple[int, float]] = []
    for chunk_id, score in ranked:
        of_file[path(chunk_id)] += 1
        if of_file[path(chunk_id)] <= MOST_OF_ONE_FILE:
            kept.append((chunk_id, score))
    return kept


def without_repeats(ranked: Sequence[tuple[int, float]], texts: Mapping[int, str]) -> list[tuple[int, float]]:
    """The ranking without chunks that say word for word what one before says; nor those without a text."""
    first = {texts[i]: i for i, _ in reversed(ranked) if i in texts}
    return [(i, score) for i, score in ranked if i in texts and first[texts[i]] == i]


def narrowed(stored: StoredChunk, asked: Set[str]) -> StoredChunk:
    """The chunk cut to the one function or class in it that the question names. A field needs what is around it."""
    found = [
        d for d in stored.chunk.definitions if _NAME_JOINT.split(d.name)[-1] in asked and d.end_line > d.start_line
    ]
    if len(found) != 1 or stored.kind == "docs" or stored.language == "notebook":  # a cell's rows are not the file's
        return stored
    lines = stored.chunk.text.split("\n")
    first, last = found[0].start_line - stored.chunk.start_line, found[0].end_line - stored.chunk.start_line
    while first and stored.language != "python" and lines[first - 1].lstrip().startswith(_COMMENT):
        first -= 1  # where there are no docstrings, the comment above documents
    start = stored.chunk.start_line + first
    text = "\n".join(lines[first : last + 1])
    return replace(stored, chunk=Chunk(start, found[0].end_line, text, found[0].name, (found[0],)))


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
