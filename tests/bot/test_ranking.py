from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ranking import WEIGHTS, comparable, spread, weigh, without_repeats
from indexer.records import Place

CODE, TEST = Place("a.py", "code", False), Place("tests/t.py", "test", False)
PLACES = dict.fromkeys(range(10), CODE)
SIGNALS = [name for name in WEIGHTS if name != "file"]
SCORES = st.dictionaries(st.integers(0, 9), st.floats(0.01, 100), max_size=6)


def ids(ranked: list[tuple[int, float]]) -> list[int]:
    return [chunk_id for chunk_id, _ in ranked]


def alike(*chunk_ids: int) -> dict[int, float]:
    """The weights of chunks whose files speak equally for them."""
    return dict.fromkeys(chunk_ids, 1.0)


def test_a_close_second_is_not_a_distant_one() -> None:
    places = {n: Place(f"{n}.py", "code", False) for n in (1, 2, 3)}
    distant = {"body": {1: 10.0, 2: 1.0}, "dense": {2: 0.9, 1: 0.89, 3: 0.1}}
    assert ids(weigh(distant, places, alike(1, 2, 3))) == [1, 2, 3]


def test_lexical_scores_are_relative_to_the_best_text() -> None:
    scaled = comparable({"body": {1: 8.0, 2: 4.0}, "names": {3: 2.0}}, PLACES)
    assert scaled["body"] == {1: 1.0, 2: 0.5}
    assert scaled["names"] == {3: 0.25}


def test_similarity_counts_from_the_least_found() -> None:
    assert comparable({"dense": {1: 0.75, 2: 0.5, 3: 0.25}}, PLACES)["dense"] == {1: 1.0, 2: 0.5, 3: 0.0}
    assert comparable({"dense": {1: 0.5}}, PLACES)["dense"] == {1: 0.0}


def test_a_name_declared_in_one_place_says_more_than_one_declared_in_four() -> None:
    assert comparable({"declares": {1: 3.0}}, PLACES)["declares"] == {1: 1.0}
    assert comparable({"declares": dict.fromkeys(range(4), 3.0)}, PLACES)["declares"] == dict.fromkeys(range(4), 0.5)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(SIGNALS, SCORES)))
def test_any_signals_give_bounded_scores_in_order(signals: dict[str, dict[int, float]]) -> None:
    ranked = weigh(signals, PLACES, alike(*PLACES))
    assert set(ids(ranked)) >= {i for signal in signals.values() for i in signal}
    assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)
    assert all(score >= 0 for _, score in ranked)


def test_good_chunks_of_one_file_lift_each_other() -> None:
    places = {
        1: CODE,
        2: Place("b.py", "code", False),
        3: Place("b.py", "code", False),
        4: Place("c.py", "code", False),
    }
    file = comparable({"late": {1: 1.0, 2: 1.0, 3: 0.8, 4: 0.0}}, places)["file"]
    assert file[2] == file[3] == 1.0 > file[1] > file[4]


def test_equal_scores_have_one_order() -> None:
    assert ids(weigh({"path": {9: 1.0, 1: 1.0}}, {1: CODE, 9: CODE}, alike(1, 9))) == [1, 9]


def test_what_speaks_against_a_file_lowers_its_chunks() -> None:
    assert ids(weigh({"body": {1: 9.0, 2: 8.0}}, {1: TEST, 2: CODE}, {1: 0.5, 2: 1.0})) == [2, 1]


def test_further_chunks_of_a_file_count_less() -> None:
    places = {n: CODE if n < 8 else Place(f"small{n}.py", "code", False) for n in range(10)}
    ranked = [(n, 1.0 - n / 100) for n in range(10)]
    assert ids(spread(ranked, places))[:4] == [0, 1, 8, 9]


def test_the_same_words_are_given_once() -> None:
    ranked = [(1, 0.9), (2, 0.8), (3, 0.7), (4, 0.6)]
    assert without_repeats(ranked, {1: "a", 2: "b", 3: "a"}) == [(1, 0.9), (2, 0.8)]


@pytest.mark.parametrize("signals", [{}, {"body": {}}, {"dense": {}}])
def test_no_signal_ranks_nothing(signals: dict[str, dict[int, float]]) -> None:
    assert weigh(signals, {}, {}) == []
