from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.report.topics import DISTANCE, grouped, names_of, nearest
from fakes.embedder import HashingEmbedder

NONE = np.zeros((0, 0))
CRON = ("run a job every night with cron", "cron schedule on monday", "a cron job schedule")
STORE = ("PostgreSQL as a store", "can the store be PostgreSQL", "which PostgreSQL version for the store")


def vectors(texts: tuple[str, ...]) -> np.ndarray:
    return HashingEmbedder().embed(texts).astype(np.float64)


def test_questions_about_one_thing_are_one_group() -> None:
    labels = grouped(vectors((*CRON, *STORE)), (*CRON, *STORE))
    assert len(set(labels[:3])) == len(set(labels[3:])) == 1 and labels[0] != labels[3]


def test_words_that_were_found_bring_questions_together() -> None:
    apart = ("how do I cancel it", "kill what hangs")
    found = "docs/stopping.md Stopping jobs terminate a running job with ferry stop signals grace"
    none = np.zeros((2, 0))
    assert len(set(grouped(none, apart))) == 2
    assert len(set(grouped(none, tuple(f"{text} {found}" for text in apart)))) == 1


@given(st.lists(st.sampled_from(["red boat", "blue boat", "tea", "green tea", "cron"]), max_size=8))
def test_groups_are_those_of_average_linkage(texts: list[str]) -> None:
    """The reference is scikit-learn's clustering of the same features."""
    if len(texts) < 2:
        assert grouped(np.zeros((len(texts), 0)), texts) == [0] * len(texts)
        return
    cluster = pytest.importorskip("sklearn.cluster")
    rows = vectors(tuple(texts))
    clustering = cluster.AgglomerativeClustering(None, metric="cosine", linkage="average", distance_threshold=DISTANCE)
    reference = clustering.fit_predict(np.hstack([rows, _weighed(texts)]))
    found = grouped(rows, texts)
    assert [[a == b for a in found] for b in found] == [[a == b for a in reference] for b in reference]


def _weighed(texts: list[str]) -> np.ndarray:
    """scikit-learn's weights of the same words."""
    text = pytest.importorskip("sklearn.feature_extraction.text")
    matrix: np.ndarray = text.TfidfVectorizer(sublinear_tf=True).fit_transform(texts).toarray()
    return matrix


def test_what_was_not_searched_joins_the_likeliest_or_none() -> None:
    known = vectors((CRON[0], STORE[0]))
    assert nearest(vectors(("a store: PostgreSQL", "zebra")), known) == [1, None]
    assert nearest(NONE, known) == [] and nearest(np.zeros((1, 0)), np.zeros((2, 0))) == [None]


def test_a_group_is_named_by_its_own_words_as_they_are_written() -> None:
    cron, store, alone = names_of([CRON, STORE, ["what does --auto-scale do?"]])
    assert "cron" in cron and "store" not in cron
    assert "PostgreSQL" in store
    assert alone == "what does --auto-scale do?"


def test_a_long_question_is_a_short_name() -> None:
    assert len(names_of([["why " * 100]])[0]) <= 70
