"""A message with several questions is searched for each."""

from __future__ import annotations

import pytest

from bot.parts import MOST_PARTS, OF_PART, OF_WHOLE, merged, questions_in
from fakes.found import passage


@pytest.mark.parametrize(
    "message",
    [
        "Where is the block table kept?",
        "It fails at start. What does the watermark limit do?",
        "What does the watermark limit do? Why?",  # the second says nothing alone
        "Thanks!",
        "",
    ],
)
def test_a_message_with_one_question_is_asked_whole(message: str) -> None:
    assert questions_in(message) == []


def test_each_question_of_a_message_is_one() -> None:
    message = "Hello.\n- Where is the block table kept?\n- Which flag sets the swap space? Thanks"
    assert questions_in(message) == ["Where is the block table kept?", "Which flag sets the swap space?"]


def test_questions_without_blanks_between_words_are_told_by_their_marks() -> None:
    assert questions_in("num_blocks 在哪里 分配 内存？swap_space 参数 默认 多少？") != []


def test_a_long_list_of_questions_is_cut() -> None:
    message = " ".join(f"Where is the table number {n} kept now?" for n in range(10))
    assert len(questions_in(message)) == MOST_PARTS


def test_what_the_questions_find_comes_after_the_best_of_the_whole() -> None:
    whole = [passage(number) for number in range(1, 11)]
    part = [passage(number, path=f"part{number}.py") for number in range(1, 6)]
    found = merged(whole, [part], 10)
    assert [p.path for p in found[:OF_WHOLE]] == [p.path for p in whole[:OF_WHOLE]]
    assert [p.path for p in found[OF_WHOLE : OF_WHOLE + OF_PART]] == ["part1.py", "part2.py"]
    assert len(found) == 10 and [p.score for p in found] == sorted((p.score for p in found), reverse=True)


def test_nothing_is_found_twice() -> None:
    whole = [passage(1), passage(2)]
    assert [p.path for p in merged(whole, [[passage(2), passage(3)]], 10)] == ["src/p1.py", "src/p2.py", "src/p3.py"]
