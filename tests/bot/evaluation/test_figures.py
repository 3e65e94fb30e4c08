"""Measures become figures by kind: means, sums, shares of all things counted, quantiles."""

from __future__ import annotations

import pytest

from bot.evaluation.figures import FIGURES, known, quantile, summarise, values_of


def test_summaries_by_hand() -> None:
    rows = [("fact", {"x": 1.0, "broken_citations": 1.0}), ("howto", {"x": 0.0, "broken_citations": 2.0})]
    rows.append(("fact", {"x": 0.0}))
    assert summarise(rows) == {
        "ALL": {"n": 3, "x": 0.333, "broken_citations": 3},
        "fact": {"n": 2, "x": 0.5, "broken_citations": 1},
        "howto": {"n": 1, "x": 0, "broken_citations": 2},
    }


def test_things_are_counted_over_all_questions() -> None:
    rows = [("a", {"unknown_names": [1.0, 0.0]}), ("a", {"unknown_names": [0.0] * 6}), ("a", {"unknown_names": []})]
    assert summarise(rows)["ALL"] == {"n": 3, "unknown_names": 1, "unknown_name_rate": 0.125}


def test_quantiles_of_all_citations() -> None:
    rows = [("a", {"citation_lines": [float(n) for n in range(1, 11)]}), ("a", {"citation_lines": [100.0]})]
    assert summarise(rows)["a"] == {"n": 2, "citation_lines_p50": 6, "citation_lines_p90": 10}


@pytest.mark.parametrize(("share", "value"), [(0.0, 1), (0.5, 3), (0.95, 4), (1.0, 4)])
def test_a_quantile_is_one_of_the_values(share: float, value: float) -> None:
    assert quantile(share)([4.0, 1.0, 3.0, 2.0]) == value


def test_a_kind_without_measures_has_only_its_number() -> None:
    assert summarise([("a", {})]) == {"ALL": {"n": 1}, "a": {"n": 1}}


def test_every_figure_says_what_it_means() -> None:
    names = [figure.name for figure in FIGURES]
    assert len(set(names)) == len(names) and all(figure.meaning for figure in FIGURES)
    assert known("fact_recall").better == "higher" and known("broken_citations").better == "lower"
    assert known("nobody's").made_of == "nobody's" and known("nobody's").meaning == ""


def test_values_of_a_measure() -> None:
    assert values_of({"x": 1}, "x") == (1,) and values_of({"x": [1.0, 2.0]}, "x") == [1, 2] and values_of({}, "x") == ()
