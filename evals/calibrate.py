"""The weights of bot/evidence.py, fitted on which passages lie in a file that proves an answer, if any does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bot.evaluation import Case
from bot.evidence import Evidence, Features, Logistic, answerable
from bot.retrieval import PASSAGES, Retriever
from evals.questions import Asked
from evals.score import SPARE

Array = NDArray[np.float64]

# Of the standardised weights: keeps those that hardly tell near nothing.
RIDGE = 3.0
STEPS = 30
FOLDS = 5
THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(4, 17))


@dataclass(frozen=True, slots=True)
class Example:
    """One question's evidence, and which of its passages lie in a file that proves the answer."""

    case: Case
    evidence: Evidence
    proves: tuple[bool, ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Models:
    """The model of a passage and the model of a question, as bot/evidence.py has them."""

    proves: Logistic
    answerable: Logistic

    def confidence(self, evidence: Evidence) -> float:
        """How likely it is that the passages prove an answer; 0 when there are none."""
        return evidence.confidence_by(self.proves, self.answerable)


def example(asked: Asked, retriever: Retriever, weight: float = 1.0, *, elsewhere: bool = False) -> Example:
    """A question's passages in an index; `elsewhere`: one of another package, where nothing proves its answer."""
    _, case, exclude = asked
    found = retriever.search(case.question, PASSAGES + SPARE * len(exclude))
    kept = tuple(passage for passage in found.passages if passage.path not in exclude)[:PASSAGES]
    evidence = retriever.evidence(case.question, replace(found, passages=kept))
    files = {gold.path for gold in case.gold}
    proves = tuple(passage.path in files and not elsewhere for passage in kept)
    return Example(replace(case, answerable=case.answerable and not elsewhere), evidence, proves, weight)


def fit(examples: Sequence[Example]) -> Models:
    """Both models, the second over the odds that the first gives."""
    found = [one for one in examples if one.evidence.passages]
    passages = [
        (features, proof, one.weight)
        for one in found
        for features, proof in zip(one.evidence.of_passages, one.proves, strict=True)
    ]
    proves = _logistic(passages)
    questions = [
        (answerable(proves, one.evidence.of_passages, one.evidence.of_question), one.case.answerable, one.weight)
        for one in found
    ]
    return Models(proves, _logistic(questions))


def _logistic(rows: Sequence[tuple[Features, bool, float]]) -> Logistic:
    """Ridge logistic regression by Newton's method on standardised features."""
    names = list(rows[0][0])
    columns = np.array([[features[name] for name in names] for features, _, _ in rows])
    wanted, weight = np.array([is_so for _, is_so, _ in rows], float), np.array([weight for _, _, weight in rows])
    mean, scale = columns.mean(0), columns.std(0) + 1e-9
    fitted = _newton(np.c_[np.ones(len(rows)), (columns - mean) / scale], wanted, weight)
    weights = fitted[1:] / scale
    intercept = float(fitted[0] - weights @ mean)
    return Logistic(round(intercept, 3), {name: round(float(w), 3) for name, w in zip(names, weights, strict=True)})


def cross_validated(examples: Sequence[Example], others: Sequence[Example]) -> list[float]:
    """The confidence in each example by a model that saw neither it nor its fold; `others` are always seen."""
    fold = np.random.default_rng(0).integers(0, FOLDS, len(examples))
    models = [fit([*others, *(one for one, f in zip(examples, fold, strict=True) if f != k)]) for k in range(FOLDS)]
    return [models[f].confidence(one.evidence) for one, f in zip(examples, fold, strict=True)]


def curve(cases: Sequence[Case], confidence: Sequence[float]) -> list[tuple[float, float, float]]:
    """(threshold, share of the unanswerable declined, share of the answerable answered)."""
    return [(t, _declined(cases, confidence, t), _answered(cases, confidence, t)) for t in THRESHOLDS]


def table(rows: Iterable[tuple[float, float, float]]) -> str:
    """The curve as a Markdown table."""
    lines = ["| threshold | unanswerable declined | answerable answered |", "|---|---|---|"]
    return "\n".join((*lines, *(f"| {t:.2f} | {declined:.3f} | {answered:.3f} |" for t, declined, answered in rows)))


def _declined(cases: Sequence[Case], confidence: Sequence[float], threshold: float) -> float:
    below = [sure < threshold for case, sure in zip(cases, confidence, strict=True) if not case.answerable]
    return sum(below) / len(below)


def _answered(cases: Sequence[Case], confidence: Sequence[float], threshold: float) -> float:
    above = [sure >= threshold for case, sure in zip(cases, confidence, strict=True) if case.answerable]
    return sum(above) / len(above)


def _newton(rows: Array, wanted: Array, weight: Array) -> Array:
    ridge = RIDGE * np.eye(rows.shape[1])
    ridge[0, 0] = 0.0
    fitted = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-rows @ fitted))
        gradient = rows.T @ (weight * (wanted - chance)) - ridge @ fitted
        curvature = (rows * (weight * chance * (1 - chance))[:, None]).T @ rows + ridge
        fitted = fitted + np.linalg.solve(curvature, gradient)
    return fitted
