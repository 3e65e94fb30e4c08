"""Facts are recognised in other words, and not where their names or most of their words are missing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evaluation.facts import Proof, fact_figures

FILLER = [f"The parrot number {n} sits on branch {n} and sings about weather." for n in range(40)]
FACT = "Use --max-parrots N to limit how many parrots sing; the default is 16"
SAYS = "The flag `max_parrots` limits the parrots that sing at once. Its default is 16."


def says(fact: str, text: str) -> bool:
    return Proof.of(text, []).says(fact)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (FACT, SAYS),
        (FACT, '```python\nmax_parrots: int = Field(default=16)\n"""Limits how many parrots sing."""\n```'),
        ("Cages are locked by default", "By default, a cage locks itself [1]."),
        ("The song lasts 16384 ms", "A song lasts at most 16,384 ms."),
        ("Ratio is 4.0", "the ratio is 4"),
        ("A full nest raises NestError (a ValueError, since 3)", "It raises NestError when the nest is full."),
        ("No: it is not fed when it is the only one.", "It is not fed when it is the only one in the nest."),
    ],
)
def test_what_is_said_in_other_words_is_supported(fact: str, text: str) -> None:
    assert says(fact, text)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (FACT, ""),
        (FACT, SAYS.replace("max_parrots", "max_cages")),  # another name
        ("The default of --max-parrots is 16", "`max_parrots` is 8 by default."),  # another number
        (
            "The default of --max-parrots is 16",
            "max_parrots sets the default, lines 16 and 17 [16].",
        ),  # no number at all
        ("Cages are locked by default", "Parrots sing on the branch."),
        ("NestError is raised when the cage overflows at night", "`NestError` is defined in src/nest.py [1]."),
        ("Version v2 is the default", "Version v1 is the default"),
    ],
)
def test_what_is_not_said_is_not_supported(fact: str, text: str) -> None:
    assert not says(fact, text)


def test_words_must_stand_together() -> None:
    fact = "The keeper feeds grain every evening through a hatch"
    together = ["The keeper feeds grain", "every evening through a hatch.", *FILLER]
    apart = [
        "The keeper came.",
        *FILLER,
        "Grain feeds mice.",
        *FILLER,
        "In the evening he went out.",
        *FILLER,
        "A hatch.",
    ]
    assert says(fact, "\n".join(together)) and not says(fact, "\n".join(apart))


def test_what_is_cited_counts_beside_what_is_said() -> None:
    proof = Proof.of("Look at [1].", ["def unrelated(): ...", SAYS])
    assert fact_figures([FACT, "Cages are locked"], proof) == {"fact_recall": 0, "fact_recall_cited": 0.5}
    assert fact_figures([], proof) == {}


def test_a_stretch_does_not_run_from_one_citation_into_the_next() -> None:
    fact = "The keeper feeds grain every evening through hatches"
    assert not Proof.of("", ["The keeper feeds\n" + "\n".join(FILLER), "Evenings and hatches"]).shows(fact)


@given(st.text(max_size=80), st.text(max_size=300), st.lists(st.text(max_size=200), max_size=3))
def test_more_text_never_takes_support_away(fact: str, text: str, cited: list[str]) -> None:
    proof = Proof.of(text, cited)
    assert proof.shows(fact) or not proof.says(fact)
