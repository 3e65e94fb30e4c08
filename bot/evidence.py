"""How much the passages found prove: which of them a reader shows, and whether to decline. Pure functions.

Two logistic models over signs that need no language model, one of a passage, one of a question with all its passages.
Their weights are fitted by `python -m evals calibrate`; how well they tell is in DESIGN.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from math import exp, log

from bot.types import Passage

Features = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic model over named features."""

    intercept: float
    weights: Features

    def odds(self, features: Features) -> float:
        """The logarithm of the odds: 0 is even, more is likelier."""
        return self.intercept + sum(self.weights[name] * value for name, value in features.items())

    def chance(self, features: Features) -> float:
        """How likely it is, 0 to 1."""
        return 1 / (1 + exp(-self.odds(features)))


# Whether a passage lies in a file that proves an answer; and whether anything proves one.
PROVES = Logistic(
    -6.396,
    {
        "gap": 2.974,
        "rank": -0.412,
        "share": 4.081,
        "likeness": 0.147,
        "coverage": 0.97,
        "held": 0.321,
        "docs": -0.37,
        "test": -4.158,
        "other": -3.832,
    },
)
ANSWERABLE = Logistic(
    -7.941,
    {
        "missing": -3.519,
        "missing_share": -0.788,
        "beyond": -6.329,
        "absent": -1.728,
        "terms": 2.137,
        "likeness": 7.76,
        "proof": 0.554,
    },
)
# Below it a question is declined: the trade-off is drawn in DESIGN.md.
LEAST_CONFIDENCE = 0.6


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known of a question by itself.

    `rarity` is how rare each of its terms is in the index (stem → log of chunks per chunk that has it), `absent` are
    the stems that are in no chunk, `missing` is the share of the names it writes that exist nowhere, and `beyond` says
    that its words are of a kind that repositories do not answer.
    """

    rarity: Mapping[str, float]
    absent: Set[str] = frozenset()
    missing: float = 0.0
    beyond: bool = False


@dataclass(frozen=True, slots=True)
class Sign:
    """What speaks for one passage: its stems, how like the question it reads (late interaction, -1 to 1), and how much
    of what the question looks for it holds (0 to 1)."""

    stems: Set[str]
    likeness: float
    held: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """Passages, best first, each cut to the lines that a citation would show, with the features of each and of all."""

    passages: tuple[Passage, ...]
    of_passages: tuple[Features, ...]
    of_question: Features

    @property
    def chances(self) -> tuple[float, ...]:
        """How likely each passage is to prove an answer, 0 to 1."""
        return tuple(map(PROVES.chance, self.of_passages))

    @property
    def confidence(self) -> float:
        """How likely it is that the passages prove an answer, 0 to 1; 0 when there are none."""
        return self.confidence_by(PROVES, ANSWERABLE)

    def confidence_by(self, proves: Logistic, is_answerable: Logistic) -> float:
        """The same by other models than those that ship."""
        if not self.passages:
            return 0.0
        return is_answerable.chance(answerable(proves, self.of_passages, self.of_question))


def evidence_of(asked: Asked, cut: Sequence[Passage], signs: Sequence[Sign]) -> Evidence:
    """What passages, best first, are evidence of."""
    whole = sum(asked.rarity.values()) or 1.0
    of_question = {
        "missing": float(asked.missing > 0),
        "missing_share": asked.missing,
        "beyond": float(asked.beyond),
        "absent": sum(asked.rarity[stem] for stem in asked.absent) / whole,
        "terms": log(1 + len(asked.rarity)),
        "likeness": max((sign.likeness for sign in signs), default=0.0),
    }
    return Evidence(tuple(cut), _of_passages(asked.rarity, whole, cut, signs), of_question)


def answerable(proves: Logistic, of_passages: Sequence[Features], of_question: Features) -> Features:
    """What the model of a question weighs: its own features, and the odds of its likeliest passage."""
    return {**of_question, "proof": max(map(proves.odds, of_passages))}


def _of_passages(
    rarity: Mapping[str, float], whole: float, cut: Sequence[Passage], signs: Sequence[Sign]
) -> tuple[Features, ...]:
    best, last = (cut[0].score, cut[-1].score) if cut else (0.0, 0.0)
    return tuple(
        {
            "gap": best - last,
            "rank": log(rank),
            "share": passage.score / best if best > 0 else 1.0,
            "likeness": sign.likeness,
            "coverage": sum(rarity[stem] for stem in sign.stems & rarity.keys()) / whole,
            "held": sign.held,
            "docs": float(passage.kind == "docs"),
            "test": float(passage.kind == "test"),
            "other": float(passage.kind in ("example", "config")),
        }
        for rank, (passage, sign) in enumerate(zip(cut, signs, strict=True), start=1)
    )
