"""Facts that a good answer states: whether an answer supports them, without a judge.

A fact is a short sentence. It counts as supported when most of its names and numbers occur, and when one stretch of
neighbouring lines or sentences holds enough of its terms, the rarer ones (and names twice) counting more. DESIGN.md
says how well this agrees with a reader.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import log
from typing import Final

from bot.evaluation.figures import Figures
from bot.reading.interest import stem
from indexer.lexical import STOP_WORDS
from indexer.terms import COMPOUND, compound_terms

# Chosen on one half of the answers that were labelled by hand, reported on the other: see DESIGN.md.
STRETCH: Final = 6
LEAST_COVERED: Final = 0.42
LEAST_NAMED: Final = 0.67
NAME_WEIGHT: Final = 2.0
# However common a term is in the answer and what it cites, it still says something.
LEAST_RARITY: Final = 0.15
# In a short text every term would be common.
FEWEST_LINES: Final = 20
# What a fact says in brackets is left out when as many terms remain.
ENOUGH_TERMS: Final = 3

_SAYING_NOTHING: Final = STOP_WORDS | {"yes", "doesn", "isn", "aren", "didn", "wasn"}
_NAME_SHAPE: Final = re.compile(r"\w_\w|[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z]\d")
_NUMBER: Final = re.compile(r"(?<![\w.])\d+(?:[.,_]\d+)*")
_ASIDE: Final = re.compile(r"(?<=\s)\([^()]*\)")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?:;])\s+")
_FENCE: Final = re.compile(r"[ >]*(?:```|~~~)")
# Where something stands is not what it says: our own citations, and the lines that the reader names.
_PLACE: Final = re.compile(r"\[\d+\]|\blines? \d+(?:[–-]\d+)?(?:(?:,| and) \d+(?:[–-]\d+)?)*")


@dataclass(frozen=True, slots=True)
class Proof:
    """An answer's sentences and lines, and those it cites, each as the set of its terms."""

    said: Sequence[frozenset[str]]
    cited: Sequence[Sequence[frozenset[str]]]
    spread: Mapping[str, int] = field(repr=False)
    """In how many of all lines a term occurs."""

    @classmethod
    def of(cls, text: str, cited: Iterable[str]) -> Proof:
        said, shown = _lines(_PLACE.sub(" ", text)), [_lines(lines) for lines in cited]
        return cls(said, shown, Counter(chain.from_iterable(chain(said, *shown))))

    def says(self, fact: str) -> bool:
        """Whether the answer's own text supports the fact."""
        return self._supports(_terms(fact), [self.said])

    def shows(self, fact: str) -> bool:
        """Whether the text or the lines it cites do."""
        return self._supports(_terms(fact), [self.said, *self.cited])

    def _supports(self, terms: Mapping[str, bool], texts: Sequence[Sequence[frozenset[str]]]) -> bool:
        weights = {term: self._rarity(term) * (NAME_WEIGHT if named else 1.0) for term, named in terms.items()}
        exact = {term: weight for term, weight in weights.items() if terms[term] or term[0].isdigit()}
        if _share(exact, frozenset().union(*chain(*texts))) < LEAST_NAMED:
            return False
        stretches = (lines[at : at + STRETCH] for lines in texts for at in range(len(lines)))
        return any(_share(weights, frozenset().union(*stretch)) >= LEAST_COVERED for stretch in stretches)

    def _rarity(self, term: str) -> float:
        """1 for a term in at most one line, down to LEAST_RARITY for one that is everywhere."""
        lines = max(FEWEST_LINES, len(self.said) + sum(map(len, self.cited)))
        return max(LEAST_RARITY, log((lines + 1) / max(1, self.spread.get(term, 0))) / log(lines + 1))


def fact_figures(facts: Sequence[str], proof: Proof) -> Figures:
    """The share of a question's facts that the text supports, and that the text or its citations do."""
    if not facts:
        return {}
    return {
        "fact_recall": sum(map(proof.says, facts)) / len(facts),
        "fact_recall_cited": sum(map(proof.shows, facts)) / len(facts),
    }


def _share(weights: Mapping[str, float], found: frozenset[str]) -> float:
    """How much of the weight is found; all of it when there is none."""
    whole = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in found) / whole if whole else 1.0


def _terms(fact: str) -> dict[str, bool]:
    """What a fact must be recognised by: each of its terms, and whether it is a name."""
    short = _content(_ASIDE.sub(" ", fact))
    return short if len(short) >= ENOUGH_TERMS else _content(fact)


def _content(text: str) -> dict[str, bool]:
    found = dict.fromkeys(_numbers(text), False)
    for match in COMPOUND.finditer(text):
        *parts, whole = compound_terms(match[0]) or ("",)
        flag = text[: match.start()].endswith("--")
        if not match[0][0].isdigit() and (flag or _NAME_SHAPE.search(match[0].replace("-", " "))):
            found[stem(whole)] = True
        else:
            words = (word for word in parts or [whole] if len(word) > 1 and word.isalpha())
            found.update((stem(word), False) for word in words if word not in _SAYING_NOTHING)
    return found


def _lines(text: str) -> list[frozenset[str]]:
    lines = (line for line in text.split("\n") if line.strip() and not _FENCE.match(line))
    return [_all_terms(sentence) for line in lines for sentence in _SENTENCE_END.split(line.strip())]


def _all_terms(text: str) -> frozenset[str]:
    compounds = (compound_terms(found) for found in COMPOUND.findall(text))
    return frozenset(map(stem, chain.from_iterable(compounds))) | frozenset(_numbers(text))


def _numbers(text: str) -> list[str]:
    """Numbers in one spelling: `16,384` and `16_384` are 16384, `0.0` is 0, `0.12.0` stays."""
    return [_plain_number(found) for found in _NUMBER.findall(text)]


def _plain_number(written: str) -> str:
    joined = re.sub(r"[,_](?=\d{3}(?!\d))", "", written)
    whole, dot, rest = joined.partition(".")
    return whole if dot and not rest.strip("0") else joined
