"""One answer becomes its measures, with what a person wants to see of its faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from bot.evaluation.checking import Given, cost_figures, measures
from bot.evaluation.indexed import Indexed
from bot.types import Answer
from fakes.evaluation import answer, case, citation, gold
from fakes.library import Library


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Indexed]:
    library = Library.empty(tmp_path_factory.mktemp("checking"))
    library.index()
    snapshot = library.retriever.snapshot()
    yield Indexed(snapshot, library.stores.catalog, library.stores.lexical(snapshot.collection.name))
    library.close()


def cited(indexed: Indexed, text: str) -> Answer:
    link = indexed.link(citation("cache/blocks.py", 4, 6))
    return answer(citation("cache/blocks.py", 4, 6, link), text=text)


ASKED = case(gold("cache/blocks.py", 4, 6), facts=("allocate returns how many blocks hold the tokens", "Cats purr."))


def test_a_good_answer_has_no_fault(indexed: Indexed) -> None:
    good = cited(indexed, "`allocate` returns how many blocks of `BLOCK_SIZE` hold the tokens [1].")
    measured, details = measures(ASKED, Given(good, 1.0, 2.0), indexed)
    faults = ("false_citations", "misnumbered", "stray_links", "broken_citations", "duplicate_citations", "warned")
    assert [measured[name] for name in faults] == [0.0] * len(faults)
    assert (measured["primary_cited"], measured["fact_recall"], measured["fact_recall_cited"]) == (1, 0.5, 0.5)
    assert measured["unknown_names"] == [0.0, 0.0] and (measured["ms"], measured["first_ms"]) == (2, 1)
    assert details["facts"] == [
        {"fact": ASKED.facts[0], "said": True, "cited": True},
        {"fact": "Cats purr.", "said": False, "cited": False},
    ]


def test_faults_are_counted_and_shown(indexed: Indexed) -> None:
    bad = cited(indexed, "Set `--fly-high`, see https://evil.example and [2].")
    bad = replace(bad, citations=(replace(bad.citations[0], end_line=99),), warnings=("slow",))
    measured, details = measures(ASKED, Given(bad, None, 2.0), indexed)
    assert (measured["unknown_names"], details["unknown_names"]) == ([1.0], ["--fly-high"])
    assert (measured["stray_links"], details["stray_links"]) == (1, ["https://evil.example"])
    assert (measured["false_citations"], measured["misnumbered"], measured["warned"]) == (1, 2, 1)
    assert "first_ms" not in measured and details["answer"]["answer"] == bad.answer  # type: ignore[index]


def test_tokens_are_counted_where_an_answer_tells_them() -> None:
    @dataclass(frozen=True)
    class Usage:
        prompt: int
        completion: int

    @dataclass(frozen=True)
    class Telling(Answer):
        usage: Usage | None = None

    given = Telling("i", "", (), False, None, "m", answer().index, usage=Usage(30, 7))
    assert cost_figures(Given(given, None, 5.0)) == {"ms": 5, "prompt_tokens": 30, "completion_tokens": 7}
    assert cost_figures(Given(answer(), 1.0, 5.0)) == {"ms": 5, "first_ms": 1}
