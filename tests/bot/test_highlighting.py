"""Code as coloured lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.highlighting import KINDS, LONGEST_READ, PLAIN, coloured, coloured_lines, known
from indexer.chunking.languages import LANGUAGES

SOURCE = 'def size(tokens):\n    """How many\n\n    blocks."""\n    return tokens // 16  # floor\n'


def text_of(line: tuple[tuple[str, str], ...]) -> str:
    return "".join(text for _, text in line)


def test_lines_are_those_of_the_text() -> None:
    assert [text_of(line) for line in coloured(SOURCE, "python")] == SOURCE.split("\n")


def test_what_things_are() -> None:
    first, *_, last, _ = coloured(SOURCE, "py")
    assert first[0] == ("keyword", "def") and ("function", "size") in first
    assert ("number", "16") in last and last[-1] == ("comment", "# floor")


def test_a_docstring_that_began_above_goes_on() -> None:
    (line,) = coloured_lines(SOURCE, "size.py", 4, 4)
    assert line == (("comment", '    blocks."""'),)


def test_far_down_in_a_long_file_it_is_read_from_near_by() -> None:
    text = "x = 1\n" * (LONGEST_READ // 3)
    assert coloured_lines(text, "x.py", 90_001, 90_002) == ((("", "x = "), ("number", "1")),) * 2


def test_lines_behind_the_end_are_not_made_up() -> None:
    assert len(coloured_lines(SOURCE, "size.py", 5, 90)) == 2


def test_unseen_characters_are_named() -> None:
    (line,) = coloured_lines('access = "user\u202e \u2066"\n', "a.py", 1, 1)
    assert [text for kind, text in line if kind == "unseen"] == ["U+202E", "U+2066"]


@pytest.mark.parametrize("name", ["", "text", "nonsense", "brainfuck", "../../etc/passwd", "python;x"])
def test_unknown_languages_have_no_colour(name: str) -> None:
    assert known(name) == PLAIN
    assert coloured("def f(): 1", name) == ((("", "def f(): 1"),),)


@pytest.mark.parametrize("name", ["Python", "c++", "yml", "sh", "console", "diff"])
def test_what_people_call_languages(name: str) -> None:
    assert known(name) != PLAIN


@pytest.mark.parametrize("language", [language.name for language in LANGUAGES])
@given(text=st.text("ab1 \n\r\t\"'`#/*-{}[]()<>=:;.,\\$@!é中\u2028", max_size=60))
def test_no_text_is_lost(language: str, text: str) -> None:
    lines = coloured(text, language)
    assert [text_of(line) for line in lines] == text.split("\n")
    assert {kind for line in lines for kind, _ in line} <= KINDS | {""}


def test_endless_lines_are_left_alone() -> None:
    text = "'" * 50_000
    assert coloured(text, "python") == ((("", text),),)
