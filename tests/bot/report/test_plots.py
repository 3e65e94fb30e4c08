from __future__ import annotations

from datetime import date

import pytest

from bot.history import Record
from bot.report.figures import Tally
from bot.report.period import Period
from bot.report.plots import BOTTOM, HEIGHT, LEFT, MOST_LABELS, TOP, WIDTH, plots_of
from bot.report.report import Span
from fakes.answers import answer

LAST = date(2026, 11, 30)


def spans(days: int, questions: int) -> tuple[Span, ...]:
    tally = Tally()
    for number in range(questions):
        declined = number % 4 == 0
        said = answer("No.", declined=True) if declined else answer("It is.", 1)
        tally.add(Record(str(number), "2026", "http", None, "why?", said, None, {"whole": 0.03 * number}), [])
    return tuple(Span(span, tally.figures()) for span in Period.ending(LAST, days).spans())


@pytest.mark.parametrize("days", [1, 7, 365])
@pytest.mark.parametrize("questions", [0, 1, 7, 1_000])
def test_everything_is_inside(days: int, questions: int) -> None:
    for plot in plots_of(spans(days, questions)):
        assert len(plot.columns) <= MOST_LABELS and 2 <= len(plot.rows) <= 5
        for bar in plot.bars:
            assert bar.x >= LEFT and bar.x + bar.width <= WIDTH + 0.1
            assert bar.y >= TOP - 0.1 and bar.y + bar.height <= HEIGHT - BOTTOM + 0.1 and bar.height > 0


def test_columns_are_as_high_as_what_they_count() -> None:
    became, wrong, took = plots_of(spans(1, 8))
    answered, declined = became.bars
    assert answered.height == pytest.approx(3 * declined.height, abs=0.1)
    assert answered.y == pytest.approx(declined.y + declined.height, abs=0.1), "one stands on the other"
    assert declined.says == "30 Nov: 2 declined" and wrong.bars[0].says == "30 Nov: 25\u00a0% declined"
    assert [mark.text for mark in became.rows][:2] == ["0", "5"]
    assert "table" in took.says and "at most" in took.says
