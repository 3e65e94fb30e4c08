"""Which messages are for us, and what they ask."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.adapters.discord.hearing import addressed, own_answer, question_in, thread_name
from bot.adapters.discord.types import Heard, Me, Said

US, ROLE, ADA, GRACE = (
    900_000_000_000_000_001,
    910_000_000_000_000_001,
    940_000_000_000_000_002,
    940_000_000_000_000_003,
)
CHANNEL = 930_000_000_000_000_001
ME = Me(US, frozenset({ROLE}))
AT = "2026-01-05T10:00:00+00:00"
HEARD = Heard(
    id=7,
    channel=CHANNEL,
    guild=5,
    parent=None,
    author=ADA,
    name="Ada",
    by_machine=False,
    ordinary=True,
    text="why?",
    mentions=frozenset(),
    roles=frozenset(),
    people=((US, "RepoPilot"), (GRACE, "Grace")),
    channels=((CHANNEL, "general"),),
    thread=None,
    opens=False,
    ours=False,
    replied_to=None,
    held=frozenset(),
    written=AT,
    at=AT,
)
MENTIONED = replace(HEARD, mentions=frozenset({US}))
OURS = replace(HEARD, thread="Why?", ours=True)
GRACES = Said("Grace", "It is 16.", id=3)


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        (MENTIONED, True),
        (HEARD, False),
        (replace(HEARD, text=f"<@{US}> why?"), False),  # within code, Discord mentions nobody
        (replace(HEARD, roles=frozenset({ROLE})), True),
        (replace(HEARD, roles=frozenset({ROLE + 1})), False),
        (replace(HEARD, text="@everyone why?"), False),
        (replace(HEARD, guild=None), True),
        (replace(MENTIONED, by_machine=True), False),
        (replace(MENTIONED, ordinary=False), False),
        (replace(MENTIONED, author=US), False),
        (replace(HEARD, guild=None, author=US), False),
        (OURS, True),
        (replace(OURS, ours=False), False),
        (replace(OURS, text=f"  <@{GRACE}> look at this", mentions=frozenset({GRACE})), False),
        (replace(OURS, text=f"<@&{ROLE + 1}> look"), False),
        (replace(OURS, text=f"<#{CHANNEL}> says 32, why?"), True),
        (replace(OURS, text=f"why does <@{GRACE}> say 32?", mentions=frozenset({GRACE})), True),
        (replace(OURS, text=f"<@{GRACE}> <@{US}> why?", mentions=frozenset({GRACE, US})), True),
        (replace(OURS, text="thanks!", replied_to=GRACES, mentions=frozenset({GRACE})), False),
        (replace(OURS, text="why?", replied_to=GRACES), True),  # with the mention off
        (replace(OURS, replied_to=replace(GRACES, own=True), mentions=frozenset({US})), True),
    ],
)
def test_addressed(heard: Heard, expected: bool) -> None:
    assert addressed(heard, ME) is expected


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (f"<@{US}> why?", "why?"),
        (f"<@!{US}>, why?", "why?"),
        (f"<@&{ROLE}>: why?", "why?"),
        (f"hey <@{US}> - why?", "hey why?"),
        (f"why, <@{US}>?", "why, ?"),
        (f"<@{US}>", ""),
        (f"  <@{US}>  ", ""),
        (f"<@{US}> what did <@{GRACE}> say in <#{CHANNEL}>?", "what did @Grace say in #general?"),
        (f"<@{US}> who is <@{ADA}>?", "who is @someone?"),
        (f"<@{US}> see `<@{US}>` and\n```\n<@{GRACE}>\n```", f"see `<@{US}>` and\n```\n<@{GRACE}>\n```"),
        (f"<@{US}> nice <:party:123456789012345678>", "nice :party:"),
    ],
)
def test_question_in(text: str, question: str) -> None:
    assert question_in(replace(HEARD, text=text), ME) == question


@given(st.text(alphabet=st.sampled_from(f"`~<@!&#>: \n{US % 10}ab"), max_size=80).map(lambda text: f"{text}<@{US}>"))
@example("`" * 9_999)
@example("<@" * 4_000)
def test_any_text_is_read(text: str) -> None:
    asked = question_in(replace(HEARD, text=text), ME)
    assert len(asked) <= 4_000 and asked == asked.strip()


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("why?", "why?"),
        ("**What** is\n`block_size`?", "What is block_size ?"),
        ("see https://example.org/x and <@123456789012345678>", "see and"),
        ("word " * 40, "word " * 18 + "word…"),
        ("x" * 400, "x" * 99 + "…"),
        ("```\n```", ""),
    ],
)
def test_thread_name(question: str, name: str) -> None:
    assert thread_name(question) == name or thread_name(question).replace(" _", "_") == name


@given(st.text())
def test_a_name_fits(question: str) -> None:
    name = thread_name(question)
    assert len(name) <= 100 and "\n" not in name


def test_own_answer() -> None:
    said = (
        "It is 16 [[1]](<https://example.org/a#L1>), see [docs](https://example.org).\n\n**Sources**\n\n"
        "1. [`a.py` lines 1–9](<https://example.org/a#L1>)\n\n-# Automated answer"
    )
    assert own_answer(said) == "It is 16 [1], see [docs](https://example.org)."
    assert own_answer("Nothing.\n-# small print\n") == "Nothing."
