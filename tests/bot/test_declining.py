"""When there is no answer: why, in one friendly sentence, with the nearest names and places."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.declining import HINT, MOST_PLACES, declining, noted, reason_to_decline
from bot.evidence import LEAST_CONFIDENCE, Asked, Evidence, Sign, evidence_of
from bot.retrieval import Found
from bot.types import DeclineReason
from fakes.found import found, passage

PASSAGES = [passage(number, path=f"src/p{number}.py") for number in range(1, 6)]
FOUND = found(*PASSAGES)
TERMS = {"block": 3.0, "size": 2.0, "cach": 3.0, "page": 3.0, "pool": 3.0}


def evidence(likeness: float, passages: int = 5, **asked: object) -> Evidence:
    signs = [Sign(set(TERMS), likeness - n / 100, likeness) for n in range(passages)]
    return evidence_of(Asked(TERMS, **asked), PASSAGES[:passages], signs)  # type: ignore[arg-type]


SURE, UNSURE = evidence(0.9), evidence(-0.5)


def naming(**unknown: tuple[str, ...]) -> Found:
    return replace(FOUND, unknown_names={name.replace("_", "-"): near for name, near in unknown.items()})


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\[(\d+)\]", text)]


def test_what_proves_enough_is_not_declined() -> None:
    assert SURE.confidence >= LEAST_CONFIDENCE > UNSURE.confidence
    assert reason_to_decline("Will it rain on the block size?", naming(x_y=()), SURE) is None


@pytest.mark.parametrize(
    ("question", "of", "reason"),
    [
        ("What is the block size?", FOUND, "not_found"),
        ("Will it rain tomorrow?", FOUND, "out_of_scope"),
        ("hello", FOUND, "out_of_scope"),
        ("How much does it cost per month?", FOUND, "not_found"),  # about the project, which does not say
        ("What does --gnome-size do?", naming(__gnome_size=()), "unknown_name"),
        ("What does --block-sise do?", naming(__block_sise=("--block-size",)), "not_found"),  # misspelt
        ("Does --gnome-size help against rain?", naming(__gnome_size=()), "out_of_scope"),
    ],
)
def test_the_reason(question: str, of: Found, reason: DeclineReason) -> None:
    assert reason_to_decline(question, of, UNSURE) == reason


def test_not_found_names_the_version_and_the_likeliest_places() -> None:
    text, places = declining("not_found", FOUND, UNSURE)
    assert text.startswith("I found nothing in acme/demo at main that answers this. The nearest places are [1],")
    assert text.endswith(HINT) and numbers(text) == [1, 2, 3]
    assert places == tuple(PASSAGES[:MOST_PLACES])


def test_places_stand_in_the_order_of_how_likely_they_are() -> None:
    mixed = [passage(1, kind="test"), passage(2), passage(3, kind="config")]  # a test hardly ever proves an answer
    signs = [Sign(set(TERMS), 0.5, 0.5)] * 3
    text, places = declining("not_found", found(*mixed), evidence_of(Asked(TERMS), mixed, signs))
    assert places[0] == mixed[1] and numbers(text) == list(range(1, len(places) + 1))


def test_one_place_of_a_file() -> None:
    here = [passage(1, path="a.py"), passage(2, path="a.py"), passage(3, path="b.py")]
    signs = [Sign(set(TERMS), 0.5, 0.5)] * 3
    _, places = declining("not_found", found(*here), evidence_of(Asked(TERMS), here, signs))
    assert places == (here[0], here[2])


@pytest.mark.parametrize(
    ("passages", "said"),
    [(0, ""), (1, "The nearest place is [1]."), (2, "The nearest places are [1] and [2].")],
)
def test_few_places(passages: int, said: str) -> None:
    text, places = declining("not_found", FOUND, evidence(0.0, passages))
    assert said in text and numbers(text) == list(range(1, passages + 1)) and len(places) == passages


def test_out_of_scope_has_no_places() -> None:
    text, places = declining("out_of_scope", FOUND, UNSURE)
    assert "acme/demo" in text and "main" in text and places == () and numbers(text) == []


def test_an_unknown_name_is_said_with_the_nearest() -> None:
    text, places = declining("unknown_name", naming(__gnome_size=("--block-size", "--page-size")), UNSURE)
    assert text.startswith("`--gnome-size` does not occur in acme/demo at main, so I can't answer this.")
    assert "The nearest names there: `--block-size`, `--page-size`." in text and numbers(text) == [1, 2, 3]
    assert len(places) == 3
    text, _ = declining("unknown_name", naming(__gnome_size=("--block-size",), __elf=()), UNSURE)
    assert (
        text.startswith("`--gnome-size` and `--elf` do not occur") and "The nearest name there: `--block-size`." in text
    )


def test_a_misspelt_name_is_not_what_is_missing() -> None:
    text, _ = declining("unknown_name", naming(__gnome_size=(), __block_sise=("--block-size",)), UNSURE)
    assert text.startswith("`--gnome-size` does not occur")


def test_names_that_are_nowhere_are_noted_before_an_answer() -> None:
    assert noted(FOUND) == ""
    assert noted(naming(__elf=())) == "`--elf` does not occur in acme/demo at main."
    assert noted(naming(__elf=("--self",), __gnome=())) == (
        "`--elf` and `--gnome` do not occur in acme/demo at main. The nearest name there: `--self`."
    )


def test_strangers_names_are_shown_as_code() -> None:
    text = noted(replace(FOUND, unknown_names={"a`b @all": ("x\ny",)}))
    assert text.startswith("``a`b @all`` does not occur") and "`x y`" in text
