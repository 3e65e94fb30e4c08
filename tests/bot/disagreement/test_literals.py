from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.disagreement.literals import Value, same, value_of


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("16", Decimal(16)),
        ("1_000", Decimal(1000)),
        ("1,000", Decimal(1000)),
        ("0.90", Decimal("0.9")),
        (".5", Decimal("0.5")),
        ("1e-5", Decimal("0.00001")),
        ("-1", Decimal(-1)),
        ("0x10", Decimal(16)),
        ("16usize", Decimal(16)),
        ("1.5f", Decimal("1.5")),
        ('"16"', Decimal(16)),
        ("True", True),
        ("'false'", False),
        ('"auto"', "auto"),
        ("auto", "auto"),
        ("~/.cache/queue", "~/.cache/queue"),
    ],
)
def test_a_literal_has_a_value_whoever_wrote_it(literal: str, value: Value) -> None:
    found = value_of(literal)
    assert found == value
    assert isinstance(found, type(value))


@pytest.mark.parametrize(
    "literal",
    [
        *" None null unset [1,2] {} 1<<20 f(x) $HOME/x <name> a|b 1,2 a,b x=1 ` …".split(" "),
        '""',
        "4 GiB",
        "the cores",
        "a" * 61,
    ],
)
def test_no_value_and_what_has_to_be_computed_are_not_compared(literal: str) -> None:
    assert value_of(literal) is None


@pytest.mark.parametrize(
    ("one", "other", "answer"),
    [
        ("0.90", "0.9", True),
        ("8", "16", False),
        ("auto", '"AUTO"', True),
        ("flash-attn", "FLASH_ATTN", True),
        ("auto", "spawn", False),
        ("true", "1", True),
        ("0", "False", True),
        ("true", "0", False),
        ("true", "16", None),
        ("auto", "16", None),
        ("auto", "true", None),
    ],
)
def test_values_are_the_same_differ_or_cannot_be_compared(one: str, other: str, answer: bool | None) -> None:
    first, second = value_of(one), value_of(other)
    assert first is not None
    assert second is not None
    assert same(first, second) is same(second, first) is answer


@settings(deadline=None)
@given(st.one_of(st.text(max_size=30), st.from_regex(r"[-+]?[0-9_.,eExXa-f]{1,20}", fullmatch=True)))
def test_no_text_breaks_the_reading_of_a_literal(text: str) -> None:
    value = value_of(text)
    assert value is None or same(value, value)


@settings(deadline=None)
@given(st.integers(-(10**9), 10**9))
def test_a_number_is_the_same_in_every_spelling(number: int) -> None:
    spellings = [str(number), f"{number:_}", f"{number:,}", f'"{number}"', f"{number}.0", f"{number}i64"]
    assert {value_of(spelling) for spelling in spellings} == {Decimal(number)}
