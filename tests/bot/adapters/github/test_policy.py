"""Who is answered, and what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.adapters.github.policy import Policy, asks, words
from bot.adapters.github.types import Place, Text

OPENING = Place("acme/engine", "issue", 7)
COMMENT = Place("acme/engine", "issue", 7, comment=9)
WRITTEN, SOON, LATER = "2026-01-05T10:00:00Z", "2026-01-05T10:05:00Z", "2026-02-05T10:00:00Z"
TEXT = Text(
    COMMENT,
    1,
    "Ada",
    "NONE",
    False,
    "@RepoPilot why?",
    "KV cache",
    "",
    "grace",
    (),
    None,
    WRITTEN,
    WRITTEN,
    "",
    False,
    False,
)
POLICY = Policy("RepoPilot")
LABELLED = replace(TEXT, place=OPENING, text="It grows.", labels=("Question",), at=SOON)


@pytest.mark.parametrize(
    ("text", "policy", "expected"),
    [
        (TEXT, POLICY, True),
        (replace(TEXT, text="why?"), POLICY, False),
        (replace(TEXT, by_machine=True), POLICY, False),
        (replace(TEXT, place=OPENING, text="", title="@RepoPilot why?"), POLICY, True),
        (replace(TEXT, text="", title="@RepoPilot why?"), POLICY, False),
        (TEXT, replace(POLICY, deny=frozenset({"ada"})), False),
        (TEXT, replace(POLICY, allow=frozenset({"ada"})), True),
        (TEXT, replace(POLICY, allow=frozenset({"grace"})), False),
        (TEXT, replace(POLICY, allow=frozenset({"ada"}), deny=frozenset({"ada"})), False),
        (TEXT, replace(POLICY, associations=frozenset({"member"})), False),
        (replace(TEXT, association="MEMBER"), replace(POLICY, associations=frozenset({"member"})), True),
        (TEXT, replace(POLICY, associations=frozenset({"member"}), allow=frozenset({"ada"})), True),
        (LABELLED, POLICY, False),
        (LABELLED, replace(POLICY, label="question"), True),
        (replace(LABELLED, label="question"), replace(POLICY, label="question"), True),
        (replace(LABELLED, label="bug"), replace(POLICY, label="question"), False),
        (replace(LABELLED, at=LATER), replace(POLICY, label="question"), False),
        (replace(LABELLED, at=""), replace(POLICY, label="question"), False),
        (replace(LABELLED, place=COMMENT), replace(POLICY, label="question"), False),
    ],
)
def test_asks(text: Text, policy: Policy, expected: bool) -> None:
    assert asks(text, policy) is expected


def test_a_title_is_of_the_opening_text_only() -> None:
    assert words(TEXT) == "@RepoPilot why?"
    assert words(replace(TEXT, place=OPENING)) == "KV cache\n\n@RepoPilot why?"
