"""A question becomes passages: several searches of one version, weighed together, with few passages of one file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Generic, TypeVar

from bot.crossencoding import CrossEncoder
from bot.evidence import Asked, Evidence, Sign, evidence_of
from bot.following import follows_up
from bot.lanes import lanes
from bot.names import code_naming, missing_names, unknown_among, unknown_names
from bot.parts import merged, questions_in
from bot.passages import passage_of, passages
from bot.ranking import Signal, spread, weigh, without_repeats
from bot.reranking import Reranker
from bot.scope import beyond
from bot.types import Index, Passage, Question
from bot.versions import asked_version, choose, for_asker, reading_note
from indexer.decoding import without_lone_surrogates
from indexer.embedding import Embedder, card
from indexer.errors import EmbedderMismatch, IndexDamaged, IndexMissing
from indexer.lexical import FIELDS, LexicalIndex
from indexer.records import Collection, Place, Snapshot, StoredChunk
from indexer.stores import Stores
from indexer.terms import asked_names, names, written_names
from indexer.vectors import Segment, Vectors

# Passages offered to a model or the reader; retrieval figures flatten beyond ten.
PASSAGES = 10
# Candidates that each signal contributes.
CANDIDATES = 200
# The best of them are read token by token.
RERANKED = 150
# Of what other versions add to the chunks, that much more is asked for: near questions they crowd more than elsewhere.
SLACK = 1.5
# So many times as many candidates are asked for at most.
MOST_CROWDED = 64
# Chunks looked at for each passage that is wanted: some repeat others, and some are joined.
MOST_READ = 3
# Of messages that a question follows up on, what names their subject: their beginning.
LONGEST_REMINDER = 400

# Parts of indexes that stay open, those asked for last. An open segment holds 11 files, 6 threads and 3 MiB beside its
# vectors (Chroma 1.5.9), and a process may commonly open 1,024 files.
MOST_OPEN = 64

_VERSION = re.compile(r"\b[\w-]+[ \t]+version[ \t]*[:=][ \t]*v?\d\S*", re.IGNORECASE)

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


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the searches say of the chunks they found: scores by signal, places, and how much each one's file counts."""

    signals: Mapping[str, Signal]
    places: Mapping[int, Place]
    weights: Mapping[int, float]

    def ranked(self) -> list[tuple[int, float]]:
        """(chunk id, score), best first."""
        return spread(weigh(self.signals, self.places, self.weights), self.places)


Part = TypeVar("Part")


class Opened(Generic[Part]):
    """Parts of indexes by name, each opened once and kept while the catalog names it, as long as no `MOST_OPEN` others
    were asked for since. Threads may share it."""

    def __init__(self, open_part: Callable[[str], Part], named: Callable[[], Set[str]]) -> None:
        self._open_part = open_part
        self._named = named
        self._parts: dict[str, Part] = {}
        self._opening = Lock()

    def __call__(self, name: str) -> Part:
        with self._opening:
            part = self._parts.pop(name, None)
            if part is None:
                named = self._named()
                kept = [(other, held) for other, held in self._parts.items() if other in named]
                self._parts = dict(kept[1 - MOST_OPEN :])
                part = self._open_part(name)
            self._parts[name] = part  # behind all others: the first is the one that nobody has asked for the longest
            return part

    def close(self) -> None:
        self._parts = {}


