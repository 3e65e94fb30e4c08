"""The extractive reader: the best passages' own sentences, definitions and code lines become a short cited answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.reading.excerpt import Room, brief, excerpt_of
from bot.reading.interest import Interest, interest_in
from bot.types import Passage

# What is shown of each passage cited, in order: more places than these are a search result, not an answer.
ROOMS: Final = (Room(12, 600), Room(8, 380), Room(6, 240), Room(6, 240), Room(6, 240))
# A passage is left out when it is worth less than this share of the best one.
LEAST_SHARE: Final = 0.6
# How much of a passage's worth is the share of the question it holds; the rest is its rank in the search.
COVERAGE_SHARE: Final = 0.7
# Shorter lines (a bracket, a fence) are equal without saying the same.
SHORTEST_TELLING_LINE: Final = 12
# A passage that defines what the question names goes before those that mention it.
DEFINITION_WORTH: Final = 0.3
# Once this much is said, nothing is added.
ENOUGH_CHARACTERS: Final = 1800


@dataclass(frozen=True, slots=True)
class Reading:
    """A cited text: `[n]` in `text` is `passages[n - 1]`, each used, numbered by first use."""

    text: str
    passages: tuple[Passage, ...]


def read(question: str, passages: Sequence[Passage]) -> Reading | None:
    """What the passages themselves say to the question, or None when none of them says anything to it."""
    sought = interest_in(question, passages)
    pieces: list[str] = []
    cited: list[Passage] = []
    shown: set[str] = set()
    for passage in worthy(sought, passages):
        found = excerpt_of(passage, sought, ROOMS[len(pieces)])
        if found is None or _repeats(found.body, shown):
            continue
        shown |= _telling_lines(found.body)
        cited.append(passage)
        pieces.append(brief(found, len(cited)))
        if len(cited) == len(ROOMS) or sum(map(len, pieces)) >= ENOUGH_CHARACTERS:
            break
    return Reading("\n\n".join(pieces), tuple(cited)) if pieces else None


def worthy(sought: Interest, passages: Sequence[Passage]) -> list[Passage]:
    """The passages worth showing, the best first; those that overlap a better one are left out."""
    best = max(passage.score for passage in passages) if passages else 0.0
    scored = sorted(((worth(sought, passage, best), passage) for passage in passages), key=lambda pair: -pair[0])
    kept: list[Passage] = []
    for value, passage in scored:
        if value > 0 and value >= LEAST_SHARE * scored[0][0] and not any(_overlap(passage, other) for other in kept):
            kept.append(passage)
    return kept


def worth(sought: Interest, passage: Passage, best_score: float) -> float:
    """How much a passage promises: its rank in the search, how much of the question it holds, whether it is named."""
    hits = sought.hits(f"{passage.text}\n{passage.symbol}\n{passage.path}")
    whole = sum(sought.weights.values())
    if not hits or not whole:
        return 0.0
    rank = passage.score / best_score if best_score > 0 else 1.0
    covered = rank * (1 - COVERAGE_SHARE + COVERAGE_SHARE * sought.weight(hits) / whole)
    return covered + DEFINITION_WORTH * sought.defines(passage)


def _overlap(one: Passage, other: Passage) -> bool:
    return one.path == other.path and one.start_line <= other.end_line and other.start_line <= one.end_line


def _telling_lines(body: str) -> set[str]:
    return {line.strip("> ") for line in body.split("\n") if len(line) >= SHORTEST_TELLING_LINE}


def _repeats(body: str, shown: set[str]) -> bool:
    """Whether most of what an excerpt says has been shown already."""
    lines = _telling_lines(body)
    return len(lines & shown) * 2 >= max(1, len(lines)) if shown else False
