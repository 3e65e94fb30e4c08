"""What a model thought is not what it answered, and an answer about thoughts is one."""

from __future__ import annotations

import pytest
from hypothesis import given

from bot.markdown import markdown
from bot.rendering.characters import visible
from bot.rendering.safety import safe
from bot.rendering.thoughts import parse_answer
from fakes.markdown import hostile


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>Hm.</think>It is 16.", "It is 16."),
        ("<think>\n```py\nopen\n</think>\nIt is 16.", "It is 16."),
        ("<think>a</think><think>b</think> It is 16.", "It is 16."),
        ("  <THINK>never closed\n\nIt is 16.", ""),
        ("Let me see.\n\n- a\n\n</think>\n\nIt is 16.", "It is 16."),
        ("Let me see.</think>\nIt is 16.", "It is 16."),
        ("It [THINK]b\n\nc[/THINK] is.", "It\n\nis."),
        ("◁think▷a◁/think▷b", "b"),
        ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>It is 16.", "It is 16."),
        ("| a |\n|---|\n| <think>b |\n\n> c</think>\n\nd", "| a |\n|---|\n\nd"),
    ],
)
def test_thoughts_are_gone(text: str, answer: str) -> None:
    assert safe(text, ()) == answer


@pytest.mark.parametrize(
    "text",
    [
        "`<think>` and `</think>` wrap it.",
        "```\n<think>\nx\n</think>\n```\n\nEnd.",
        "It ends with </think> and goes on.",
        "The <think> tag opens it.",
    ],
)
def test_what_is_said_about_thoughts_stays(text: str) -> None:
    assert markdown(parse_answer(text)) == text


@given(hostile)
def test_no_sentinel_is_left(text: str) -> None:
    assert not {"\ufdd0", "\ufdd1"} & set(markdown(parse_answer(visible(text))))
