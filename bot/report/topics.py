"""Questions become groups about one thing each, and get names. Pure functions.

A question of eight words shares hardly a word with the next one about the same thing, but a search finds the same
documents for both. So questions are as near as their vectors and the words of what was found for them (DESIGN.md).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bot.report.privacy import shortened
from indexer.lexical import STOP_WORDS
from indexer.terms import terms

# How far apart, in average of their pairs, two groups may be to become one: 0 is the same, 1 nothing in common.
DISTANCE: Final = 0.8
# How like the likeliest question of a group one must be that was not searched for, as a cosine of vectors.
LEAST_LIKENESS: Final = 0.5
MOST_TERMS: Final = 3
# What two questions have in common may be anything.
FEWEST_NAMED: Final = 3
LONGEST_NAME: Final = 70

# Flags, identifiers and words, versions and numbers left out.
_TERM: Final = re.compile(r"--[a-z][\w-]+|[^\W\d_](?:[\w.+#/-]*\w)?", re.IGNORECASE)
# Beside the words that no search looks for, those that say that something is asked.
_ASKING: Final = STOP_WORDS | frozenset(
    """able actually answer anybody anyone api cannot cant change configure correct correctly default difference
    different doesn doesnt dont enable error every exactly example explain fail failed fails fix found gets getting
    give given help hi instead isn issue mean means method needs new option options per possible problem question
    really right run running same say says see set setting show start still support supported supports tell thanks
    think thru tried try trying turn value vs well won wont working wrong""".split()
)

Matrix = NDArray[np.float64]


def grouped(vectors: Matrix, texts: Sequence[str]) -> list[int]:
    """The group's number of each question. `vectors` are unit rows (or have no columns, where there is no embedder);
    `texts` are each question with the words of what was found for it."""
    if not texts:
        return []
    features = np.hstack([vectors, _weighed(texts)])
    lengths = np.linalg.norm(features, axis=1, keepdims=True)
    unit = features / np.where(lengths == 0, 1, lengths)
    return _linked(1 - unit @ unit.T)


def _linked(distances: Matrix) -> list[int]:
    """The group of each row: the nearest two become one, as long as DISTANCE allows, by the average of their pairs."""
    apart, groups = distances.copy(), np.arange(len(distances))
    sizes = np.ones(len(distances))
    np.fill_diagonal(apart, np.inf)
    while (least := apart.min()) < DISTANCE:
        one, other = np.argwhere(apart == least)[0]
        apart[one] = (sizes[one] * apart[one] + sizes[other] * apart[other]) / (sizes[one] + sizes[other])
        apart[one, one] = apart[other] = apart[:, other] = np.inf
        apart[:, one] = apart[one]
        sizes[one] += sizes[other]
        groups[groups == other] = one
    found: list[int] = groups.tolist()
    return found


def _weighed(texts: Sequence[str]) -> Matrix:
    """A unit row for each text, a column for each term: the rarer the term and the oftener it comes, the more."""
    counts = [Counter(term for term in terms(text) if term not in STOP_WORDS) for text in texts]
    spread = Counter(term for each in counts for term in each)
    columns = {term: at for at, term in enumerate(spread)}
    rows = np.zeros((len(texts), len(columns)))
    for row, each in zip(rows, counts, strict=True):
        for term, count in each.items():
            row[columns[term]] = (1 + log(count)) * (1 + log((1 + len(texts)) / (1 + spread[term])))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    weighed: Matrix = rows / np.where(lengths == 0, 1, lengths)
    return weighed


def nearest(vectors: Matrix, known: Matrix) -> list[int | None]:
    """Which of the known rows each vector is most like; None where none is like it."""
    if not len(vectors) or not known.size:
        return [None] * len(vectors)
    likeness = vectors @ known.T
    best = likeness.argmax(axis=1)
    return [int(at) if likeness[row, at] >= LEAST_LIKENESS else None for row, at in enumerate(best)]


def names_of(groups: Sequence[Sequence[str]]) -> list[str]:
    """A name for each group of questions: the words that many of them have and few others, as they write them. A small
    group, or one without such words, is called by its first question."""
    spread = Counter(term for group in groups for text in group for term in _terms(text))
    texts = sum(map(len, groups))
    return [_name(group, spread, texts) for group in groups]


def _name(group: Sequence[str], spread: Counter[str], texts: int) -> str:
    within = Counter(term for text in group for term in _terms(text))
    least = max(2, len(group) / 5)
    weights = {
        term: count * log((1 + texts) / spread[term]) * (1 + 0.5 * term.count(" "))
        for term, count in within.items()
        if count >= least
    }
    chosen: list[str] = []
    for term in sorted(weights, key=lambda term: (-weights[term], term)):
        if not any(_overlap(term, other) for other in chosen):
            chosen.append(term)
    if not chosen or len(group) < FEWEST_NAMED:
        return shortened(group[0], LONGEST_NAME)
    written = _written(group)
    return ", ".join(" ".join(written[word] for word in term.split(" ")) for term in chosen[:MOST_TERMS])


def _overlap(one: str, other: str) -> bool:
    return any(a.rstrip("s") == b.rstrip("s") for a in one.split(" ") for b in other.split(" "))


def _terms(text: str) -> set[str]:
    """The words of a text and its pairs of neighbouring words, in small letters."""
    words = [word.lower() for word in _TERM.findall(text)]
    pairs = {f"{a} {b}" for a, b in pairwise(words) if _tells(a) and _tells(b)}
    return {word for word in words if _tells(word)} | pairs


def _tells(word: str) -> bool:
    return len(word) > 1 and word not in _ASKING


def _written(texts: Iterable[str]) -> dict[str, str]:
    """How each word is written most often: LoRA, ROCm."""
    forms = Counter(word for text in texts for word in _TERM.findall(text))
    return {word.lower(): word for word, _ in reversed(forms.most_common())}
