"""A question becomes passages: several searches of one version, weighed together, with few passages of one file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Generic, TypeVar

from bot.names import unknown_names
from bot.ranking import Signal, few_of_a_file, kind_weights, weigh, without_repeats
from bot.types import Index, Passage, Question
from indexer.decoding import without_lone_surrogates
from indexer.embedding import Embedder
from indexer.errors import EmbedderMismatch, IndexDamaged, IndexMissing
from indexer.lexical import FIELDS, LexicalIndex
from indexer.permalink import permalink
from indexer.records import Collection, Place, Snapshot, StoredChunk
from indexer.stores import Stores
from indexer.terms import asked_names, names
from indexer.types import Chunk
from indexer.vectors import Segment, Vectors

# Candidates that each signal contributes.
CANDIDATES = 200
# Of an answer that a question follows up on, what names its subject: its beginning.
LONGEST_REMINDER = 400

_NAME_JOINT = re.compile(r"\.|::")
_COMMENT = ("//", "/*", "*", "#[", "@")

Hits = list[tuple[int, float]]
"""(chunk id, score), best first."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found in which version, and names in the question that are nowhere in it, with the nearest."""

    passages: tuple[Passage, ...]
    snapshot: Snapshot
    unknown_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def index(self) -> Index:
        return index_of(self.snapshot)


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
        places: dict[int, Place] = {}
        signals = {
            name: self._reached(search, snapshot, places) for name, search in self._searches(query, snapshot, segments)
        }
        ranked = few_of_a_file(weigh(signals, places, kind_weights(question.text)), places)[: 2 * limit]
        chunks = self._stores.catalog.chunks(snapshot, [i for i, _ in ranked])
        best = without_repeats(ranked, {i: stored.chunk.text for i, stored in chunks.items()})[:limit]
        asked = names(query)
        passages = tuple(passage(snapshot, narrowed(chunks[i], asked), score) for i, score in best)
        lexical = self._lexical(snapshot.collection.name)
        return Found(passages, snapshot, unknown_names(question.text, snapshot, self._stores.catalog, lexical))

    def _searches(
        self, query: str, snapshot: Snapshot, segments: Mapping[str, int]
    ) -> Iterator[tuple[str, Callable[[int], Hits]]]:
        """The signals by name, each a search that takes how many hits are wanted."""
        lexical = self._lexical(snapshot.collection.name)
        for name in FIELDS:
            yield name, lambda limit, name=name: lexical.search(query, limit, [name])  # type: ignore[misc]
        named = asked_names(query)
        yield "declares", lambda limit: lexical.declaring(named, limit)
        if snapshot.collection.embedder != self._embedder.name:
            raise EmbedderMismatch(_mismatch(snapshot.collection, self._embedder))
        if segments:
            vector = self._embedder.embed_query(query)
            yield "dense", lambda limit: self._nearest(vector, segments, limit)

    def _nearest(self, vector: Vectors, segments: Mapping[str, int], limit: int) -> Hits:
        asked = ((self._segment(name), min(limit, chunks)) for name, chunks in segments.items())
        found = [hit for segment, most in asked for hit in segment.search(vector, most)]
        return sorted(found, key=lambda hit: -hit[1])[:limit]

    def _reached(self, search: Callable[[int], Hits], snapshot: Snapshot, places: dict[int, Place]) -> Signal:
        """The scores of the version's best candidates; adds their places.

        Other versions share the stores, so more is asked for where those crowd it out.
        """
        limit = CANDIDATES
        while True:
            found = search(limit)
            reached = self._stores.catalog.places(snapshot, [i for i, _ in found])
            kept = [(i, score) for i, score in found if i in reached]
            if len(kept) >= CANDIDATES or len(found) < limit or limit >= CANDIDATES * 64:
                places |= reached
                return dict(kept[:CANDIDATES])
            limit *= 4


def standalone(question: Question) -> str:
    """The question with what "it" and "this" in it may mean: the last message of the asker and of the answerer."""
    last = {turn.role: turn.content for turn in question.history}
    said = (last.get("user", ""), last.get("assistant", "")[:LONGEST_REMINDER])
    return without_lone_surrogates("\n".join(filter(None, (question.text, *said))))


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