class Retriever:
    """Searches the stores. Opened indexes are kept; a version published by another process is seen by the next search.

    Safe to call from several threads.
    """

    def __init__(
        self,
        stores: Stores,
        embedder: Embedder,
        repository: str | None = None,
        ref: str | None = None,
        cross_encoder: CrossEncoder | None = None,
    ) -> None:
        self._stores = stores
        self._embedder = embedder
        self._cross_encoder = cross_encoder
        self._default = (repository, ref)
        self._reranker = Reranker()
        self._segment = Opened[Segment](self._open_segment, stores.catalog.segment_names)
        self._lexical = Opened[LexicalIndex](stores.lexical, stores.catalog.collection_names)

    def snapshot(self, repository: str | None = None, ref: str | None = None) -> Snapshot:
        """The version that answers: the one named, else the default one (see `choose`). Raises IndexMissing."""
        if repository is None and ref is None:
            repository, ref = self._default
        known = self._stores.catalog.snapshots(repository)
        found = choose(known, repository, ref)
        if found is None:
            raise IndexMissing(_missing(repository, ref, known or self._stores.catalog.snapshots()))
        return found

    def addressed(self, question: Question) -> tuple[Question, str]:
        """The question, put to the release that its asker says to run when that is indexed and it is put to no other;
        and what there is to say when another version answers, or "". Raises IndexMissing."""
        default = self.snapshot(question.repository, question.ref)
        if question.ref:
            return question, ""
        repository = default.origin.repository
        indexed = self._stores.catalog.snapshots(repository)
        known = [snapshot.origin.ref for snapshot in indexed]
        said = (turn.content for turn in reversed(question.history) if turn.role == "user")
        versions = (asked_version(text, repository, known) for text in (question.text, *said))
        version = next(filter(None, versions), None)
        if version is None:
            return question, ""
        run = for_asker(indexed, repository, version)
        to = replace(question, repository=repository, ref=run.origin.ref) if run else question
        return to, reading_note(version, run or default) or ""

    def search(self, question: Question, limit: int) -> Found:
        """The best passages of one version. Raises IndexMissing, IndexDamaged, EmbedderMismatch or EmbedderError."""
        question, _ = self.addressed(question)
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

    def evidence(self, question: Question, found: Found) -> Evidence:
        """How likely each passage found is to prove an answer. Raises IndexDamaged or EmbedderError."""
        from bot.reading.interest import interest_in  # these bring parsers along
        from bot.reading.narrowing import narrowed

        query = standalone(question)
        lexical = self._lexical(found.snapshot.collection.name)
        sought = interest_in(query, found.passages)
        cut = [narrowed(passage, sought, found.snapshot.origin) for passage in found.passages]
        likeness = self._reranker.likeness(query, [f"{p.path} {p.symbol}\n{p.text}" for p in cut])
        signs = [
            Sign(lexical.stems(f"{p.text} {p.symbol} {p.path}"), like, sought.share_in(p))
            for p, like in zip(found.passages, likeness, strict=True)
        ]
        rarity = lexical.rarity(query)
        absent = lexical.absent(rarity)
        missing = len(missing_names(found.unknown_names)) / (len(written_names(question.text)) or 1)
        return evidence_of(Asked(rarity, absent, missing, bool(beyond(question.text))), cut, signs)

    def unknown(self, names: Iterable[str], snapshot: Snapshot) -> set[str]:
        """Those of the names and paths that occur nowhere in a version. Raises IndexDamaged."""
        return unknown_among(names, snapshot, self._stores.catalog, self._lexical(snapshot.collection.name))

    def code_naming(self, name: str, snapshot: Snapshot) -> list[Passage]:
        """Code and configuration of a version that write a name. Raises IndexDamaged."""
        lexical = self._lexical(snapshot.collection.name)
        found = code_naming(name, snapshot, self._stores.catalog, lexical)
        return [passage_of(snapshot, stored, 0.0) for stored in found]

    def candidates(self, question: Question) -> Candidates:
        """What a search would rank, for whoever fits its weights. Raises as `search` does."""
        return self._candidates(question, standalone(question), *self._readable(question))

    def close(self) -> None:
        self._segment.close()
        self._lexical.close()

    def _open_segment(self, name: str) -> Segment:
        return self._stores.vectors.open(name)

    def _readable(self, question: Question) -> tuple[Snapshot, Mapping[str, int]]:
        snapshot = self.snapshot(question.repository, question.ref)
        return snapshot, self._stores.catalog.sealed_segments(snapshot.collection)

    def _search(self, question: Question, limit: int, snapshot: Snapshot, segments: Mapping[str, int]) -> Found:
        """What the whole question finds, and each of those that a message with several asks."""
        found = self._passages(question, limit, snapshot, segments)
        if parts := questions_in(question.text):
            of_parts = [self._passages(replace(question, text=part), limit, snapshot, segments) for part in parts]
            found = merged(found, of_parts, limit)
        lexical = self._lexical(snapshot.collection.name)
        return Found(found, snapshot, unknown_names(question.text, snapshot, self._stores.catalog, lexical))

    def _passages(
        self, question: Question, limit: int, snapshot: Snapshot, segments: Mapping[str, int]
    ) -> tuple[Passage, ...]:
        query, catalog = standalone(question), self._stores.catalog
        ranked = self._candidates(question, query, snapshot, segments).ranked()[: MOST_READ * limit]
        chunks = catalog.chunks(snapshot, [i for i, _ in ranked])
        distinct = without_repeats(ranked, {i: stored.chunk.text for i, stored in chunks.items()})
        if self._cross_encoder:
            distinct = _read_again(self._cross_encoder, query, distinct, chunks)
        return passages(distinct, chunks, names(query), limit, snapshot, lambda path: catalog.text(snapshot, path))

    def _candidates(
        self, question: Question, query: str, snapshot: Snapshot, segments: Mapping[str, int]
    ) -> Candidates:
        crowd = max(1.0, sum(segments.values()) / max(1, snapshot.chunks))
        signals, places = self._reached(dict(self._searches(query, snapshot, segments)), snapshot, crowd)
        lane = lanes(question.text)
        weights = {chunk_id: lane.weight(place) for chunk_id, place in places.items()}
        first = [chunk_id for chunk_id, _ in weigh(signals, places, weights)[:RERANKED]]
        signals |= self._reranker.scores(query, self._stores.catalog.tokens(first))
        return Candidates(signals, places, weights)

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

    def _reached(
        self, searches: Mapping[str, Callable[[int], Hits]], snapshot: Snapshot, crowd: float
    ) -> tuple[dict[str, Signal], dict[int, Place]]:
        """The scores of the version's best candidates by signal, and the places of all.

        Other versions share the stores: so many more are asked for as there are more chunks, and again when the
        version has hardly any of them.
        """
        signals, places, waiting = dict[str, Signal](), dict[int, Place](), dict(searches)
        limit = round(CANDIDATES * (1 + SLACK * (crowd - 1)))
        while waiting:
            found = {name: search(limit) for name, search in waiting.items()}
            new = {chunk_id for hits in found.values() for chunk_id, _ in hits} - places.keys()
            places |= self._stores.catalog.places(snapshot, sorted(new))
            for name, hits in found.items():
                kept = [(chunk_id, score) for chunk_id, score in hits if chunk_id in places]
                if len(kept) >= CANDIDATES // 2 or len(hits) < limit or limit >= CANDIDATES * MOST_CROWDED:
                    signals[name] = dict(kept[:CANDIDATES])
                    del waiting[name]
            limit *= 4
        return signals, places


