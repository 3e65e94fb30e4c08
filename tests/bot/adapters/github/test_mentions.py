"""What counts as a mention, and what is asked by it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.adapters.github.mentions import LONGEST_READ, newly_mentions, question_in, unaddressed
from fakes.markdown import LIVE, PIECES

US = "RepoPilot"
NAMES = [
    "@RepoPilot",
    "@repopilot[bot]",
    "\\@RepoPilot",
    "@RepoPilotX",
    "x@RepoPilot",
    "RepoPilot",
    "\r",
    "\ufdd0",
    "\ud800",
]
around_us = st.lists(st.sampled_from(PIECES + LIVE + NAMES * 6), max_size=18).map("".join)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("@RepoPilot what is a page?", "what is a page?"),
        ("What is a page, @RepoPilot?", "What is a page?"),
        ("@REPOPILOT: what is a page?", "what is a page?"),
        ("@repopilot[bot] - what is a page?", "what is a page?"),
        ("Well, @RepoPilot, what is a page?", "Well, what is a page?"),
        ("hey @RepoPilot, what is a page?", "hey, what is a page?"),
        ("**@RepoPilot** what is a page?", "what is a page?"),
        ("(@RepoPilot) what is a page?", "what is a page?"),
        ("- @RepoPilot what is a page?", "- what is a page?"),
        ("# @RepoPilot what is a page?", "# what is a page?"),
        ("| @RepoPilot what is a page? |\n|-|\n| x |", "| what is a page? |\n|-|\n| x |"),
        ("```\nx\n```\n@RepoPilot\nwhat is this?", "```\nx\n```\nwhat is this?"),
        ("页面@RepoPilot 是什么？", "页面 是什么？"),
        ("@RepoPilot，页面是什么？", "页面是什么？"),
        ("é@RepoPilot what is a page?", "é what is a page?"),
        ("What does @RepoPilot's answer mean?", "What does answer mean?"),
        ("@RepoPilot one?\n\n@RepoPilot two?", "one?\n\ntwo?"),
        ("@RepoPilot what is `@RepoPilot` for?", "what is `@RepoPilot` for?"),
        ("see https://example.org/@RepoPilot @RepoPilot why?", "see https://example.org/@RepoPilot why?"),
        ("\\@RepoPilot why?", "why?"),
        ("&#64;RepoPilot why?", "why?"),
        ("<div>\n@RepoPilot why?\n</div>", "<div>\nwhy?\n</div>"),
        ("Use <code> here.\n\n@RepoPilot why?", "Use <code> here.\n\nwhy?"),
        (
            "<details>\n<summary>x</summary>\n@RepoPilot why?\n</details>",
            "<details>\n<summary>x</summary>\nwhy?\n</details>",
        ),
        ("\u200f@RepoPilot لماذا؟", "\u200f لماذا؟"),
        ("@RepoPilot... why?", "... why?"),
        ("@RepoPilot\r\nwhy?\r\n", "why?"),
    ],
)
def test_what_is_asked(text: str, question: str) -> None:
    assert question_in(text, US) == question


@pytest.mark.parametrize(
    "text",
    [
        "RepoPilot why?",
        "`@RepoPilot` why?",
        "``a ` @RepoPilot`` why?",
        "```\n@RepoPilot why?\n```",
        "~~~yaml\n@RepoPilot why?\n~~~",
        "log:\n```\n@RepoPilot why?",
        "> ```\n> @RepoPilot\n> ```",
        "x\n\n    @RepoPilot why?",
        "<!-- @RepoPilot why? -->",
        "<!--\n\n@RepoPilot why?\n\n-->",
        "<!-- @RepoPilot",
        "<code>@RepoPilot</code>",
        "<pre>\n@RepoPilot\n\nwhy?\n</pre>",
        "<code>\n\n@RepoPilot why?\n\n</code>",
        "> use two\n@RepoPilot why?",
        '<p title="@RepoPilot">',
        "[@RepoPilot](https://example.org)",
        "[x](https://example.org/@RepoPilot)",
        "<https://example.org/@RepoPilot>",
        "![@RepoPilot](https://example.org/x.png)",
        "[x]: https://example.org/@RepoPilot",
        "> @RepoPilot why?",
        "> > @RepoPilot why?\n\nyes",
        "- > @RepoPilot why?",
        "<blockquote>@RepoPilot why?</blockquote>",
        "a@RepoPilot.example why?",
        "@RepoPilot.example why?",
        "@RepoPilotX @RepoPilot_dev @RepoPilot-dev @RepoPilot2 why?",
        "@example-org/RepoPilot why?",
        "@RepoPilot/cli why?",
        "@\u200bRepoPilot @Repo\u200bPilot @\u2060RepoPilot why?",
        "@<!-- -->RepoPilot why?",
        "＠RepoPilot why?",
    ],
)
def test_what_is_no_mention(text: str) -> None:
    assert question_in(text, US) is None


@pytest.mark.parametrize(
    "text", ["@RepoPilot", " @RepoPilot. ", "**@RepoPilot**", "Hi @RepoPilot!", "@RepoPilot please help"]
)
def test_nothing_but_the_mention(text: str) -> None:
    assert question_in(text, US) == ""


def test_quotations_comments_and_old_mail_are_not_asked() -> None:
    text = """<!-- be kind -->
> is it 16?

@RepoPilot is it <!-- no --> 32?

On Mon, Nov 2, 2026 at 10:15 AM Cleo Example <cleo@example.org> wrote:
> @RepoPilot what is it?
"""
    assert question_in(text, US) == "is it  32?"


def test_fences_and_comments_in_them_stay() -> None:
    code = "```html\n<!-- @RepoPilot -->\n\n\n> x\n```"
    assert question_in(f"{code}\n\n@RepoPilot why?", US) == f"{code}\n\nwhy?"


def test_only_a_new_mention_is_one() -> None:
    assert newly_mentions("@RepoPilot why?", "why?", US)
    assert not newly_mentions("@RepoPilot why not?", "@RepoPilot why?", US)
    assert not newly_mentions("never mind", "@RepoPilot why?", US)
    assert newly_mentions("@RepoPilot why?", "`@RepoPilot` why?", US)


def test_others_are_still_addressed() -> None:
    assert unaddressed("@RepoPilot @cleo why?", US) == "@cleo why?"


def test_a_handle_is_no_pattern() -> None:
    assert question_in("@axb why?", "a.b") is None


@given(around_us)
@example("@RepoPilot")
@example("[@RepoPilot]: x")
@example("*@RepoPilot*")
def test_what_is_asked_is_part_of_what_was_written(text: str) -> None:
    question = question_in(text, US)
    left = iter(text.replace("\r\n", "\n").replace("\r", "\n"))
    assert question is None or all(char in left for char in question)


@given(around_us)
def test_the_mention_decides(text: str) -> None:
    """Without a mention nothing is asked; a paragraph of its own that mentions us is heard unless something is open."""
    assert question_in(text.replace("@", " ").replace("&#64;", " "), US) is None
    assert question_in(f"@RepoPilot why?\n\n{text}", US) is not None


@settings(max_examples=20)
@given(st.sampled_from(PIECES + LIVE + NAMES))
def test_long_texts_are_read_in_seconds(piece: str) -> None:
    text = piece * (LONGEST_READ // len(piece))
    question_in(f"@RepoPilot why?\n\n{text}", US)


def test_what_is_longer_is_cut() -> None:
    assert question_in(" " * LONGEST_READ + "@RepoPilot why?", US) is None
    assert len(question_in("@RepoPilot why? " + "x" * 10_000_000, US) or "") < LONGEST_READ
