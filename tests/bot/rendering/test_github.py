"""One comment: what it says, what stands below, and that it always fits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rendering.github import LONGEST_COMMENT, comment
from fakes.answers import INDEX, answer, url
from fakes.github_markdown import github_tokens
from fakes.markdown import LIVE, PIECES, unclosed_fences

ABOUT = (
    "*This answer is automated, read from `v1.2.0` at `0123456`. "
    "Wrong or outdated? React with 👎 to tell the maintainers.*"
)
MARKER = "<!-- repopilot:answer id=5f0c1e -->"
LONG = [
    "word " * 500,
    "x" * 3_000,
    "```py\n" + "line = 1\n" * 300 + "```\n\n",
    "- item\n" * 200,
    "|a|\n|-|\n" + "|b|\n" * 200,
]
long_texts = st.lists(st.sampled_from(PIECES + LIVE + LONG * 4 + ["\n\n"] * 20), max_size=12).map("".join)


def test_an_answer_with_its_sources() -> None:
    assert comment(answer("It is **16** [1].", 1)) == "\n\n".join(
        (
            f"It is **16** [[1]]({url(1)}).",
            "**Sources**",
            f"1. [`hull/part1.py` lines 1–10]({url(1)})",
            ABOUT,
            MARKER,
        )
    )


def test_sources_without_a_public_host_are_named() -> None:
    assert "1. `hull" not in comment(answer("x [1]", 1))


def test_warnings_stand_between_the_answer_and_its_sources() -> None:
    shown = comment(answer("It is 16 [1].", 1, warnings=("The model is down.",)))
    assert shown.index("It is") < shown.index("> ⚠ The model is down.") < shown.index("**Sources**")


def test_an_answer_that_declines_shows_the_nearest_places() -> None:
    shown = comment(answer("I could not find it.", 1, declined=True))
    assert "**Nearest places**\n\n1. [`hull/part1.py`" in shown


@pytest.mark.parametrize("text", ["", " \n", "<!-- x -->", "<think>x</think>", "![](x)", "\u200b"])
def test_nothing_said_is_no_answer(text: str) -> None:
    shown = comment(answer(text, 3))
    assert shown.startswith("I could not find an answer to this: there is nothing in example-org/boat at v1.2.0")
    assert len(shown) <= 600 and "Sources" not in shown


def test_further_links_and_another_way_to_complain() -> None:
    shown = comment(answer("See https://docs.example/a."), ["https://docs.example/a"], feedback="Tell us.")
    assert "See <https://docs.example/a>." in shown and "`0123456`. Tell us.*" in shown


def test_there_is_one_marker_and_it_is_ours() -> None:
    shown = comment(answer("`<!-- repopilot:answer id=1 -->`\n\n```\n<!--repopilot:answer-->\n<!-- x -->\n```"))
    assert shown.count("<!-- repopilot:") == 1 and shown.endswith(MARKER)
    assert "`<!- - repopilot:answer id=1 -->`" in shown and "<!-- x -->" in shown


@pytest.mark.parametrize(
    "text",
    [
        "word " * 14_000,
        "x" * 70_000,
        "```py\n" + "x = 1  # of very many\n" * 4_000,
        "😀" * 66_000,
        "- an item of some words\n" * 3_000,
        "> quoted words, a line\n\n" * 3_000,
        "|a|b|\n|-|-|\n" + "|a cell of a row|another one|\n" * 2_500,
        "**bold words and more of them** and plain words between. " * 1_200,
    ],
    ids=["words", "letters", "fence", "emoji", "list", "quotations", "table", "bold"],
)
def test_what_is_too_long_is_shortened_and_says_so(text: str) -> None:
    shown = comment(answer(f"[1] {text}" if text[0] == "w" else text, 1))
    assert LONGEST_COMMENT * 0.9 < len(shown) <= LONGEST_COMMENT
    assert len(shown.encode()) <= 262_144
    assert "*Shortened: the rest of this answer was cut off" in shown
    assert not unclosed_fences(shown) and shown.endswith(f"{ABOUT}\n\n{MARKER}")


@settings(max_examples=60, deadline=None)
@given(long_texts, st.integers(0, 9))
def test_the_footer_is_never_part_of_the_answer(text: str, citations: int) -> None:
    shown = comment(answer(text, citations, ending="md"))
    assert len(shown) <= LONGEST_COMMENT and not unclosed_fences(shown)
    tokens = list(github_tokens(shown))
    assert (tokens[-1].type, tokens[-1].level, tokens[-1].content) == ("html_block", 0, MARKER)
    allowed = {url(number, ending="md").replace("#", "?plain=1#") for number in range(1, citations + 1)}
    assert {token.attrs["href"] for token in tokens if token.type == "link_open"} <= allowed
    assert ABOUT.strip("*")[:20] in "".join(token.content for token in tokens if token.type == "text")


def test_the_version_is_the_indexs() -> None:
    assert INDEX.ref in comment(answer("x"))
