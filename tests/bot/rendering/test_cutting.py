"""What is cut fits, loses nothing, and is whole where it can be."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.markdown import Node, markdown, parse, plain, walk
from bot.rendering.cutting import Cutter, most, split_inline, whole
from fakes.markdown import markdown_texts

PAGE = 60


def size(block: Node) -> int:
    return len(markdown(block))


def cut_up(text: str, page: int = PAGE) -> list[str]:
    """The blocks of a text, in pieces of at most a page."""
    cutter, waiting, pieces = Cutter(size, page), list(parse(text).children), []
    while waiting:
        head, rest = cutter.split(waiting[0], page)
        if head is None:
            head, rest = cutter.forced(waiting[0], page)
        pieces.append(markdown(head))
        waiting[:1] = rest
    return pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        (
            "One sentence that is here ends. Another one is there and is longer.",
            ["One sentence that is here ends.", "Another one is there and is longer."],
        ),
        ("word " * 14, [("word " * 12).strip(), "word word"]),
        ("x" * 70, ["x" * 60, "x" * 10]),
        ("a " + "x" * 70, ["a " + "x" * 58, "x" * 12]),
        (
            "a line of some words\nand a second one of more\nand a third one",
            ["a line of some words\nand a second one of more", "and a third one"],
        ),
        (
            "some words go before `a_rather_long_name_in_code()` and after",
            ["some words go before `a_rather_long_name_in_code()` and", "after"],
        ),
        (
            "some words that go before [a link](https://a.b/c/d/e/f) after",
            ["some words that go before [a link](https://a.b/c/d/e/f)", "after"],
        ),
        (
            "some words that go before the [link](https://a.b/c/d/e/f)",
            ["some words that go before the [link](https://a.b/c/d/e/f)"],
        ),
        (
            "some words that all go before this [a link](https://a.b/c/d/e/f)",
            ["some words that all go before this", "[a link](https://a.b/c/d/e/f)"],
        ),
        (
            "**bold words that go on and on and on and on and on and on, on**",
            ["**bold words that go on and on and on and on and on and**", "**on, on**"],
        ),
        (
            "```py\n" + "line = 1\n" * 9 + "```",
            ["```py\n" + "line = 1\n" * 5 + "```", "```py\n" + "line = 1\n" * 4 + "```"],
        ),
        ("```\n" + "y" * 70 + "\nz\n```", ["```\n" + "y" * 52 + "\n```", "```\n" + "y" * 18 + "\nz\n```"]),
        (
            "3. first item of three\n4. second item of three\n5. third item of three",
            ["3. first item of three\n4. second item of three", "5. third item of three"],
        ),
        ("- " + "x" * 70 + "\n- b", ["- " + "x" * 58, "x" * 12, "- b"]),
        ("> " + "quoted " * 10, ["> " + ("quoted " * 8).strip(), "> quoted quoted"]),
        (
            "| a | b |\n|---|---|\n" + "| 12345 | 67890 |\n" * 3,
            ["| a | b |\n|---|---|\n| 12345 | 67890 |\n| 12345 | 67890 |", "| a | b |\n|---|---|\n| 12345 | 67890 |"],
        ),
    ],
)
def test_where_it_is_cut(text: str, pieces: list[str]) -> None:
    assert cut_up(text) == pieces


def words(text: str) -> str:
    return "".join("".join(node.text for node in walk(parse(text))).split())


@given(st.lists(markdown_texts, max_size=4).map("\n\n".join))
def test_every_piece_fits_and_nothing_is_lost(text: str) -> None:
    tree = parse(text)
    assume(not any(node.kind in ("html_inline", "html_block", "image", "table") for node in walk(tree)))
    pieces = cut_up(text, page=100)
    assert all(len(piece) <= 100 for piece in pieces)
    assert "".join(map(words, pieces)) == words(text)


@given(markdown_texts)
def test_a_cut_paragraph_keeps_its_emphasis_and_links(text: str) -> None:
    nodes = parse("x " + text.replace("\n", " ")).children[0].children
    head, rest = split_inline(nodes, lambda part: len(plain(part)) <= 20, lambda part: True, 20)
    assert len(plain(head)) <= 20 or head == nodes
    assert "".join((plain(head) + plain(rest)).split()) == "".join(plain(nodes).split())


@given(st.integers(0, 40), st.integers(0, 40), st.integers(-5, 60))
def test_the_most_that_fits(count: int, limit: int, guess: int) -> None:
    assert most(count, lambda n: n <= limit, guess) == min(count, limit)


@pytest.mark.parametrize(
    ("text", "end", "at"), [("ae\u0301b", 2, 1), ("ae\u0301b", 3, 3), ("👩\u200d👧x", 1, 1), ("ab", 9, 2)]
)
def test_no_character_is_torn(text: str, end: int, at: int) -> None:
    assert whole(text, end) == at
