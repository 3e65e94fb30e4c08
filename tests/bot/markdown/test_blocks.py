"""A streamed text comes out as its blocks, however it was cut, and as early as possible."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.markdown import Blocks, Node, parse
from fakes.markdown import markdown_texts


def cut(text: str, places: list[int]) -> list[str]:
    borders = sorted({place % (len(text) + 1) for place in places} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(borders)]


def streamed(*pieces: str) -> list[str]:
    blocks = Blocks()
    return [block for piece in pieces for block in blocks.feed(piece)] + blocks.finish()


def units(*sources: str) -> list[Node]:
    """The blocks and items of sources, without what only whole lists know."""
    blocks = [block for source in sources for block in parse(source).children]
    return [unit for block in blocks for unit in (block.children if block.kind.endswith("_list") else [block])]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("a\nb\n\nc", ["a\nb\n\n", "c"]),
        ("# a\nb\n***\nc", ["# a\n", "b\n", "***\n", "c"]),
        ("- a\n  b\n- c\n\n  d\n1. e", ["- a\n  b\n", "- c\n\n  d\n", "1. e"]),
        ("|a|\n|-|\n|b|\n\nc", ["|a|\n|-|\n|b|\n\n", "c"]),
        ("> a\nb\n\n> c", ["> a\nb\n\n", "> c"]),
        ("a\n```\nb\n\nc\n```\nd", ["a\n", "```\nb\n\nc\n```\n", "d"]),
        ("a\n\n[1]: u\n\nb", ["a\n\n", "[1]: u\n\nb"]),
        ("\r\na\r\n\r\nb", ["\r\na\r\n\r\n", "b"]),
        ("", []),
        ("\n\n", ["\n\n"]),
        ("```\na\n> ```\nb\n```\nc", ["```\na\n> ```\nb\n```\n", "c"]),
    ],
)
def test_blocks(text: str, blocks: list[str]) -> None:
    assert streamed(*text) == blocks


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("```py\nx", "```py\nx\n```"),
        ("~~~~\n```\nx\n", "~~~~\n```\nx\n~~~~"),
        ("```", "```\n```"),
        ("- a\n\n  ```\n  x", "- a\n\n  ```\n  x\n  ```"),
        ("> ```\n> x", "> ```\n> x\n> ```"),
    ],
)
def test_an_open_fence_is_closed_at_the_end(text: str, closed: str) -> None:
    assert "".join(streamed(text)) == closed


@pytest.mark.parametrize(
    ("text", "early"),
    [
        ("a\n\n", 1),
        ("a\n", 0),
        ("# a\n", 1),
        ("```\na\n\nb\n", 0),
        ("```\na\n```\n", 1),
        ("- a\n- b\n- c\n", 2),
        ("- a\n\n", 0),
        ("|a|\n|-|\n", 0),
        ("> a\n\n", 1),
        ("<!--\n\na\n\n", 0),
        ("Title\n", 0),
    ],
)
def test_a_block_is_given_once_it_is_certain(text: str, early: int) -> None:
    blocks = Blocks()
    assert len([block for char in text for block in blocks.feed(char)]) == early


@given(markdown_texts, st.lists(st.integers(0, 500), max_size=12))
@example("\\\n\u3000  \na", [])
@example("a\r\n\r\nb", [2, 4])
@example("- a\n\n\n- b\n", [3, 4, 5])
def test_the_blocks_joined_are_the_text_and_read_as_it(text: str, places: list[int]) -> None:
    blocks = streamed(*cut(text, places))
    joined = "".join(blocks)
    assert all(blocks)
    if "```" not in text and "~~~" not in text:
        assert joined == text
    if "]:" not in text:  # a definition counts in its own block only
        assert [unit for unit in units(*blocks) if unit.kind != "list_item"] == [
            unit for unit in units(text) if unit.kind != "list_item"
        ]
        assert len(units(*blocks)) == len(units(text))


@given(markdown_texts, st.lists(st.integers(0, 500), max_size=6))
@example("## \n\n", [4])
@example("a\n\n\n", [3])
@example("a\n\n[1]: u\n\nb", [3])
@example("> a\n\n\nb", [5])
@example("```\n```\n\nb", [8])
def test_the_cuts_do_not_matter(text: str, places: list[int]) -> None:
    assert streamed(*cut(text, places)) == streamed(text)


def test_long_texts_take_no_longer_than_they_are() -> None:
    start = time.monotonic()
    fence = "```py\n" + "x = 1  # note\n" * 3_000 + "```\n"
    for long in (
        fence,
        "|a|b|\n|-|-|\n" + "|x|y|\n" * 3_000,
        "- item\n" * 4_000,
        "word\n" * 6_000,
        "<!--\n" + "\n" * 20_000,
    ):
        assert "".join(streamed(*(long[at : at + 4] for at in range(0, len(long), 4)))) == long
    assert time.monotonic() - start < 20
