"""The weights of bot/ranking.py, fitted: every gold chunk should stand before the other candidates of its question."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.evaluation import Case
from bot.ranking import WEIGHTS, comparable
from bot.retrieval import Retriever
from evals.questions import Asked
from indexer.catalog import Catalog

Array = NDArray[np.float64]

STEPS = 100
RATE = 0.05
DECAY = 1e-3
SHARPNESS = 8.0
"""Scores are about 1: so much of a difference decides."""


@dataclass(frozen=True, slots=True)
class Example:
    """One question's candidates: features (candidates, weights), and which of them are gold."""

    features: Array
    gold: NDArray[np.bool_]
    weight: float


def example(asked: Asked, retriever: Retriever, catalog: Catalog, weight: float) -> Example | None:
    """None when no candidate is gold, or all are: such a question teaches nothing."""
    _, case, exclude = asked
    found = retriever.candidates(case.question)
    chunks = catalog.chunks(retriever.snapshot(), list(found.places))
    ids = [chunk_id for chunk_id in found.places if chunk_id in chunks and found.places[chunk_id].path not in exclude]
    by_name = comparable(found.signals, found.places)
    columns = [[by_name[name].get(i, 0.0) * found.weights[i] for i in ids] for name in WEIGHTS]
    gold = np.array([_is_gold(case, chunks[i].path, chunks[i].chunk.start_line, chunks[i].chunk.end_line) for i in ids])
    return Example(np.array(columns).T, gold, weight) if gold.any() and not gold.all() else None


def fit(examples: Sequence[Example], say: Callable[[str], None]) -> dict[str, float]:
    """Non-negative weights that minimise the cross-entropy of picking gold among a question's candidates (Adam)."""
    weights = np.array(list(WEIGHTS.values()))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    total = sum(one.weight for one in examples)
    for step in range(1, STEPS + 1):
        loss, gradient = 0.0, DECAY * weights
        for one in examples:
            chance = _softmax(SHARPNESS * (one.features @ weights))
            wanted = chance * one.gold / (chance[one.gold].sum() + 1e-12)
            loss -= one.weight * math.log(chance[one.gold].sum() + 1e-12) / total
            gradient = gradient + one.weight * SHARPNESS * ((chance - wanted) @ one.features) / total
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        update = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        weights = np.maximum(weights - RATE * update, 0.0)
        if step % 50 == 0:
            say(f"step {step}: loss {loss:.4f}")
    return dict(zip(WEIGHTS, weights.round(3).tolist(), strict=True))


def _softmax(scores: Array) -> Array:
    powers: Array = np.exp(scores - scores.max())
    chances: Array = powers / powers.sum()
    return chances


def _is_gold(case: Case, path: str, start_line: int, end_line: int) -> bool:
    return any(gold.overlaps(path, start_line, end_line) for gold in case.primary)
