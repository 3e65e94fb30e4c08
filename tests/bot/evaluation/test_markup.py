"""An answer is read as a browser would show it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evaluation.markup import pieces


def kinds(text: str, kind: str) -> list[str]:
    return [piece.text for piece in pieces(text) if piece.kind == kind]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("[a](https://x.example/1)", "https://x.example/1"),
        ("[a]: https://x.example/2\n\nsee [a]", "https://x.example/2"),
        ("<https://x.example/3>", "https://x.example/3"),
        ("at https://x.example/4.", "https://x.example/4"),
        ("at www.x.example now", "http://www.x.example"),
        ("![alt](https://x.example/5.png)", "https://x.example/5.png"),
        ("> - item\n>\n> | a |\n> |---|\n> | [a](b.md) |", "b.md"),
        ("a\nwww.x.example/b", "http://www.x.example/b"),
        ("mail ada@example.org", "mailto:ada@example.org"),
    ],
)
def test_what_leads_away_is_found(text: str, target: str) -> None:
    assert target in kinds(text, "link")


def test_code_leads_nowhere() -> None:
    assert kinds("`https://x.example` and\n\n```\n[a](https://x.example)\n```\n\n    https://x.example", "link") == []
    assert kinds("`a` b\n\n~~~py\nc\n~~~", "code") == ["a"] and kinds("~~~py\nc\n~~~", "block") == ["c\n"]


def test_names_of_files_lead_nowhere() -> None:
    assert kinds("See main.py, README.md and a.www.b.", "link") == []


def test_html_is_found() -> None:
    assert kinds("<img src=x> a <b>c</b>\n\n<script>\nx\n</script>", "html")
    assert kinds("a <b>c</b>", "html") == ["<b>", "</b>"]


def test_escaped_brackets_are_no_words() -> None:
    assert "[1]" in "".join(kinds("so [1]", "words")) and "[1]" not in "".join(kinds(r"so \[1\]", "words"))


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert all(piece.kind in ("words", "code", "block", "link", "html") for piece in pieces(text))
