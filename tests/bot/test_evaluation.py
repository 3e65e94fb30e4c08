"""The figures are those of ../shared/evals/score.py where it is at hand, and those worked out by hand everywhere."""

from __future__ import annotations

import importlib.util
import json
import math
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evaluation import (
    Case,
    Gold,
    QuestionFileError,
    answer_figures,
    read_cases,
    retrieval_figures,
    summarise,
)
from bot.types import Answer, Citation, Index, Passage, Question

SCORE = Path(__file__).parents[2].parent / "shared" / "evals" / "score.py"
INDEX = Index("acme/demo", "main", "c", "2026-11-29T12:00:00+00:00")

lines = st.tuples(st.integers(1, 12), st.integers(1, 12)).map(sorted)
paths = st.sampled_from(["a.py", "b.py", "c.md", "d.rs"])


def gold(path: str, start: int, end: int, primary: bool = True) -> Gold:
    return Gold(path, start, end, primary)


def case(*spans: Gold, alternatives: bool = False, answerable: bool = True) -> Case:
    return Case("q", "fact", Question("?"), answerable, alternatives, spans)


def passage(path: str, start: int, end: int) -> Passage:
    return Passage(path, start, end, "", "code", "python", 1.0, "", "https://x")


def citation(path: str, start: int, end: int, url: str = "https://x") -> Citation:
    return Citation(1, path, start, end, "", url)


def answer(*citations: Citation, declined: bool = False) -> Answer:
    return Answer("i", "", citations, declined, None, "m", INDEX)


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
    return {
        "answerable": case.answerable,
        "alternatives": case.alternatives,
        "gold": [asdict(gold) for gold in case.gold],
    }


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


def test_answers_by_hand() -> None:
    wanted = case(gold("a.py", 10, 20), gold("b.py", 1, 5, primary=False))
    cited = answer(citation("a.py", 30, 40), citation("b.py", 1, 2), citation("b.py", 1, 2), citation("z.py", 1, 1, ""))
    assert answer_figures(wanted, cited) == {
        "broken_citations": 1,
        "duplicate_citations": 1,
        "answered": 1,
        "primary_cited": 0,
        "primary_file_cited": 1,
        "citation_precision": 0.75,
    }
    declining = answer_figures(case(answerable=False), answer(declined=True))
    assert declining == {"broken_citations": 0, "duplicate_citations": 0, "declined": 1}


def test_summaries_by_hand() -> None:
    rows = [("fact", {"x": 1.0, "broken_citations": 1.0}), ("howto", {"x": 0.0, "broken_citations": 2.0})]
    rows.append(("fact", {"x": 0.0}))
    assert summarise(rows) == {
        "ALL": {"n": 3, "x": 0.333, "broken_citations": 3},
        "fact": {"n": 2, "x": 0.5, "broken_citations": 1},
        "howto": {"n": 1, "x": 0, "broken_citations": 2},
    }


WHOLE = {
    "id": "q1",
    "kind": "fact",
    "question": "Why\u2028so?",
    "answerable": True,
    "gold": [{"path": "a.py", "start_line": 1, "end_line": 2, "primary": True, "symbol": "a"}],
    "history": [{"role": "user", "text": "Before"}],
}


def test_a_question_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(f"\n{json.dumps(WHOLE, ensure_ascii=False)}\r\n\n", encoding="utf-8", newline="")
    [read] = read_cases(file)
    assert read.question.text == "Why\u2028so?" and read.question.history[0].content == "Before"
    assert read.gold == (gold("a.py", 1, 2),)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("not json", "Expecting value"),
        ("[]", "no JSON object"),
        ("null", "no JSON object"),
        ("{}", "gold is missing"),
        (json.dumps(WHOLE | {"gold": []}), "needs gold"),
        (json.dumps(WHOLE | {"gold": [{"path": "a.py"}]}), "start_line is missing"),
        (json.dumps(WHOLE | {"gold": [7]}), "not subscriptable"),
        (json.dumps(WHOLE | {"history": ["x"]}), "string"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, reason: str) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(f"{json.dumps(WHOLE)}\n{line}\n")
    with pytest.raises(QuestionFileError) as caught:
        read_cases(file)
    assert str(caught.value).startswith(f"{file}:2 is not a question") and reason in str(caught.value)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(QuestionFileError, match=r"q\.jsonl cannot be read"):
        read_cases(tmp_path / "q.jsonl")
