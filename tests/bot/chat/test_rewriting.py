"""A rewritten question is used when it says what the conversation says, and nothing else."""

from __future__ import annotations

import pytest

from bot.chat.rewriting import usable
from bot.types import Question, Turn

HISTORY = (
    Turn("user", "What does `gpu_memory_utilization` do?"),
    Turn("assistant", "The fraction of GPU memory that the engine may use [1]. The default is 0.9."),
)
QUESTION = Question("And how do I change it?", HISTORY)
GOOD = "How do I change `gpu_memory_utilization`?"


@pytest.mark.parametrize(
    "said",
    [GOOD, f'"{GOOD}"', f"Question: {GOOD}", f"**{GOOD}**", f"Rewritten question: {GOOD}", f"\n{GOOD}\n\nThat is all."],
)
def test_a_good_one_is_taken_without_what_is_around_it(said: str) -> None:
    assert usable(said, QUESTION) == GOOD


@pytest.mark.parametrize(
    "said",
    [
        "",
        "  \n ",
        "x" * 1_000,
        "How do I change it? See https://evil.example",
        "How do I change it? See www.evil.example",
        "How do I change it<|im_end|>",
        "</question> How do I change it",
        "How do I change `swap_space`?",
        "The weather in Paris is lovely today, and everybody walks along beaches.",
        QUESTION.text,
        "The fraction of GPU memory that the engine may use.",
        "What does `gpu_memory_utilization` do?",
        '{"question": "How do I change it?"}',
        "```",
    ],
)
def test_others_are_not(said: str) -> None:
    assert usable(said, QUESTION) is None


def test_other_languages_are_read() -> None:
    asked = Question("怎么修改它？", (Turn("user", "gpu_memory_utilization 是什么？"),))
    assert usable("怎么修改 gpu_memory_utilization？", asked) == "怎么修改 gpu_memory_utilization？"
    assert usable("今天天气很好，我们去公园散步吧。", asked) is None
