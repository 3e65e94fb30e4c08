"""Intervals and differences by resampling questions."""

from __future__ import annotations

import pytest

from bot.evaluation.comparison import Scored, differences, intervals


def scored(name: str, values: list[float | list[float] | None]) -> list[Scored]:
    return [Scored(f"q{n}", "fact", {} if value is None else {name: value}) for n, value in enumerate(values)]


def test_an_interval_lies_around_the_mean_and_narrows_with_more_questions() -> None:
    few, many = (intervals(scored("answered", [1.0, 0.0] * n))["answered"] for n in (10, 1000))
    assert few[0] < many[0] < 0.5 < many[1] < few[1]
    assert few == pytest.approx((0.28, 0.72), abs=0.08)  # 0.5 ± 1.96 · 0.5 / √20


def test_equal_questions_leave_no_doubt() -> None:
    assert intervals(scored("answered", [1.0] * 5)) == {"answered": (1, 1)}


def test_questions_that_lack_the_measure_do_not_count() -> None:
    low, high = intervals(scored("citation_precision", [None, 1.0, None, 1.0]))["citation_precision"]
    assert (low, high) == (1, 1)


def test_only_means_have_intervals() -> None:
    both = [Scored("q", "a", {"broken_citations": 1.0, "citation_lines": [3.0], "unknown_names": [0.0, 1.0]})]
    assert intervals(both).keys() == {"unknown_name_rate"}


def test_a_steady_gain_is_certain_and_a_mixed_one_is_not() -> None:
    before = scored("answered", [0.0] * 40)
    [steady] = differences(before, scored("answered", [1.0] * 10 + [0.0] * 30))
    assert (steady.before, steady.now, steady.certain) == (0, 0.25, True)
    mixed = scored("answered", [1.0] * 5 + [0.0] * 35), scored("answered", [0.0] * 4 + [1.0] * 5 + [0.0] * 31)
    [unsure] = differences(*mixed)
    assert unsure.interval and unsure.interval[0] < 0 < unsure.interval[1] and not unsure.certain


def test_pairs_are_told_apart_by_question() -> None:
    values: list[float | list[float] | None] = [1.0, 0.0, 1.0, 0.0]
    [same] = differences(scored("answered", values), scored("answered", values)[::-1])
    assert same.interval == (0, 0)


def test_only_shared_questions_and_figures_are_compared() -> None:
    before, now = scored("answered", [1.0, 0.0]), [*scored("answered", [1.0]), Scored("new", "fact", {"answered": 0.0})]
    [shared] = differences(before, now)
    assert (shared.before, shared.now) == (1, 1)
    assert differences(scored("declined", [1.0]), scored("answered", [1.0])) == []
    assert differences([], now) == []


def test_sums_and_quantiles_are_compared_without_an_interval() -> None:
    [lines, ninety] = differences(scored("citation_lines", [[9.0, 9.0]]), scored("citation_lines", [[5.0]]))
    assert (lines.before, lines.now, lines.interval) == (9, 5, None) and not lines.certain and ninety.now == 5
