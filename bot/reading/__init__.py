"""The extractive reader: the best passages' own sentences, definitions and code lines become a short cited answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.evidence import Evidence, Features
from bot.passages import overlap
from bot.reading.excerpt import Room, brief, excerpt_of
from bot.reading.interest import Interest, interest_in
from bot.types import Passage

# What is shown of each passage cited, in order: more places than these are a search result, not an answer.
ROOMS: Final = (Room(12, 600), Room(8, 380), Room(6, 240), Room(6, 240), Room(6, 240))
# A passage is left out when it is worth so much less than the best one.
MOST_BEHIND: Final = 0.3
# How much of a passage's worth is the share of the question it holds; the rest is its place in the search.
COVERAGE_SHARE: Final = 0.6
# Shorter lines (a bracket, a fence) are equal without saying the same.
SHORTEST_TELLING_LINE: Final = 12
# A passage that defines what the question names goes before those that mention it.
DEFINITION_WORTH: Final = 0.1
# Once this much is said, nothing is added.
ENOUGH_CHARACTERS: Final = 1800


@dataclass(frozen=True, slots=True)
class Reading:
    """A cited text: `[n]` in `text` is `passages[n - 1]`, each used, numbered by first use."""

    text: str
    passages: tuple[Passage, ...]


def read(question: str, evidence: Evidence) -> Reading | None:
    """What the passages themselves say to the question, or None when none of them says anything to it."""
    sought = interest_in(question, evidence.passages)
    pieces: list[str] = []
    cited: list[Passage] = []
    shown: set[str] = set()
    for passage in worthy(sought, evidence):
        found = excerpt_of(passage, sought, ROOMS[len(pieces)])
        if found is None or _repeats(found.body, shown):
            continue
        shown |= _telling_lines(found.body)
        cited.append(passage)
        pieces.append(brief(found, len(cited)))
        if len(cited) == len(ROOMS) or sum(map(len, pieces)) >= ENOUGH_CHARACTERS:
            break
    return Reading("\n\n".join(pieces), tuple(cited)) if pieces else None


def worthy(sought: Interest, evidence: Evidence) -> list[Passage]:
    """The passages worth showing, the best first; those that overlap a better one are left out."""
    pairs = zip(evidence.passages, evidence.of_passages, strict=True)
    scored = sorted(((worth(sought, *pair), pair[0]) for pair in pairs), key=lambda scored: -scored[0])
    kept: list[Passage] = []
    for value, passage in scored:
        if value > 0 and value >= scored[0][0] - MOST_BEHIND and not any(overlap(passage, other) for other in kept):
            kept.append(passage)
    return kept


def worth(sought: Interest, passage: Passage, features: Features) -> float:
    """How much a passage promises: its place in the search, how much of the question it holds, whether it defines what
    the question names."""
    if not features["held"]:
        return 0.0
    covered = features["share"] * (1 - COVERAGE_SHARE + COVERAGE_SHARE * features["held"])
    return covered + DEFINITION_WORTH * sought.defines(passage)


def _telling_lines(body: str) -> set[str]:
    return {line.strip("> ") for line in body.split("\n") if len(line) >= SHORTEST_TELLING_LINE}


def _repeats(body: str, shown: set[str]) -> bool:
    """Whether most of what an excerpt says has been shown already."""
    lines = _telling_lines(body)
    return len(lines & shown) * 2 >= max(1, len(lines)) if shown else False
