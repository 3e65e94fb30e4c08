"""The weights of the evidence are fitted on examples: what tells gets its sign, and the trade-off is drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bot.evaluation import Case
from bot.evidence import ANSWERABLE, PROVES, Asked, Evidence, Sign, evidence_of
from bot.types import Passage
from evals.calibrate import RIDGE, THRESHOLDS, Example, cross_validated, curve, fit, table
from evals.calibrate import example as ask
from fakes.evaluation import case, gold
from fakes.found import passage
from fakes.library import Library

RNG = np.random.default_rng(0)


def evidence(proves: list[bool], *, missing: bool = False) -> Evidence:
    """Passages that read the more like the question when they prove its answer; tests and examples never do."""
    kinds = ["code" if proof else str(RNG.choice(["code", "test", "docs", "config"])) for proof in proves]
    cut: list[Passage] = [passage(n, kind=kind) for n, kind in enumerate(kinds, start=1)]  # type: ignore[arg-type]
    signs = [
        Sign({"block"} if RNG.random() < 0.5 else set(), (0.7 if proof else 0.3) + RNG.random() / 4, RNG.random())
        for proof in proves
    ]
    return evidence_of(Asked({"block": 2.0, "size": 1.0}, missing=float(missing)), cut, signs)


def example(answerable: bool, weight: float = 1.0) -> Example:
    proves = [answerable and bool(RNG.random() < 0.3) for _ in range(8)]
    missing = bool(RNG.random() < (0.05 if answerable else 0.6))
    asked = case(gold("a.py", 1, 2), answerable=answerable)
    return Example(asked, evidence(proves, missing=missing), tuple(proves), weight)


EXAMPLES = [example(answerable=number % 3 > 0) for number in range(150)]
CASES: list[Case] = [one.case for one in EXAMPLES]


def test_an_example_is_a_question_asked_of_an_index(tmp_path: Path) -> None:
    library = Library.empty(tmp_path)
    library.index()
    asked = case(gold("cache/blocks.py", 4, 6), text="What does allocate return?")
    ours = ask(("demo", asked, frozenset()), library.retriever, 0.2)
    paths = [found.path for found in ours.evidence.passages]
    assert ours.proves == tuple(path == "cache/blocks.py" for path in paths) and any(ours.proves)
    assert (ours.case, ours.weight) == (asked, 0.2)
    without = ask(("demo", asked, frozenset({"cache/blocks.py"})), library.retriever)
    assert "cache/blocks.py" not in [found.path for found in without.evidence.passages] and not any(without.proves)
    elsewhere = ask(("demo", asked, frozenset()), library.retriever, elsewhere=True)
    assert not elsewhere.case.answerable and not any(elsewhere.proves) and elsewhere.evidence == ours.evidence
    library.close()


def test_what_tells_gets_its_sign_and_what_does_not_little_weight() -> None:
    models = fit(EXAMPLES)
    assert models.proves.weights.keys() == PROVES.weights.keys()
    assert models.answerable.weights.keys() == ANSWERABLE.weights.keys()
    assert models.proves.weights["likeness"] > 5 and models.proves.weights["test"] < 0 > models.proves.weights["other"]
    assert abs(models.proves.weights["coverage"]) < 1 and abs(models.proves.weights["held"]) < 1
    assert models.answerable.weights["missing"] < 0 < models.answerable.weights["proof"]


def test_the_confidence_tells_what_is_answerable() -> None:
    models = fit(EXAMPLES)
    sure = [models.confidence(one.evidence) for one in EXAMPLES]
    mean = {
        a: np.mean([s for s, one in zip(sure, EXAMPLES, strict=True) if one.case.answerable is a])
        for a in (True, False)
    }
    assert mean[True] > 0.8 and mean[False] < 0.3


def test_a_feature_that_is_always_the_same_weighs_nothing() -> None:
    assert fit(EXAMPLES).proves.weights["gap"] == pytest.approx(0, abs=1e-3)
    assert fit(EXAMPLES).answerable.weights["beyond"] == 0


def test_an_example_counts_as_much_as_its_weight() -> None:
    contrary = [replace(one, proves=tuple(not proof for proof in one.proves), weight=0.001) for one in EXAMPLES]
    assert fit([*EXAMPLES, *contrary]).proves.weights["likeness"] == pytest.approx(
        fit(EXAMPLES).proves.weights["likeness"], rel=0.2
    )
    heavy = [replace(one, weight=9.0) for one in contrary]
    assert fit([*EXAMPLES, *heavy]).proves.weights["likeness"] < 0


def test_questions_without_passages_are_left_out_and_never_believed() -> None:
    nothing = Example(case(answerable=False), evidence([]), ())
    models = fit([*EXAMPLES, nothing])
    assert models == fit(EXAMPLES) and models.confidence(nothing.evidence) == 0.0


def test_no_example_is_judged_by_a_model_that_saw_it() -> None:
    # One example whose features and answer contradict all others: a model that saw it would be less wrong.
    odd = replace(EXAMPLES[1], case=replace(EXAMPLES[1].case, answerable=False))
    sure = cross_validated([odd, *EXAMPLES[2:60]], EXAMPLES[60:])
    assert len(sure) == 59 and sure[0] > 0.5
    assert cross_validated(EXAMPLES[:60], EXAMPLES[60:]) == cross_validated(EXAMPLES[:60], EXAMPLES[60:])


def test_the_curve_counts_both_ways() -> None:
    cases = [case(answerable=True), case(answerable=True), case(answerable=False), case(answerable=False)]
    points = {threshold: (declined, answered) for threshold, declined, answered in curve(cases, [0.9, 0.3, 0.5, 0.1])}
    assert points[0.2] == (0.5, 1.0) and points[0.5] == (0.5, 0.5) and points[0.55] == (1.0, 0.5)
    assert tuple(points) == THRESHOLDS and THRESHOLDS[0] == 0.2 and THRESHOLDS[-1] == 0.8
    declined, answered = zip(*points.values(), strict=True)
    assert list(declined) == sorted(declined) and list(answered) == sorted(answered, reverse=True)


def test_the_curve_is_a_table() -> None:
    assert table([(0.2, 0.5, 1.0), (0.25, 2 / 3, 0.987)]) == (
        "| threshold | unanswerable declined | answerable answered |\n|---|---|---|\n"
        "| 0.20 | 0.500 | 1.000 |\n| 0.25 | 0.667 | 0.987 |"
    )


def test_few_examples_are_no_error() -> None:
    assert RIDGE > 0 and fit(EXAMPLES[:2]).confidence(EXAMPLES[0].evidence) <= 1
