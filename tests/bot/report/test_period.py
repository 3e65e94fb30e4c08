from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest

from bot.report.period import Period

LAST = date(2026, 11, 30)


def test_a_period_holds_every_time_of_its_days_and_no_other() -> None:
    period = Period.ending(LAST, 7)
    inside = ("2026-11-24T00:00:00+00:00", "2026-11-24T00:00:00.000001+00:00", "2026-11-30T23:59:59.999999+00:00")
    assert all(period.since <= at < period.until for at in inside)
    assert not period.since <= "2026-11-23T23:59:59.999999+00:00" < period.until
    assert not period.since <= "2026-12-01T00:00:00+00:00" < period.until
    assert period.before.until == period.since and period.before.days == 7


@pytest.mark.parametrize(("days", "lengths"), [(1, [1]), (21, [1] * 21), (28, [7] * 4), (30, [2, 7, 7, 7, 7])])
def test_the_spans_are_the_period(days: int, lengths: list[int]) -> None:
    period = Period.ending(LAST, days)
    spans = period.spans()
    assert [span.days for span in spans] == lengths
    assert spans[0].first == period.first and spans[-1].last == LAST
    assert all(one.until == other.since for one, other in pairwise(spans))


@pytest.mark.parametrize(
    ("last", "days", "name"),
    [
        (LAST, 7, "24 to 30 November 2026"),
        (LAST, 1, "30 November 2026"),
        (date(2026, 12, 2), 7, "26 November to 2 December 2026"),
        (date(2026, 1, 2), 7, "27 December 2025 to 2 January 2026"),
    ],
)
def test_a_period_in_words(last: date, days: int, name: str) -> None:
    assert Period.ending(last, days).name == name
