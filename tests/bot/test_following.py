"""Which questions go on with what was said before."""

from __future__ import annotations

import pytest

from bot.following import follows_up
from bot.retrieval import LONGEST_REMINDER, standalone
from bot.types import Question, Turn

WHOLE = "How does the page pool choose which request to evict when all of the pages are pinned?"
THREAD = (
    Turn("user", "the queue stops" + " and stops" * 200, "ada"),
    Turn("assistant", "It waits for a page."),
    Turn("user", "same here", "bo"),
)


@pytest.mark.parametrize(
    "question",
    [
        "and with two workers?",
        "what about the pages that are pinned while the pool is being resized?",
        "OK, but which of the two settings wins when both the file and the flag give one?",
        "why?",
        "",
        "那 ROCm 呢？",
        "why not 16?\n\nAbout `engine/memory/page_pool.py` lines 10-12.",
    ],
)
def test_what_goes_on(question: str) -> None:
    assert follows_up(question)


@pytest.mark.parametrize(
    "question", [WHOLE, "Butter and orange settings of the theme file are ignored by the exporter, why?"]
)
def test_what_stands_alone(question: str) -> None:
    assert not follows_up(question)


def test_a_whole_question_is_searched_for_alone() -> None:
    assert standalone(Question(WHOLE, THREAD)) == WHOLE


def test_a_thread_says_what_it_is_about_by_its_beginning() -> None:
    began, last, answered = THREAD[0].content[:LONGEST_REMINDER], "same here", "It waits for a page."
    assert standalone(Question("and why?", THREAD)) == "\n".join(("and why?", began, last, answered))
    assert standalone(Question("and why?", THREAD[:1])) == f"and why?\n{began}"
