"""Numbers are the same however they are spelled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.grounding.values import claimed_values, held_values, plain_number


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("limited to 1,000 requests", "limit = 1_000"),
        ("limited to 16.384 tokens", "limit = 16384"),  # as Germans group digits
        ("limited to 16\u202f384 tokens", "limit = 16384"),
        ("a share of 0.9", "share: 0.90"),
        ("a share of 0,9", "share: 0.90"),
        ("a share of .50 or 0.5", "share: 0.5"),
        ("85 % of memory", "share: 0.85"),
        ("85% of memory", "about 85 percent"),
        ("a share of 0.85", "85 % by default"),
        ("4 GiB of swap", "swap: 4Gi"),
        ("4GiB of swap", "swap = 4.0"),
        ("a factor of 1e-5", "eps = 1e-5"),
        ("since v0.33.0", "added in 0.33.0"),
        ("0.33.0 has it", "version v0.33.0"),
        ("10x faster", "about 10 times"),
        ("it waits 200 ms", "wait = 200"),
        ("it is set to 5", "n = 5"),
        ("port 8080.", ":8080/"),
        ("16 tokens", "A block holds sixteen tokens"),
    ],
)
def test_a_value_is_found_however_it_is_spelled(said: str, held: str) -> None:
    claimed = claimed_values(said)
    assert claimed and claimed <= held_values(held)


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("limited to 1,000 requests", "limit = 100"),
        ("a share of 0.9", "share: 0.95"),
        ("90 % of memory", "share: 0.85"),
        ("85", "share: 0.85"),
        ("since 0.33.1", "added in 0.33.0"),
        ("since 0.33", "added in 0.33.0"),
        ("it waits 5 seconds", "wait = 4"),
        ("the default is 9", "default = 8"),
        ("16 tokens", "float16, SHA-16, x16, 16x9y"),
    ],
)
def test_another_value_is_not(said: str, held: str) -> None:
    assert not claimed_values(said) <= held_values(held)


@pytest.mark.parametrize(
    "text",
    [
        "one of 3 ways",
        "step 2 of 4",
        "float16 and int8",
        "SHA-256",
        "gpt-4 or Llama-3.1",
        "7f3a91",
        "a1 b22",
        "x.5y",
    ],
)
def test_what_counts_or_is_part_of_a_name_is_no_value(text: str) -> None:
    assert claimed_values(text) == frozenset()


def test_in_code_a_digit_at_the_end_is_a_value() -> None:
    assert claimed_values("--size 4", code=True) == {"4"}
    assert claimed_values("limit=4", code=True) == {"4"}
    assert claimed_values("range(3)", code=True) == frozenset()


def test_a_list_of_numbers_is_several() -> None:
    assert claimed_values("sizes 16, 32 and 1,2,34") == {"16", "32", "1", "2", "34"}


@pytest.mark.parametrize(
    ("number", "plain"), [("007", "7"), ("0", "0"), ("0.50", "0.5"), ("4.0", "4"), ("1.2.0", "1.2.0"), ("00.5", "0.5")]
)
def test_zeros_that_say_nothing_go(number: str, plain: str) -> None:
    assert plain_number(number) == plain


@given(st.integers(10, 10**9))
def test_digits_may_be_grouped(number: int) -> None:
    forms = (str(number), f"{number:,}", f"{number:_}", f"{number:,}".replace(",", "\u00a0"))
    assert all(claimed_values(f"it is {form} now") == {str(number)} for form in forms)
    assert claimed_values(f"{number:,}".replace(",", ".")) <= held_values(str(number))


@given(st.text(alphabet="0123456789.,_%eE+-vxk ٣ab", max_size=40))
def test_what_is_claimed_of_a_text_the_text_holds(text: str) -> None:
    assert claimed_values(text) <= held_values(text)


def test_long_texts_take_no_longer_than_they_are() -> None:
    for text in ("1" * 20_000, "1," * 10_000, "1.1." * 5_000, "1 " * 10_000, "is 1" * 5_000):
        claimed_values(text)
        held_values(text)
