"""What one indexer case showed: the runs, the chunks they left, and ways to look further. Operators read only this."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cases.program import Finished

Chunk = Mapping[str, Any]


def _nothing(*_: object) -> Any:
    raise ValueError("this observation has no such look")


@dataclass(frozen=True, slots=True)
class IndexObservation:
    """`runs` are the index runs in order, a killed one left out; `chunks` is the index after the last of them."""

    runs: Sequence[Finished]
    chunks: Sequence[Chunk] = ()
    killed: bool = False
    baseline_rss_mb: Callable[[], float] = _nothing
    search: Callable[[str], Mapping[str, Any]] = _nothing
    revision: Callable[[str], str] = _nothing
    file_text: Callable[[str], str] = _nothing
    chunks_after_deleting: Callable[[str], Sequence[Chunk]] = _nothing
    searches_around_a_killed_update: Callable[[str], Sequence[Mapping[str, Any]]] = _nothing

    @property
    def last(self) -> Finished:
        return self.runs[-1]

    @property
    def report(self) -> Mapping[str, Any]:
        """The JSON of the last run; empty when it printed none."""
        report = self.last.report
        return report if isinstance(report, dict) else {}

    @property
    def skipped(self) -> dict[str, str]:
        """Path → reason, as the last run reported them."""
        return {entry["path"]: entry["reason"] for entry in self.report.get("skipped", ())}

    def of(self, path: str) -> list[Chunk]:
        """The chunks of a path, in line order."""
        return sorted((c for c in self.chunks if c["path"] == path), key=lambda c: (c["start_line"], c["end_line"]))

    def with_text(self, path: str, text: str) -> list[Chunk]:
        return [chunk for chunk in self.of(path) if text in chunk["text"]]

    def passages(self, query: str) -> Sequence[Chunk]:
        passages: Sequence[Chunk] = self.search(query).get("passages", ())
        return passages


def names(chunk: Chunk, symbol: str) -> bool:
    """Whether a chunk's symbol is this name, whole or as its last part (`alpha` names `A.alpha`)."""
    held = chunk.get("symbol") or ""
    return held == symbol or held.endswith((f".{symbol}", f"::{symbol}", f" > {symbol}"))


def named_places(chunk: Chunk) -> list[Chunk]:
    """The definitions in a chunk, and the chunk itself where it goes on with one that began before it."""
    definitions = [found | {"symbol": found["name"]} for found in chunk.get("definitions") or ()]
    defined = {found["name"] for found in definitions}
    return definitions if chunk.get("symbol") in defined else [*definitions, chunk]


def headings(chunks: Iterable[Chunk]) -> list[tuple[str, ...]]:
    """The distinct heading paths that the chunks name, parents before children, in the order of the file."""
    seen: dict[tuple[str, ...], None] = {}
    for chunk in chunks:
        for path in (*(found["name"] for found in chunk.get("definitions") or ()), chunk.get("symbol") or ""):
            parts = tuple(part.strip() for part in path.split(" > ")) if path else ()
            seen.update({parts[:depth]: None for depth in range(1, len(parts) + 1)})
    return list(seen)
