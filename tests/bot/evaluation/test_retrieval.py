"""Retrieval figures worked out by hand."""

from __future__ import annotations

import math

import pytest

from bot.evaluation import retrieval_figures
from fakes.evaluation import case, gold, passage


def test_figures_by_hand() -> None:
    wanted = case(gold("a.py", 10, 20), gold("b.py", 1, 5), gold("c.md", 1, 9, primary=False))
    found = [passage("x.py", 1, 9), passage("a.py", 21, 30), passage("b.py", 5, 6), passage("a.py", 1, 10)]
    assert retrieval_figures(wanted, found) == {
        "file_hit@5": 1.0,
        "file_hit@10": 1.0,
        "span_hit@10": 1.0,
        "recall@10": 1.0,
        "ndcg@10": pytest.approx((1 / math.log2(3) + 1 / math.log2(4)) / (1 + 1 / math.log2(3))),
    }
    assert retrieval_figures(wanted, [passage("x.py", 1, 1)] * 10 + found)["file_hit@10"] == 0
    assert retrieval_figures(wanted, found[:3])["recall@10"] == 0.5


def test_one_alternative_is_enough() -> None:
    either = case(gold("a.py", 1, 5), gold("b.py", 1, 5), alternatives=True)
    figures = retrieval_figures(either, [passage("b.py", 1, 1), passage("a.py", 1, 1)])
    assert figures["recall@10"] == figures["ndcg@10"] == 1
