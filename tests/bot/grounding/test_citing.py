"""Lines that are cited: few, exact, none twice, numbered by first use."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.grounding.citing import Citing, cited
from bot.reading.narrowing import LONGEST_CITATION
from bot.types import Passage
from fakes.found import ORIGIN, passage
from fakes.grounding import CONFIG, LONG, NOTEBOOK, PASSAGES, TUNING

FUNCTIONS = [f"def step_{n}(value):\n    return value + {n}\n" for n in range(60)]
FILE = "\n".join(FUNCTIONS).split("\n")
BIG = passage(1, "\n".join(FILE), "big.py", "", start_line=1)


def spans(citing: Citing) -> list[tuple[int, int]]:
    return [(found.start_line, found.end_line) for found in citing.passages()]


def test_numbers_are_given_by_first_use() -> None:
    citing = Citing(ORIGIN, "?")
    assert [citing.number(p, "x") for p in (TUNING, CONFIG, TUNING, NOTEBOOK, CONFIG)] == [1, 2, 1, 3, 2]
    assert [found.path for found in citing.passages()] == [TUNING.path, CONFIG.path, NOTEBOOK.path]


def test_a_short_passage_is_cited_as_it_is() -> None:
    citing = Citing(ORIGIN, "?")
    citing.number(CONFIG, "idle workers")
    assert citing.passages() == (CONFIG,)


def test_of_a_long_passage_the_lines_that_carry_the_claim_are_cited() -> None:
    citing = Citing(ORIGIN, "?")
    citing.number(LONG, "drain refuses what is new, then stops the workers")
    (found,) = citing.passages()
    assert "def drain" in found.text and len(found.text.split("\n")) <= LONGEST_CITATION
    assert found.url.endswith(f"#L{found.start_line}-L{found.end_line}")


def test_claims_about_lines_that_lie_near_share_a_citation() -> None:
    citing = Citing(ORIGIN, "?")
    numbers = [citing.number(BIG, f"what step_{n} returns") for n in (3, 5, 50, 4)]
    assert numbers == [1, 1, 2, 1]
    (start, end), (other, _) = spans(citing)
    assert {"def step_3(value):", "def step_5(value):"} <= set(FILE[start - 1 : end]) and other > end


def test_the_same_lines_in_two_passages_are_one_citation() -> None:
    part = passage(2, "\n".join(FILE[0:12]), "big.py", "", start_line=1)
    inner = passage(3, "\n".join(FILE[3:9]), "big.py", "", start_line=4)
    citing = Citing(ORIGIN, "?")
    assert [citing.number(found, "x") for found in (part, inner, part)] == [1, 1, 1]


def test_a_notebook_stays_whole() -> None:
    cell = passage(1, "\n".join(FILE), "a.ipynb", "", language="notebook", start_line=7)
    citing = Citing(ORIGIN, "?")
    assert citing.number(cell, "step_3") == citing.number(cell, "step_50") == 1 and citing.passages() == (cell,)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 59)), max_size=20))
@example([(0, 13), (1, 0), (0, 11)])
def test_spans_are_short_exact_and_distinct(claims: list[tuple[int, int]]) -> None:
    passages: list[Passage] = [BIG, passage(2, "\n".join(FILE[30:100]), "big.py", "", start_line=31), *PASSAGES[5:]]
    citing = Citing(ORIGIN, "?")
    numbers = [citing.number(passages[place], f"step_{n} of value") for place, n in claims]
    found = citing.passages()
    assert set(numbers) == set(range(1, len(found) + 1))
    assert all(later <= max(numbers[:at]) + 1 for at, later in enumerate(numbers) if at)
    assert len(set(zip((p.path for p in found), spans(citing), strict=True))) == len(found)
    for part in found:
        assert part.end_line - part.start_line < LONGEST_CITATION
        assert part.path != "big.py" or part.text == "\n".join(FILE[part.start_line - 1 : part.end_line])
    assert all(a.number + 1 == b.number for a, b in pairwise(cited(found)))


def test_citations_are_numbered_from_one() -> None:
    passages = (passage(5, path="5.py", start_line=5), passage(7, path="7.py", start_line=7))
    assert [(c.number, c.path, c.start_line, c.url) for c in cited(passages)] == [
        (1, "5.py", 5, passages[0].url),
        (2, "7.py", 7, passages[1].url),
    ]
