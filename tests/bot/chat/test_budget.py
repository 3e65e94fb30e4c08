"""What is sent fits, is the best of what there is, and is cut at whole lines that are still those of the file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.chat import prompt
from bot.chat.budget import LEAST_LINES, MARGIN_TOKENS, Offer, composed, first_lines, fitting, latest, shortened
from bot.types import Passage, Question, Turn
from fakes.found import ORIGIN, found, passage
from fakes.openai_wire import tokens
from indexer.permalink import permalink

RULES = "Answer."
LINES = "\n".join(f"x{number} = {number} + y" for number in range(100))
QUESTION = Question("What is the size?")


async def measured(texts: Sequence[str]) -> Sequence[int]:
    return [len(tokens(text)) for text in texts]


async def unmeasured(texts: Sequence[str]) -> Sequence[int]:
    raise AssertionError("what must fit is not measured")


def offer(room: int, question: Question = QUESTION, *passages: Passage) -> Offer:
    return asyncio.run(composed(question, found(*passages), RULES, room, measured))


def size(given: Offer) -> int:
    return len(tokens(given.prompt.system)) + len(tokens(given.prompt.user))


def lines_are_the_files(given: Passage, text: str) -> bool:
    lines = text.split("\n")[given.start_line - 1 : given.end_line]
    url = permalink(ORIGIN, given.path, given.start_line, given.end_line)
    return given.text == "\n".join(lines) and given.url == url


def test_what_must_fit_is_not_measured() -> None:
    given = asyncio.run(composed(QUESTION, found(), RULES, 8_192, unmeasured))
    assert given.passages == found().passages


def test_the_best_passages_are_kept_and_the_last_is_cut_at_a_line() -> None:
    passages = [passage(number, LINES) for number in range(1, 9)]
    given = offer(2_000, QUESTION, *passages)
    assert 1_600 < size(given) <= 2_000
    *whole, last = given.passages
    assert whole == passages[: len(whole)] and LEAST_LINES <= last.text.count("\n") + 1 < 100
    assert lines_are_the_files(last, LINES)
    assert f'lines="1-{last.end_line}"' in given.prompt.user


def test_a_smaller_passage_takes_the_place_of_one_that_cannot_be_cut() -> None:
    notebook = passage(2, LINES, path="a.ipynb", language="notebook")
    passages = [passage(1, LINES[:200]), notebook, passage(3, "y = 2")]
    assert [given.path for given in offer(700, QUESTION, *passages).passages] == ["src/p1.py", "src/p3.py"]


@pytest.mark.parametrize("language", ["python", "notebook"])
def test_there_is_always_one_passage(language: str) -> None:
    given = offer(120, QUESTION, passage(1, LINES, language=language), passage(2, LINES))
    assert len(given.passages) == 1
    assert given.passages[0].start_line == 1


def test_a_pasted_log_leaves_room_for_passages_and_keeps_its_ends() -> None:
    log = "Why does it fail?\n" + LINES * 20 + "\nValueError: the end"
    given = offer(2_000, Question(log), passage(1, LINES[:300]), passage(2, LINES))
    assert size(given) <= 2_000 and given.passages
    assert "Why does it fail?" in given.prompt.user and "ValueError: the end" in given.prompt.user
    assert "…" in given.prompt.user


TURNS = tuple(Turn("user", f"turn number {number} " + "word " * 30, "ada") for number in range(1, 40))


def test_a_long_thread_loses_its_first_turns_whole() -> None:
    given = offer(2_000, Question("why?", TURNS), passage(1, LINES), passage(2, LINES))
    assert size(given) <= 2_000
    kept = [int(number) for number in re.findall(r"turn number (\d+) ", given.prompt.user)]
    assert kept == list(range(kept[0], 40)) and 1 < kept[0] < 40
    assert f"({kept[0] - 1} before these left out)" in given.prompt.user
    assert given.prompt.user.count("word ") >= len(kept) * 29


def test_one_endless_turn_is_cut_in_its_middle() -> None:
    history = (Turn("user", "first"), Turn("user", f"BEGIN {LINES * 9} END"))
    given = offer(2_000, Question("why?", history), passage(1, LINES))
    assert size(given) <= 2_000
    assert (
        "BEGIN" in given.prompt.user and "END" in given.prompt.user and "(1 before these left out)" in given.prompt.user
    )


def test_a_prompt_that_was_too_long_has_half_of_the_passages_and_the_whole_question() -> None:
    passages = [passage(number, LINES[:400]) for number in range(1, 7)]
    whole = offer(8_192, QUESTION, *passages)
    half = asyncio.run(composed(QUESTION, found(*passages), RULES, 8_192, measured, halved=True))
    assert whole.passages == tuple(passages) and 2 <= len(half.passages) <= 3
    assert size(half) < 0.6 * size(whole) and QUESTION.text in half.prompt.user


def test_no_thread_takes_no_room() -> None:
    assert latest((), (), (), 100) == ("", 0)


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=6),
    st.integers(-50, 3_000),
    st.lists(st.sampled_from(["python", "notebook", "markdown"]), min_size=6, max_size=6),
)
def test_whatever_the_room_what_is_offered_is_of_the_file(lengths: list[int], room: int, languages: list[str]) -> None:
    texts = ["\n".join(f"{n} = x" for n in range(length)) for length in lengths]
    passages = [passage(at, text, language=languages[at - 1]) for at, text in enumerate(texts, start=1)]
    sizes = [len(tokens(prompt.passage(1, given))) for given in passages]
    offered = fitting(passages, sizes, room, ORIGIN)
    assert offered
    assert all(lines_are_the_files(one, texts[int(one.path[5:-3]) - 1]) for one in offered)
    assert sum(sizes[passages.index(one)] for one in offered if one in passages) <= max(room, sizes[0])


@given(
    st.lists(
        st.tuples(st.integers(1, 80), st.sampled_from(["x", "x = {1: [2]}", "a b c d e f"])), min_size=1, max_size=6
    ),
    st.integers(400, 3_000),
    st.integers(0, 30),
)
@settings(deadline=None, max_examples=50)
def test_what_is_composed_fits(lengths: list[tuple[int, str]], room: int, turns: int) -> None:
    passages = [passage(at, "\n".join([line] * length)) for at, (length, line) in enumerate(lengths, start=1)]
    assert size(offer(room, Question("Why so?", TURNS[:turns]), *passages)) <= room


@given(st.text(alphabet="a \n"), st.integers(-2, 9))
def test_a_cut_passage_ends_in_a_line_that_says_something(text: str, most: int) -> None:
    cut = first_lines(passage(1, text), most, ORIGIN)
    assert lines_are_the_files(cut, text)
    assert cut.end_line == 1 or cut.text.split("\n")[-1].strip()


@given(st.text(max_size=200), st.integers(1, 300), st.integers(-5, 300))
def test_a_shortened_text_is_within_its_share(text: str, size: int, room: int) -> None:
    cut = shortened(text, size, room)
    assert cut == text if size <= room else len(cut) <= max(1, len(text) * max(room, 1) / size)


def test_the_margin_covers_what_a_template_adds() -> None:
    assert MARGIN_TOKENS >= 50
