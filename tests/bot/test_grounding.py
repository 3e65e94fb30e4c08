"""Any text a model could write, cut in any way, becomes text whose `[n]` are citations."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.grounding import Grounder, cited
from bot.types import Passage

PASSAGES = 3
# What models write, with the pieces that citations and code are made of.
PIECES = [
    "- ",
    "> ",
    "2. ",
    "[1]",
    "[9]",
    "[0]",
    "[1, 3]",
    "[2-9]",
    "[^2]",
    "【3】",
    "【9†L1-L2】",
    "[",
    "]",
    "【",
    "†",
    "`",
    "``",
    "```",
]
PIECES += ["````", "~~~", "~", "\n", "\r\n", "\n\n", " ", "  ", "word", "a", "7", ",", "-", "^", "NOT_"]
PIECES += ["NOT_FOUND", "FOUND", "*", "."]
written = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
# Without list items and quotes: where one of these ends, CommonMark ends the fence in it too, which we do not follow.
flat = st.lists(st.sampled_from(PIECES[3:]), max_size=30).map("".join)
texts = st.one_of(written, st.text(max_size=60))


def ground(*pieces: str, passages: int = PASSAGES) -> tuple[str, Grounder]:
    grounder = Grounder(passages)
    return "".join(map(grounder.feed, pieces)) + grounder.finish(), grounder


def grounded(text: str) -> str:
    return ground(text)[0]


def cut(text: str, places: list[int]) -> list[str]:
    borders = sorted({place % (len(text) + 1) for place in places} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(borders)]


def prose(markdown: str) -> str:
    """The text of a Markdown document outside code, as CommonMark sees it."""
    inline = [child for token in MarkdownIt().parse(markdown) for child in token.children or ()]
    return "\n".join(child.content for child in inline if child.type == "text")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 16 [3]. A page is 4 [1].", "It is 16 [1]. A page is 4 [2]."),
        ("16 [3] and 16 [3].", "16 [1] and 16 [1]."),
        ("Both [1, 2]; all [1-3]; note [^2].", "Both [1][2]; all [1][2][3]; note [2]."),
        ("Wide 【1】, 【2, 3】, 【3†L4-L9】.", "Wide [1], [2][3], [3]."),
        ("Loose [ 2 ; 1 ].", "Loose [1][2]."),
        ("Glued[2].", "Glued[1]."),
        ("Unknown [9]. More [4, 2].", "Unknown. More [1]."),
        ("Unknown [9]\n\n[8] next", "Unknown\n\nnext"),
        ("- [9] item\n- [1] item", "- item\n- [1] item"),
        ("A year [1999], a long one [" + "1" * 5_000 + "].", "A year, a long one."),
        ("A wrong range [1-300].", "A wrong range [1]."),
        ("Windows [2]\r\nends [1].\r\n", "Windows [1]\r\nends [2]."),
        ("Reads a[0], b()[0] and the interval [0, 1].", "Reads a[0], b()[0] and the interval [0, 1]."),
        ("[x] [ ] [link](url) [a][b] [1.5]", "[x] [ ] [link](url) [a][b] [1.5]"),
        ("Nothing [[9]7] grows [7[9]] together a[9]b.", "Nothing [ 7] grows [7 ] together a b."),
        ("**Bold[9]** stays", "**Bold** stays"),
        ("open [1", "open [1"),
        ("  leading space", "leading space"),
    ],
)
def test_citations_outside_code(text: str, expected: str) -> None:
    assert grounded(text) == expected


@pytest.mark.parametrize(
    "code",
    [
        "`x[9]`",
        "``a ` b[9]``",
        "```python\nx[9]\n```",
        "```\nx[9]\n\ny[8]\n```",
        "````md\n```\nx[9]\n```\n````",
        "```\nx[9] ```` y[8]\n`````",
        "~~~\nx[9]\n```\n~~~",
        "- ```py\n  x[9]\n\n  y[8]\n  ```",
        "1. `a[9]`\n> ```\n> b[9]\n> ```",
        "```\r\nx[9]\r\n```\r",
        "```\nnever closed [9]",
    ],
)
def test_code_is_untouched(code: str) -> None:
    assert ground(f"{code}\nthen [3]" if "never" not in code else code)[0].startswith(code)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A stray ` tick [9].\n\nNext ` [3].", "A stray ` tick.\n\nNext ` [1]."),
        ("A stray ` tick [9].\r\n\r\nNext [3].", "A stray ` tick.\r\n\r\nNext [1]."),
        ("mid-line ``` is no fence [9]", "mid-line ``` is no fence"),
        ("```x``` [9] is a span", "```x``` is a span"),
        ("```\nx[9]\n```\n[9] after [2]", "```\nx[9]\n```\nafter [1]"),
        ("~~struck [9]~~", "~~struck~~"),
    ],
)
def test_what_only_looks_like_code_is_not(text: str, expected: str) -> None:
    assert grounded(text) == expected


@pytest.mark.parametrize("text", ["NOT_FOUND", " NOT_FOUND\n", "**NOT_FOUND**.", "`NOT_FOUND`\r\n", '"NOT_FOUND"'])
def test_the_marker_declines_and_is_not_shown(text: str) -> None:
    for pieces in ([text], list(text)):
        shown, grounder = ground(*pieces)
        assert (shown, grounder.declined) == ("", "not_found")


def test_an_explained_marker_declines_too() -> None:
    assert ground("NOT_FOUND. The passages are about something else.")[1].declined == "not_found"


@pytest.mark.parametrize("text", ["NOT_FOUND is a constant [1].", "NOT", "It said NOT_FOUND", "NOT_FOUNDATION", ""])
def test_other_texts_do_not_decline(text: str) -> None:
    shown, grounder = ground(text)
    assert (shown, grounder.declined) == (text, None)


def test_words_are_given_as_soon_as_they_are_certain() -> None:
    grounder = Grounder(PASSAGES)
    assert grounder.feed("The block ") == "The block"
    assert grounder.feed("size [") == " size"
    assert grounder.feed("3") == ""
    assert grounder.feed("] is") == " [1] is"
    assert grounder.feed("\n```py\nx = 1\n") == "\n```py\nx = 1\n"


@given(texts, st.lists(st.integers(0, 500), max_size=12))
@example("x" + " " * 50 + "[ " + " " * 60 + "1 ]", [60])
@example("[1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]", [30, 50])
@example("`a`\n```\n[9]\n```", [4, 5, 6])
def test_the_cuts_do_not_matter(text: str, places: list[int]) -> None:
    whole, once = ground(text)
    for pieces in (cut(text, places), list(text)):
        joined, grounder = ground(*pieces)
        assert (joined, grounder.order, grounder.declined) == (whole, once.order, once.declined)


@given(flat)
@example("[[9]7]")
@example("[7[9]]")
@example("[1[9]2]")
@example("``[9]`[1]`")
@example("`` [9]`[1]`")
@example("~~[9]~\n[1]\n")
@example("-```[1]\n")
@example("a [9]b[1]")
def test_every_number_outside_code_is_a_citation_in_order_of_first_use(text: str) -> None:
    assume(not re.search(r"^ {4}", text, re.MULTILINE))  # code or not, depending on what it is in
    answer, grounder = ground(text)
    assert len(set(grounder.order)) == len(grounder.order)
    assert all(1 <= number <= PASSAGES for number in grounder.order)
    numbers = [int(found) for found in re.findall(r"\[(\d+)\]", prose(answer)) if int(found)]
    assert set(numbers) <= set(range(1, len(grounder.order) + 1))


@given(st.lists(st.sampled_from(["[1]", "[2]", "[3]", "[9]", "word", "\n\n", ". "]), max_size=30))
def test_numbers_are_given_by_first_use_and_each_is_used(words: list[str]) -> None:
    answer, grounder = ground(" ".join(words))
    used = list(dict.fromkeys(re.findall(r"\[(\d+)\]", answer)))
    assert used == [str(number) for number in range(1, len(grounder.order) + 1)]
    assert grounder.order == [int(n) for n in dict.fromkeys(re.findall(r"\[([123])\]", " ".join(words)))]


@given(st.text("abc \n[]().,*_#>-", max_size=80))
def test_text_without_citations_is_kept(text: str) -> None:
    assert grounded(text) == text.strip()


def test_long_texts_take_no_longer_than_they_are() -> None:
    for text in ("[" * 20_000, "`" * 20_000, "` " * 5_000, " " * 20_000, "[1," * 5_000, "word [1] " * 5_000):
        ground(text)
        ground(*(text[at : at + 4] for at in range(0, 4_000, 4)))


def test_citations_are_numbered_from_one() -> None:
    passages = [Passage(f"{n}.py", n, n + 1, f"s{n}", "code", "python", 1.0, "", f"https://x/{n}") for n in (5, 7)]
    assert [(c.number, c.path, c.start_line, c.url) for c in cited(passages)] == [
        (1, "5.py", 5, "https://x/5"),
        (2, "7.py", 7, "https://x/7"),
    ]