def _read_again(
    cross_encoder: CrossEncoder, query: str, ranked: Sequence[tuple[int, float]], chunks: Mapping[int, StoredChunk]
) -> list[tuple[int, float]]:
    """The same chunks in the cross-encoder's order."""
    ids = [chunk_id for chunk_id, _ in ranked]
    cards = [card(chunks[i].path, chunks[i].chunk) for i in ids]
    scored = zip(ids, cross_encoder.scores(query, cards), strict=True)
    return spread(sorted(scored, key=lambda pair: -pair[1]), chunks)


def standalone(question: Question) -> str:
    """The question; one that goes on with what was said, with what "it" and "this" in it may mean: the beginning of the
    thread where several people talk, and the last messages of the asker and of the answerer. Which version somebody
    runs says where to search, not for what."""
    history = question.history if follows_up(question.text) else ()
    last = {turn.role: turn.content for turn in history}
    began = next((turn.content for turn in history[:1] if turn.author), "")
    said = (text[:LONGEST_REMINDER] for text in dict.fromkeys((began, last.get("user", ""), last.get("assistant", ""))))
    return without_lone_surrogates(_VERSION.sub(" ", "\n".join(filter(None, (question.text, *said)))))


def index_of(snapshot: Snapshot) -> Index:
    origin = snapshot.origin
    return Index(origin.repository, origin.ref, origin.commit, snapshot.indexed_at, snapshot.stale)


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
