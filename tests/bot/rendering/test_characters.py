"""Nobody reads characters that nobody sees; what joins letters and emoji stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rendering.characters import graphemes, visible


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u200bb\u200e\u202ec\u2066d\ufeff\u00ad", "abcd"),
        ("a\U000e0041\U000e007f\ufdd0\uffff\U0001fffe", "a"),
        ("\x1b[31;1mred\x1b[0m \x1b]8;;https://evil.example\x07link\x1b]8;;\x1b\\ \x9b1mx", "red link x"),
        ("â€\x9dquoted", "â€quoted"),
        ("a\x00\x07\x7f\x85b\tc", "a\nb\tc"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("bad \ud83d end", "bad \ufffd end"),
        ("👩\u200d✈\ufe0f 🏳\ufe0f\u200d🌈 👍🏽", "👩\u200d✈\ufe0f 🏳\ufe0f\u200d🌈 👍🏽"),
        ("a\u200db\u200cc 👩\u200dx", "abc 👩x"),
        ("نام\u200cها क\u094d\u200dष", "نام\u200cها क\u094d\u200dष"),
        ("x\ufe0f\ufe01\ufe02\ufe03", "x\ufe0f"),
        ("é שלום 日本語", "é שלום 日本語"),
    ],
)
def test_only_what_is_seen_is_left(text: str, seen: str) -> None:
    assert visible(text) == seen


@given(st.text())
def test_twice_is_once_and_it_can_be_sent(text: str) -> None:
    seen = visible(text)
    assert visible(seen) == seen
    seen.encode()


def test_graphemes() -> None:
    assert graphemes("e\u0301👩\u200d👧🇳🇱") == ["e\u0301", "👩\u200d👧", "🇳🇱"]
