"""Weights are fitted so that gold stands first; the written questions are whole."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from bot.evaluation import read_cases
from bot.ranking import WEIGHTS
from evals import questions
from evals.fit import Example, fit

EVALS = Path(questions.__file__).parent
WRITTEN = sorted((EVALS / "written").glob("*.jsonl"))


def test_a_feature_that_tells_gold_gets_weight_and_one_that_misleads_gets_none() -> None:
    rng = np.random.default_rng(0)
    telling, misleading = list(WEIGHTS).index("late"), list(WEIGHTS).index("path")
    examples = []
    for _ in range(40):
        found, gold = rng.random((30, len(WEIGHTS))) / 2, np.zeros(30, dtype=bool)
        gold[rng.integers(30)] = True
        found[gold, telling], found[gold, misleading] = 1.0, 0.0
        examples.append(Example(found, gold, 1.0))
    weights = fit(examples, lambda line: None)
    assert weights.keys() == WEIGHTS.keys()
    assert weights["late"] == max(weights.values()) > WEIGHTS["late"]
    assert weights["path"] == 0.0


def test_there_are_written_questions_of_pinned_packages() -> None:
    pinned = tomllib.loads((EVALS / "packages.toml").read_text(encoding="utf-8"))
    assert {file.stem for file in WRITTEN} <= pinned["fit"].keys() | pinned["held_out"].keys()
    assert not pinned["fit"].keys() & pinned["held_out"].keys()
    assert len(questions.load(EVALS / "written")) == 262
    assert len(questions.load(EVALS / "written", unanswerable=True)) == 400


@pytest.mark.parametrize("file", WRITTEN, ids=lambda file: file.stem)
def test_written_questions_are_whole(file: Path) -> None:
    cases = read_cases(file)
    assert len({case.id for case in cases}) == len(cases)
    for case in cases:
        assert case.answerable == bool(case.gold) == (case.kind != "unanswerable")
        assert not case.answerable or any(gold.primary for gold in case.gold)
        assert all(1 <= gold.start_line <= gold.end_line and not gold.path.startswith("/") for gold in case.gold)
        assert (case.kind == "followup") <= bool(case.question.history)
    for line in file.read_text(encoding="utf-8").splitlines():
        assert json.loads(line)["source"] == "written"
