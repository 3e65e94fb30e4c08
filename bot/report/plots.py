"""The figures of days or weeks become the geometry of column plots. Pure; page.html.jinja draws them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

from bot.report.document import percent, seconds
from bot.report.report import Span

# In the plot's own units, of which a narrow phone has about as many pixels.
WIDTH: Final = 340
HEIGHT: Final = 170
LEFT: Final = 44
BOTTOM: Final = 24
TOP: Final = 8
MOST_LABELS: Final = 7
# How much of the room of one day its columns take.
_FILLED: Final = 0.72


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle, the number of its colour, and what it says."""

    colour: int
    x: float
    y: float
    width: float
    height: float
    says: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A label at a place on an axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Series:
    """One colour of columns: its number, its name, and its values."""

    colour: int
    name: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """`says` is its text for who does not see it; `rows` and `columns` are the labels of the axes."""

    title: str
    says: str
    series: tuple[Series, ...]
    bars: tuple[Bar, ...]
    rows: tuple[Mark, ...]
    columns: tuple[Mark, ...]


def plots_of(spans: Sequence[Span]) -> tuple[Plot, ...]:
    """Questions by what became of them, shares that went wrong, and how long answers took."""
    figures = [span.figures for span in spans]
    left = [each.failed + each.abandoned for each in figures]
    became = (
        Series(0, "answered", tuple(each.answered for each in figures)),
        Series(1, "declined", tuple(each.declined for each in figures)),
        Series(2, "failed or left", tuple(left)),
    )
    wrong = (
        Series(1, "declined", tuple(each.share(each.declined) for each in figures)),
        Series(2, "voted down", tuple(each.share(each.voted_down) for each in figures)),
    )
    took = (Series(0, "median", tuple(each.median_s or 0.0 for each in figures)),)
    return (
        _plot("Questions", spans, became, lambda value: f"{value:.0f}", stacked=True, whole=True),
        _plot("Share declined and voted down", spans, wrong, percent),
        _plot("Median time to an answer", spans, took, seconds),
    )


def _plot(
    title: str,
    spans: Sequence[Span],
    series: Sequence[Series],
    written: Callable[[float], str],
    stacked: bool = False,
    whole: bool = False,
) -> Plot:
    columns = list(zip(*(each.values for each in series), strict=True))
    highest = max((sum(column) if stacked else max(column) for column in columns), default=0)
    step = _step(highest, whole)
    top = step * max(1, ceil(round(highest / step, 9)))
    room = (WIDTH - LEFT) / max(1, len(columns))
    bars = [
        bar
        for at, column in enumerate(columns)
        for bar in _bars(spans[at].period.short_name, series, column, (LEFT + at * room, room, top), written, stacked)
    ]
    rows = tuple(Mark(_y(step * n, top), written(step * n)) for n in range(round(top / step) + 1))
    every = ceil(len(spans) / MOST_LABELS)
    labels = tuple(
        Mark(LEFT + (at + 0.5) * room, span.period.short_name) for at, span in enumerate(spans) if at % every == 0
    )
    unit = spans[0].period.unit_of_row.lower() if spans else ""
    says = (
        f"{title} by {unit.split()[0]}: at most {written(highest)}. The table at the end has the figures."
        if unit
        else title
    )
    return Plot(title, says, tuple(series), tuple(bars), rows, labels)


def _bars(
    when: str,
    series: Sequence[Series],
    column: Sequence[float],
    place: tuple[float, float, float],
    written: Callable[[float], str],
    stacked: bool,
) -> list[Bar]:
    """The rectangles of one day: on top of each other, or side by side."""
    x, room, top = place
    width = room * _FILLED / (1 if stacked else len(column))
    bars, below = list[Bar](), 0.0
    for number, (each, value) in enumerate(zip(series, column, strict=True)):
        left = x + room * (1 - _FILLED) / 2 + (0 if stacked else number * width)
        height = _y(0, top) - _y(value, top)
        if value:
            says = f"{when}: {written(value)} {each.name}"
            bars.append(
                Bar(each.colour, round(left, 2), _y(below + value, top), round(width, 2), round(height, 2), says)
            )
        below += value if stacked else 0
    return bars


def _y(value: float, top: float) -> float:
    return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top), 2)


def _step(highest: float, whole: bool) -> float:
    """A round distance of the lines of a grid, of which three or four reach so high; `whole`: not below 1."""
    rough = highest / 3 or 1.0
    size = 10.0 ** floor(log10(rough))
    step: float = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    return max(1.0, step) if whole else step
