"""How much passages prove: what raises the odds and what lowers them."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evidence import ANSWERABLE, PROVES, Asked, Evidence, Logistic, Sign, answerable, evidence_of
from bot.types import Passage
from fakes.found import passage

ASKED = Asked({"block": 2.0, "size": 1.0, "cach": 3.0})
GOOD, POOR = Sign({"block", "size", "cach", "other"}, 0.8, 0.9), Sign({"size"}, 0.3, 0.1)


def evidence(asked: Asked = ASKED, *signs: Sign) -> Evidence:
    signs = signs or (GOOD, POOR)
    return evidence_of(asked, [passage(number) for number, _ in enumerate(signs, start=1)], signs)


def test_odds_are_even_at_zero() -> None:
    model = Logistic(-1.0, {"a": 2.0})
    assert model.odds({"a": 0.5}) == 0 and model.chance({"a": 0.5}) == 0.5
    assert model.chance({"a": 3.0}) > 0.99 and model.chance({"a": -3.0}) < 0.01


def test_the_features_of_a_passage() -> None:
    first, second = evidence().of_passages
    assert first["gap"] == second["gap"] == pytest.approx(0.5)  # scores are 1 and 1/2
    assert (first["rank"], second["rank"]) == (0.0, log(2)) and (first["share"], second["share"]) == (1.0, 0.5)
    assert (first["coverage"], second["coverage"]) == (1.0, pytest.approx(1 / 6))
    assert (first["likeness"], first["held"]) == (0.8, 0.9)


@pytest.mark.parametrize(
    ("kind", "feature"), [("docs", "docs"), ("test", "test"), ("example", "other"), ("config", "other"), ("code", "")]
)
def test_the_kind_of_a_file_is_one_feature(kind: str, feature: str) -> None:
    (found,) = evidence_of(ASKED, [passage(kind=kind)], [GOOD]).of_passages  # type: ignore[arg-type]
    assert {name for name in ("docs", "test", "other") if found[name]} == ({feature} - {""})


def test_the_features_of_a_question() -> None:
    asked = Asked({"block": 2.0, "gnome": 6.0}, absent={"gnome"}, missing=0.5, beyond=True)
    of_question = evidence(asked).of_question
    assert of_question["absent"] == pytest.approx(0.75) and of_question["terms"] == pytest.approx(log(3))
    assert (of_question["missing"], of_question["missing_share"], of_question["beyond"]) == (1.0, 0.5, 1.0)
    assert of_question["likeness"] == 0.8


def test_the_models_know_just_these_features() -> None:
    found = evidence()
    assert all(features.keys() == PROVES.weights.keys() for features in found.of_passages)
    assert answerable(PROVES, found.of_passages, found.of_question).keys() == ANSWERABLE.weights.keys()


def test_the_likeliest_passage_counts() -> None:
    found = evidence()
    assert answerable(PROVES, found.of_passages, found.of_question)["proof"] == max(map(PROVES.odds, found.of_passages))
    assert found.chances[0] > found.chances[1]


def test_more_evidence_is_more_confidence() -> None:
    sure = evidence().confidence
    assert evidence(ASKED, POOR, POOR).confidence < sure
    assert evidence(Asked(ASKED.rarity, absent={"cach"})).confidence < sure
    assert evidence(Asked(ASKED.rarity, missing=1.0)).confidence < sure
    assert evidence(Asked(ASKED.rarity, beyond=True)).confidence < sure


def test_nothing_found_is_no_confidence() -> None:
    assert evidence_of(ASKED, [], []).confidence == 0.0 and evidence_of(ASKED, [], []).chances == ()


def test_a_question_without_terms_and_passages_without_scores_are_no_error() -> None:
    worthless = Passage("a.py", 1, 1, "", "code", "python", 0.0, "", "")
    found = evidence_of(Asked({}), [worthless], [Sign(frozenset(), 0.0, 0.0)])
    assert found.of_passages[0]["share"] == 1.0 and 0.0 <= found.confidence < 0.5


likely = st.floats(-1, 1)


@given(st.lists(st.tuples(likely, st.floats(0, 1), st.sampled_from(["docs", "code", "test"])), max_size=10), likely)
def test_chances_are_chances(signs: list[tuple[float, float, str]], missing: float) -> None:
    cut = [passage(n, kind=kind) for n, (_, _, kind) in enumerate(signs, start=1)]  # type: ignore[arg-type]
    asked = Asked({"a": 1.0, "b": 0.1}, missing=abs(missing), beyond=missing < 0)
    found = evidence_of(asked, cut, [Sign({"a"}, like, held) for like, held, _ in signs])
    assert 0 <= found.confidence <= 1 and all(0 <= chance <= 1 for chance in found.chances)
    assert len(found.chances) == len(signs)
