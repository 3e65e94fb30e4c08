"""The figures are those of ../shared/evals/score.py, where it is at hand."""

from __future__ import annotations

import importlib.util
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evaluation import Case, retrieval_figures, summarise
from bot.evaluation.citing import answer_figures
from bot.types import Answer, Passage
from fakes.evaluation import answer, case, citation, gold, passage

SCORE = Path(__file__).parents[3].parent / "shared" / "evals" / "score.py"

lines = st.tuples(st.integers(1, 12), st.integers(1, 12)).map(sorted)
paths = st.sampled_from(["a.py", "b.py", "c.md", "d.rs"])
golds = st.lists(st.builds(lambda p, s, primary: gold(p, *s, primary), paths, lines, st.booleans()), min_size=1)
cases = st.builds(lambda g, alt, able: case(*g, alternatives=alt, answerable=able), golds, st.booleans(), st.booleans())
passages = st.lists(st.builds(lambda p, s: passage(p, *s), paths, lines), max_size=14)
citations = st.lists(st.builds(lambda p, s, u: citation(p, *s, u), paths, lines, st.sampled_from(["", "https://x"])))
answers = st.builds(lambda c, declined: answer(*c, declined=declined), citations, st.booleans())


@pytest.fixture(scope="module")
def score() -> ModuleType:
    if not SCORE.exists():
        pytest.skip(f"{SCORE} is not beside this checkout")
    spec = importlib.util.spec_from_file_location("score", SCORE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def question(case: Case) -> dict[str, Any]:
    spans = [asdict(gold) for gold in case.gold]
    return {"answerable": case.answerable, "alternatives": case.alternatives, "gold": spans}


@given(cases, passages)
def test_retrieval_figures_are_those_of_score(score: ModuleType, case: Case, found: list[Passage]) -> None:
    assert retrieval_figures(case, found) == score.score_retrieval(question(case), [asdict(p) for p in found])


@given(cases, answers)
def test_answer_figures_are_those_of_score(score: ModuleType, case: Case, given_answer: Answer) -> None:
    assert answer_figures(case, given_answer) == score.score_answer(question(case), asdict(given_answer))


@given(st.lists(st.tuples(st.sampled_from(["fact", "howto"]), cases, answers), min_size=1))
def test_summaries_are_those_of_score(score: ModuleType, rows: list[tuple[str, Case, Answer]]) -> None:
    figures = [(kind, answer_figures(case, given_answer)) for kind, case, given_answer in rows]
    assert summarise(figures) == score.summarise(figures)
