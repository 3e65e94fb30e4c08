"""The documents of an index that are near a question: which of them should have answered it."""

from __future__ import annotations

from math import log10
from typing import Final

from bot.passages import passage_of
from bot.report.unresolved import Version
from bot.retrieval import Found, Retriever
from bot.types import Passage, Question
from indexer.errors import IndexMissing
from indexer.records import Snapshot
from indexer.stores import Stores
from indexer.terms import written_names

NEAREST: Final = 5


class Documentation:
    """Searches the documents alone: beside code, they may be far down in what a search for an answer finds."""

    def __init__(self, stores: Stores, retriever: Retriever) -> None:
        self._stores = stores
        self._retriever = retriever

    def snapshot(self, version: Version | None) -> Snapshot:
        """The version, or the one that answers by default where that is not indexed any more. Raises IndexMissing."""
        try:
            return self._retriever.snapshot(*version) if version else self._retriever.snapshot()
        except IndexMissing:
            return self._retriever.snapshot()

    def near(self, text: str, version: Version | None) -> list[Passage]:
        """The best passages of documents, best first. Raises as `Retriever.search` does."""
        snapshot = self.snapshot(version)
        origin = snapshot.origin
        found = self._retriever.candidates(Question(text, repository=origin.repository, ref=origin.ref))
        places = found.places
        ranked = [(i, score) for i, score in found.ranked() if places[i].kind == "docs" and not places[i].aside]
        chunks = self._stores.catalog.chunks(snapshot, [i for i, _ in ranked[:NEAREST]])
        return [passage_of(snapshot, chunks[i], score) for i, score in ranked[:NEAREST] if i in chunks]

    def telling(self, version: Version | None) -> int:
        """How many of the passages that are near say what a question is about: among few documents, the same ones are
        near to everything. Raises IndexMissing."""
        return max(1, int(log10(max(1, self.snapshot(version).chunks))))

    def unknown(self, text: str, version: Version | None) -> set[str]:
        """The names in a question that are nowhere in the version. Raises IndexMissing or IndexDamaged."""
        return self._retriever.unknown(written_names(text), self.snapshot(version))

    def confidence(self, text: str, passages: list[Passage], version: Version | None) -> float:
        """How likely it is that passages of documents prove an answer, 0 to 1. Raises as `Retriever.evidence` does."""
        unknown = dict.fromkeys(self.unknown(text, version), ())
        found = Found(tuple(passages), self.snapshot(version), unknown)
        return self._retriever.evidence(Question(text), found).confidence
