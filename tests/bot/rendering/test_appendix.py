"""What stands below an answer that goes to other programs, and how it is taken off again."""

from __future__ import annotations

import pytest

from bot.markdown import parse
from bot.rendering.appendix import appendix, without_appendix
from bot.types import Answer, Index
from fakes import answers


def test_it_lists_the_sources_and_what_was_read() -> None:
    assert appendix(answers.answer("x [1].", 1)) == (
        "\n\n---\n\n**Sources**\n\n"
        f"1. [`hull/part1.py` lines 1–10]({answers.url(1)})\n\n"
        "*Read from example-org/boat, `v1.2.0` at `0123456`.*"
    )


def test_warnings_come_first_and_nearest_places_by_their_name() -> None:
    text = appendix(answers.answer("No.", 1, declined=True, warnings=("It is slow.",)))
    assert text.index("> ⚠ It is slow.") < text.index("**Nearest places**") < text.index("*Read from")


def test_names_cannot_break_out_of_it() -> None:
    odd = Index("a*b/c_d*", "x`y", "main", "2026-01-01T00:00:00+00:00")
    rule, read = parse(appendix(answers.answer("x", index=odd))).children
    assert rule.kind == "hr" and read.kind == "paragraph" and [node.kind for node in read.children] == ["em"]


@pytest.mark.parametrize(
    "answer",
    [
        answers.answer("One [1].\n\n---\n\nTwo [2].", 2),
        answers.answer("Nothing.", declined=True, warnings=("---", "a\n\nb")),
        answers.answer("```\n---\n```", 1, index=Index("a/b", "*", "*", "2026-01-01T00:00:00+00:00")),
    ],
)
def test_it_comes_off_again(answer: Answer) -> None:
    whole = answer.answer + appendix(answer)
    assert without_appendix(whole) == answer.answer
    assert without_appendix(answer.answer) == answer.answer


def test_what_merely_looks_like_it_stays() -> None:
    text = "A rule:\n\n---\n\nRead from the top."
    assert without_appendix(text) == text
