"""How sure figures are, and how two runs over the same questions differ (paired bootstrap over questions).

Efron and Tibshirani, An Introduction to the Bootstrap, chapters 13 and 16: percentile intervals, fixed seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.evaluation.figures import FIGURES, Figure, Measures, mean, values_of

RESAMPLES = 2_000
SEED = 20_261_130
# 95 % of the resampled figures lie between these percentiles.
PERCENTILES = (2.5, 97.5)

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Scored:
    """The measures of one question."""

    id: str
    kind: str
    measures: Measures


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure over the questions that two runs share. `interval` is that of the difference, where one can be had."""

    name: str
    before: float
    now: float
    interval: Interval | None

    @property
    def certain(self) -> bool:
        """Whether the interval leaves no difference out."""
        return self.interval is not None and not self.interval[0] <= 0 <= self.interval[1]


def intervals(scored: Sequence[Scored]) -> dict[str, Interval]:
    """95 % intervals of the figures that are means."""
    found: dict[str, Interval] = {}
    for figure in FIGURES:
        if figure.of is mean and any(values_of(one.measures, figure.made_of) for one in scored):
            drawn = _resampled(scored, figure)
            found[figure.name] = _interval(drawn(_draws(len(scored))))
    return found


def differences(before: Sequence[Scored], now: Sequence[Scored]) -> list[Difference]:
    """The figures of both runs over the questions they share, with how far apart they are."""
    earlier = {one.id: one for one in before}
    pairs = [(earlier[one.id], one) for one in now if one.id in earlier]
    old, new = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return [found for figure in FIGURES if (found := _difference(figure, old, new))]


def _difference(figure: Figure, old: Sequence[Scored], new: Sequence[Scored]) -> Difference | None:
    before, now = _figure(figure, old), _figure(figure, new)
    if before is None or now is None:
        return None
    if figure.of is not mean:
        return Difference(figure.name, before, now, None)
    draws = _draws(len(new))
    apart = _resampled(new, figure)(draws) - _resampled(old, figure)(draws)
    return Difference(figure.name, before, now, _interval(apart))


def _figure(figure: Figure, scored: Sequence[Scored]) -> float | None:
    values = [value for one in scored for value in values_of(one.measures, figure.made_of)]
    return round(figure.of(values), 3) if values else None


def _resampled(scored: Sequence[Scored], figure: Figure) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
    """The figure's mean in each draw of questions; NaN where a draw has no value of it."""
    values = [values_of(one.measures, figure.made_of) for one in scored]
    sums, counts = np.array([sum(v) for v in values], float), np.array([len(v) for v in values], float)

    def means(draws: NDArray[np.int64]) -> NDArray[np.float64]:
        drawn = counts[draws].sum(axis=1)
        found: NDArray[np.float64] = np.divide(
            sums[draws].sum(axis=1), drawn, out=np.full(len(draws), np.nan), where=drawn > 0
        )
        return found

    return means


def _draws(questions: int) -> NDArray[np.int64]:
    return np.random.default_rng(SEED).integers(questions, size=(RESAMPLES, questions))


def _interval(resampled: NDArray[np.float64]) -> Interval:
    low, high = np.nanpercentile(resampled, PERCENTILES)
    return round(float(low), 3), round(float(high), 3)
