"""A model's thoughts never reach its reader, however they are marked and wherever the stream is cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.thoughts import ThoughtAloud, Thoughts


def said(*pieces: str, unopened: bool = False) -> str:
    thoughts = Thoughts(unopened)
    return "".join([thoughts.feed(piece) for piece in pieces]) + thoughts.finish()


def cut(text: str, at: list[int]) -> list[str]:
    edges = sorted({0, len(text), *(edge % (len(text) + 1) for edge in at)})
    return [text[start:end] for start, end in pairwise(edges)]


THOUGHT = [
    ("<think>\nsecret plan\n</think>\n\n16 [1].", "16 [1]."),
    ("\n<think>secret</think>16", "16"),
    ("[THINK]secret[/THINK] 16", "16"),
    ("◁think▷secret◁/think▷16", "16"),
    ("<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>final<|message|>16", "16"),
    ("<thinking>secret</thinking>\n16", "16"),
    ("<think>secret, cut off", ""),
    ("<thin ice> is no thought", "<thin ice> is no thought"),
    ("The `<think>` mark opens, and\n</think>\ncloses.", "The `<think>` mark opens, and\n</think>\ncloses."),
    ("It ends with `</think>`.", "It ends with `</think>`."),
    ("  16", "  16"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "wanted"), THOUGHT)
@given(at=st.lists(st.integers(0, 200), max_size=5))
def test_thoughts_are_taken_out(text: str, wanted: str, at: list[int]) -> None:
    assert said(*cut(text, at)) == wanted
    assert said(*text) == wanted


def test_what_is_no_thought_comes_at_once() -> None:
    thoughts = Thoughts()
    assert [thoughts.feed(piece) for piece in ("It", " is", " 16")] == ["It", " is", " 16"]


@given(at=st.lists(st.integers(0, 200), max_size=5))
def test_thoughts_that_nothing_opened_are_found_out_and_held_from_then_on(at: list[int]) -> None:
    text = "secret plan\n</think>\n\n16 [1]."
    with pytest.raises(ThoughtAloud):
        said(*cut(text, at))
    assert said(*cut(text, at), unopened=True) == "16 [1]."
    assert said("secret", unopened=True) == ""


def test_a_reply_that_is_all_thought_is_found_out_at_its_end() -> None:
    with pytest.raises(ThoughtAloud):
        said("secret plan\n</think>")


@given(st.text(alphabet="ab\n <>/think[]THINK`"))
def test_any_text_is_given_whole_or_without_its_thoughts(text: str) -> None:
    try:
        assert said(*text) == said(text)
    except ThoughtAloud:
        with pytest.raises(ThoughtAloud):
            said(text)
