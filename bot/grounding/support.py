"""Whether a passage carries a sentence: its names, its values, and enough of its words. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass
from typing import Final

from bot.grounding.claims import TELLING_WORDS, Claim, content_words
from bot.grounding.values import held_values
from bot.types import Passage

# Shares of a sentence's words and values. Of 71 facts about other packages that people wrote down, the lines that prove
# them hold 0.3 in 99 % and 0.6 in 93 %; lines of the same repository that prove another one hold 0.3 in 16 %, 0.45 in
# 7 % and 0.6 in 4 %.
# What the passage that it cites must hold,
CITED: Final = 0.3
# and when it has all the names of the sentence, which lets no more through of what proves something else;
NAMED: Final = 0.2
# of a sentence of few words, more;
SHORT: Final = 0.45
# one that is cited beside it, when it cites none itself,
BESIDE: Final = 0.5
# and one that nothing cites.
UNCITED: Final = 0.6
# Of several that a sentence cites, one that holds less than this share of what the best one does is cited for nothing.
BESIDE_BEST: Final = 0.5
# A sentence with fewer words that are not the question's says the question again.
REPEATING: Final = 0.1

_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Source:
    """What a passage can carry."""

    words: Set[str]
    spelled: str
    visible: str
    values: Set[str]
    lines: range

    def share(self, claim: Claim) -> float:
        """The share of a claim's words and values that the passage holds, 0 to 1; 1 of a claim that has none."""
        said = len(claim.words) + len(claim.values)
        return (len(claim.words & self.words) + len(claim.values & self.values)) / said if said else 1.0

    def holds(self, name: str) -> bool:
        """Whether the passage writes a name or a path whole, in any of its spellings."""
        wanted = _spelling(name)
        at = self.spelled.find(wanted) if wanted.strip("_") else -1
        while at >= 0:
            end = at + len(wanted)
            before, after = self.spelled[max(0, at - 9) : at].rstrip("_")[-1:], self.spelled[end : end + 1]
            if not before.isalnum() and not (after.isalnum() or after == "_"):
                return True
            at = self.spelled.find(wanted, at + 1)
        return False

    def holds_exactly(self, claim: Claim) -> bool:
        """Whether the passage writes all names and values of a claim, and has its lines."""
        return (
            all(map(self.holds, claim.names))
            and claim.values <= self.values
            and all(line in self.lines for line in claim.lines)
            and all(self.leads_to(url, claim) for url in claim.urls)
        )

    def leads_to(self, url: str, claim: Claim) -> bool:
        """Whether the passage shows an address, and is what the claim is about besides; of code, whether it has the
        whole line. What strangers hide in a comment or leave without a context is not passed on."""
        about = claim.code or (len(claim.words) >= TELLING_WORDS and self.share(claim) >= UNCITED)
        return about and url in self.visible


def source_of(passage: Passage) -> Source:
    """What a passage can carry: its lines, its path and its symbol."""
    text = f"{passage.text}\n{passage.path}\n{passage.symbol}"
    lines = range(passage.start_line, passage.end_line + 1)
    return Source(content_words(text), _spelling(text), _COMMENT.sub("", text), held_values(text), lines)


def carries(source: Source, claim: Claim, asked: Set[str] = frozenset(), lenient: bool = False) -> bool:
    """Whether a passage that a sentence cites has to do with it. One that only repeats the words `asked` proves nothing
    by having some of them too. `lenient`: words of another language than the passage's are not compared; names and
    values in it are."""
    if lenient and claim.foreign:
        held = any(map(source.holds, claim.names)) or bool(claim.values & source.values)
        return held or not (claim.names or claim.values)
    return source.share(claim) > _least_cited(source, claim, asked)


def _least_cited(source: Source, claim: Claim, asked: Set[str]) -> float:
    if len(claim.words) < TELLING_WORDS:
        return SHORT
    if len(claim.words - asked) <= REPEATING * len(claim.words):
        return UNCITED
    return NAMED if claim.names and all(map(source.holds, claim.names)) else CITED


def adds(source: Source, best: Source, claim: Claim) -> bool:
    """Whether a passage is worth citing beside the one that carries a claim best."""
    exact = any(source.holds(name) and not best.holds(name) for name in claim.names)
    return (
        exact
        or bool((claim.values & source.values) - best.values)
        or source.share(claim) >= BESIDE_BEST * best.share(claim)
    )


def carrier(sources: Sequence[Source], claim: Claim, near: Collection[int] = (), lenient: bool = False) -> int | None:
    """The place of the passage that carries a sentence which cites none, with all its names and values and most of its
    words; or None. `near` are the places that are cited beside it."""
    if not claim.telling and len(claim.words) < 2:
        return None
    able = [place for place, source in enumerate(sources) if source.holds_exactly(claim)]
    if lenient and claim.foreign:
        return next((place for place in able if place in near and claim.exact), None)
    shares = {place: sources[place].share(claim) for place in able}
    wanted = {place: _least(claim, place in near) for place in able}
    carrying = [place for place in able if shares[place] >= wanted[place]]
    return max(carrying, key=lambda place: (place in near, shares[place], -place), default=None)


def _least(claim: Claim, near: bool) -> float:
    if not claim.telling:
        return 1.0
    return BESIDE if near else UNCITED


def _spelling(text: str) -> str:
    return text.lower().lstrip("-").replace("-", "_")
