from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.report.gist import gist


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("How do I delay a job?", "How do I delay a job?"),
        ("Hi all, how do I delay a job? Thanks a lot!", "how do I delay a job?"),
        ("I run Ferry 1.2 on two machines. How do I delay a job? It is urgent.", "How do I delay a job?"),
        ("**Bug** workers stop\n\n```\nTraceback: why?\n```\nwhat can I do about it?", "what can I do about it?"),
        ("workers stop <!-- fill in the template? --> at night", "workers stop  at night"),
        ("怎么在多台机器上部署？谢谢", "怎么在多台机器上部署？"),
        ("hi", "hi"),
        ("why?", "why?"),
        ("```\nonly a log\n```", "```\nonly a log\n```"),
    ],
)
def test_what_a_message_asks(message: str, asked: str) -> None:
    assert gist(message).split() == asked.split()


def test_a_message_without_a_question_begins_with_what_it_is_about() -> None:
    found = gist("The worker stops. " + "I tried everything that I could think of. " * 20)
    assert found.startswith("The worker stops. I tried") and len(found) < 300


@given(st.text(min_size=1))
def test_something_is_left_of_something(message: str) -> None:
    assert gist(message) or not message.strip()
