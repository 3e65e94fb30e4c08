"""Messages of at most 2,000 characters, of which each can be read by itself."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rendering.characters import graphemes
from bot.rendering.discord import ALLOWED_MENTIONS, WRITING, growing, listing, messages
from bot.rendering.pages import LONGEST_MESSAGE, MOST_MESSAGES, units
from fakes.answers import answer, citation, url
from fakes.github_markdown import github_tokens
from fakes.markdown import LIVE, PIECES, unclosed_fences

ABOUT = (
    "-# Automated answer, read from example-org/boat `v1.2.0` at `0123456`."
    " Wrong or outdated? Press 👎 to tell the maintainers."
)
LONG = ["word " * 300, "x" * 2_500 + " ", "```py\n" + "line = 1\n" * 150 + "```\n", "```\n" + "y" * 3_000 + "\n```\n"]
LONG += [
    "- item\n" * 200,
    "1. a\n   - b\n" * 120,
    "|a|b|\n|-|-|\n" + "|cell one|cell two|\n" * 100,
    "> quote text\n" * 120,
]
LONG += ["**" + "bold words " * 250 + "** ", "👩‍👩‍👧‍👦" * 300, "`" + "c" * 2_300 + "` ", "# " + "head " * 500 + "\n"]
long_texts = st.lists(st.sampled_from(PIECES + LIVE + LONG * 2 + ["\n\n"] * 20), max_size=12).map("".join)
# Words that are only words, in blocks of every kind, as long as it takes to be cut.
block = st.sampled_from(
    ["{}", "# {}", "> {}", "- {}\n- {}", "1. {}\n   - {}", "**{}**", "```py\n{}\n{}\n```", "{}\n{}"]
)
filling = st.integers(1, 260).map(lambda count: " ".join(f"w{number}" for number in range(count)))
harmless = st.lists(st.builds(lambda form, words: form.replace("{}", words), block, filling), min_size=1, max_size=8)


def test_an_answer_with_its_sources() -> None:
    assert messages(answer("It is **16** [1].", 1)) == [
        "\n\n".join(
            (
                f"It is **16** [[1]](<{url(1)}>).",
                "**Sources**",
                f"1. [`hull/part1.py` lines 1–10](<{url(1)}>)",
                ABOUT,
            )
        )
    ]


def test_numbers_stay_numbers_where_their_links_would_take_a_message_more() -> None:
    (shown,) = messages(answer("It is 16 [1]. " * 100, 1))
    assert shown.count(url(1)) == 1 and "It is 16 [1]." in shown


def test_nobody_is_notified() -> None:
    assert ALLOWED_MENTIONS == {"parse": []}


@pytest.mark.parametrize("text", ["", "<!-- x -->", "\u200b"])
def test_nothing_said_is_no_answer(text: str) -> None:
    (shown,) = messages(answer(text, 3))
    assert (
        shown
        == "I could not find an answer to this: there is nothing in example-org/boat at v1.2.0 that I can cite.\n\n"
        + ABOUT
    )


def test_a_fence_that_fits_a_message_is_not_cut() -> None:
    fence = "```py\n" + "line = 1\n" * 150 + "```"
    first, second = messages(answer("word " * 200 + "\n\n" + fence, 1))
    assert "```" not in first and second.startswith(fence)


def test_what_announces_a_block_goes_along_with_it() -> None:
    fence = "```py\n" + "line = 1\n" * 150 + "```"
    for announcement in ("It is this [1]:", "## This"):
        first, second = messages(answer("word " * 200 + f"\n\n{announcement}\n\n" + fence, 1))
        assert first.endswith("word") and second.startswith(announcement)


def test_a_longer_fence_is_closed_and_opened_again() -> None:
    lines = [f"line = {number}  # of many" for number in range(200)]
    shown = messages(answer("Use this:\n\n```python\n" + "\n".join(lines) + "\n```\n\nThat is all.", 1))
    assert len(shown) == 3 and all(message.count("```python\n") == 1 for message in shown)
    assert re.sub(r"\n?```(?:python)?\n?", "\n", "\n".join(shown)).split()[2:-1][0] == "line"
    assert [line for message in shown for line in message.split("\n") if line.startswith("line")] == lines


def test_sources_take_the_end_of_the_answer_along() -> None:
    text = " ".join(f"Sentence {number} is here." for number in range(85))
    first, last = messages(answer(text, 2))
    assert len(text) < LONGEST_MESSAGE and "**Sources**" in last and "**Sources**" not in first
    assert last.startswith("Sentence ") and "Sentence 84 is here." in last


def test_many_long_sources_take_messages_of_their_own() -> None:
    shown = messages(answer("It is 16 [1].", 12, folder="a/rather/long/folder/that/goes/on" * 3))
    assert shown[0].startswith("It is 16") and "**Sources**" in shown[0]
    assert [int(found) for found in re.findall(r"(?m)^(\d+)\. \[", "\n".join(shown))] == list(range(1, 13))


def test_what_is_too_long_is_shortened_and_says_so() -> None:
    shown = messages(answer("[1] " + "word " * 14_000, 1))
    assert len(shown) == MOST_MESSAGES and units(shown[-1]) > LONGEST_MESSAGE * 0.9
    assert "*Shortened: the rest of this answer was cut off, since it takes more than 10 messages.*" in shown[-1]
    assert "**Sources**" in shown[-1] and shown[-1].endswith(ABOUT)


def test_emoji_count_twice_and_are_not_torn() -> None:
    family = "👩‍👩‍👧‍👦"
    shown = messages(answer(family * 400))
    assert all(units(message) <= LONGEST_MESSAGE for message in shown)
    assert sum(graphemes(message).count(family) for message in shown) == 400


@settings(max_examples=100, deadline=None)
@given(long_texts, st.integers(0, 12), st.sampled_from(["hull", "deep/" * 30]))
def test_every_message_can_be_sent_and_read_by_itself(text: str, citations: int, folder: str) -> None:
    made = answer(text, citations, folder=folder, warnings=("Down @now.",))
    shown = messages(made)
    assert 1 <= len(shown) <= MOST_MESSAGES and shown[-1].endswith(ABOUT)
    allowed = {citation.url for citation in made.citations}
    for message in shown:
        assert message.strip() and units(message) <= LONGEST_MESSAGE
        assert not unclosed_fences(message)
        assert {token.attrs["href"] for token in github_tokens(message) if token.type == "link_open"} <= allowed
    listing = [message for message in shown if "**Sources**" in message]
    assert len(listing) <= 1 and not any(message.startswith("**Sources**") for message in listing)


@settings(max_examples=60, deadline=None)
@given(harmless)
def test_nothing_is_lost_between_messages(blocks: list[str]) -> None:
    text = "\n\n".join(blocks)
    shown = messages(answer(text))
    if len(shown) < MOST_MESSAGES:
        said = [word for message in shown for word in re.findall(r"\bw\d+\b", message)]
        assert said == re.findall(r"\bw\d+\b", text)


# While it is written.


@settings(max_examples=60, deadline=None)
@given(long_texts)
def test_what_grows_is_one_message_that_can_be_sent(text: str) -> None:
    shown = growing(text)
    assert units(shown) <= LONGEST_MESSAGE and not unclosed_fences(shown)
    assert not [token for token in github_tokens(shown) if token.type == "link_open"]


def test_what_grows_says_so() -> None:
    assert growing("It is **16") == f"It is \\*\\*16\n\n-# {WRITING}"
    assert growing("```py\nx = 1") == f"```py\nx = 1\n```\n\n-# {WRITING}"


def test_what_grows_beyond_a_message_shows_its_beginning() -> None:
    shown = growing("Sentence one. " * 400)
    assert shown.startswith("Sentence one.") and units(shown) <= LONGEST_MESSAGE


# The lines that are cited.


def test_cited_lines_with_their_places() -> None:
    (shown,) = listing([(citation(1), "x = 1\ny = 2"), (citation(2), None)])
    first, fence, second = shown.split("\n\n")
    assert url(1) in first and fence == "```py\nx = 1\ny = 2\n```" and url(2) in second


def test_no_lines_are_no_messages() -> None:
    assert listing([]) == []


def test_lines_that_look_like_a_fence_stay_within_theirs() -> None:
    (shown,) = listing([(citation(1, ending="md"), "```py\nx = 1\n```\n@everyone")])
    within = shown.split("\n\n```md\n")[1]
    assert within == "`\u200b`\u200b`py\nx = 1\n`\u200b`\u200b`\n@everyone\n```"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES + LIVE + LONG), min_size=1, max_size=6), st.integers(1, 5))
def test_a_listing_can_be_sent(texts: list[str], count: int) -> None:
    shown = listing([(citation(number), "".join(texts)) for number in range(1, count + 1)])
    assert shown and all(0 < units(message) <= LONGEST_MESSAGE and not unclosed_fences(message) for message in shown)
