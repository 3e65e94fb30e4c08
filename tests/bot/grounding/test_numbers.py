"""Citations in every form that models write them in."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.grounding.numbers import LONGEST_RANGE, normal, numbers_in, renumbered, shown, taken_out
from bot.markdown import Node, markdown, parse, plain, walk

PIECES = [*"[]【】()1290,-–^†`*_ x.", "[1]", "[[2]]", "[9]", "passage ", " and ", "(see ", "![", "](u)", "<b>", "\n"]
texts = st.one_of(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.text(max_size=60))


def inline(text: str) -> tuple[Node, ...]:
    return tuple(node for block in parse(text).children for node in block.children)


def written(nodes: tuple[Node, ...]) -> str:
    return markdown(Node("paragraph", nodes))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 16 [3].", "It is 16 [3]."),
        ("Both [1, 2]; all [1-3]; note [^2].", "Both [1][2]; all [1][2][3]; note [2]."),
        ("Semicolons [1; 3], dashes [2–4].", "Semicolons [1][3], dashes [2][3][4]."),
        (
            "Wide 【1】 or 【2, 3】 and so 【3†L4-L9】 or ［1］ or 〔2〕.",
            "Wide [1] or [2][3] and so [3] or [1] or [2].",
        ),
        ("The same [1], [2, 1] twice.", "The same [1][2] twice."),
        ("Loose [ 2 ; 1 ].", "Loose [2][1]."),
        ("Glued[2].", "Glued[2]."),
        ("In a row [1], [2] and [3].", "In a row [1][2][3]."),
        ("In parentheses ([1]), (see [2]), (sources: [1], [3]).", "In parentheses [1], [2], [1][3]."),
        (
            "Doubled [[1]] and linked [2](https://x.example) and [[3]](https://x.example).",
            "Doubled [1] and linked [2][3].",
        ),
        ("As passage [2] says, and passages [1] and [3].", "As [2] says, and [1][3]."),
        ("**It is 16 [1].** *So [2, 3] it is* now", "**It is 16.** [1] *So it is* [2][3] now"),
        ("Alone: **[1]** and so", "Alone:  [1] and so"),
        ("A footnote.[^1] Another.[^2]", "A footnote.[1] Another.[2]"),
    ],
)
def test_every_form_becomes_one(text: str, expected: str) -> None:
    assert written(normal(inline(text))) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Reads a[0], b()[0] and the interval [0, 1].",
        "[x] and [ ] and [1.5] and [a][b]",
        "`x[9]` and ``a ` b[9]``",
        "open [1",
    ],
)
def test_what_only_looks_like_a_citation_is_none(text: str) -> None:
    assert written(normal(inline(text))) == markdown(parse(text))
    assert taken_out(normal(inline(text)))[1] == []


def test_links_are_their_words_and_nothing_is_embedded() -> None:
    nodes = normal(inline("See [the *guide*](https://x.example/g) ![a](https://x.example/i)<b>now</b>,<br>then"))
    assert [node.kind for node in nodes] == ["text", "em", "text"]
    assert plain(nodes) == "See the guide now, then"


def test_an_address_is_shown_as_code_so_that_it_is_no_link() -> None:
    nodes = normal(inline("Open <http://localhost:70> or https://x.example/a."))
    assert [node.text for node in nodes if node.kind == "code_inline"] == ["http://localhost:70", "https://x.example/a"]
    assert not [node for node in nodes if node.kind == "link"]


def test_marks_are_taken_out_with_the_blank_before_them() -> None:
    bare, numbers = taken_out(normal(inline("It is 16 [3], not 17 [1][3]. **So** [2]")))
    assert (written(bare), numbers) == ("It is 16, not 17. **So**", [3, 1, 2])


def test_marks_are_written_anew_where_they_stand() -> None:
    nodes = normal(inline("Sixteen [3] or [9] so [1, 3]."))
    seen: list[list[int]] = []

    def note(numbers: Sequence[int]) -> str:
        seen.append(list(numbers))
        return "" if numbers == [9] else f"[{len(seen)}]"

    assert written(renumbered(nodes, note)) == "Sixteen [1] or so [3]."
    assert seen == [[3], [9], [1, 3]]


def test_of_marks_side_by_side_each_number_stands_once() -> None:
    assert written(renumbered(inline("Twice [1][2][1]."), shown)) == "Twice [1][2]."


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1, 3-5", [1, 3, 4, 5]),
        ("2–2", [2]),
        ("5-3", [5, 3]),
        (f"1-{LONGEST_RANGE + 2}", [1, LONGEST_RANGE + 2]),
        ("1" * 5_000, [999_999_999]),
        ("0" * 5_000 + "7", [7]),
        ("٣", [3]),
    ],
)
def test_numbers_are_read(text: str, numbers: list[int]) -> None:
    assert numbers_in(text) == numbers


@settings(deadline=None)
@given(texts)
@example("* and <b>")
def test_nothing_is_left_to_be_made_normal(text: str) -> None:
    blocks = parse(text).children
    once = normal(node for block in blocks if block.kind in ("paragraph", "heading") for node in block.children)
    assert {node.kind for top in once for node in walk(top)}.isdisjoint({"link", "image", "html_inline"})
    for node in once:
        assert not node.children or not taken_out(node.children)[1]


def test_long_texts_take_no_longer_than_they_are() -> None:
    for text in (
        "[" * 20_000,
        "[1 " * 5_000,
        "[1," * 5_000,
        "(see " * 4_000,
        "[1†" * 5_000,
        "[1], " * 4_000,
        "(" * 20_000,
    ):
        taken_out(normal([Node("text", text=text)]))
