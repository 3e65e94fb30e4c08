"""Where the new numbers of a sentence stand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bot.grounding.numbers import normal, shown
from bot.grounding.sentence import closed, marked, spoken, with_marks
from bot.markdown import Node, markdown, parse, plain


def inline(text: str) -> tuple[Node, ...]:
    return normal(node for block in parse(text).children for node in block.children)


def written(nodes: Sequence[Node]) -> str:
    return markdown(Node("paragraph", tuple(nodes)))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One [1]. Two [2].", ["One [1]. ", "Two [2]."]),
        ("One. [1] Two. [2]", ["One. [1] ", "Two. [2] "]),
        ("One.\n[1]\n\n", ["One. [1] "]),
        ("One.\n[1] Two.", ["One.\n", "[1] Two."]),
        ("一 [1]。二。[2]", ["一 [1]。", "二。[2]"]),
        ("[1] One. [2] Two.", ["[1] One. ", "[2] Two."]),
        ("[1] One. Two [2].", ["[1] One. ", "Two [2]."]),
        ("`ab`. `cd`", ["ab. ", "cd"]),
        ("Es gibt z. B. Blöcke. Das ist, d. h. Seiten, so.", ["Es gibt z. B. Blöcke. ", "Das ist, d. h. Seiten, so."]),
        ("Es sind max. 16 bzw. Seiten. So.", ["Es sind max. 16 bzw. Seiten. ", "So."]),
        ("т. е. Размер. Да.", ["т. е. Размер. ", "Да."]),
    ],
)
def test_sentences_keep_their_citations(text: str, sentences: list[str]) -> None:
    assert [plain(sentence) for sentence in spoken(inline(text))] == sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 16 [2].", "It is 16 [2]."),
        ("It is 16. [2] ", "It is 16 [2]."),
        ("It is 16[2]", "It is 16 [2]"),
        ("It is `16`. [2][3]", "It is `16` [2][3]."),
        ("It is **16.** [2]", "It is **16.** [2]"),
        ("16 [2] or 17 [3].", "16 [2] or 17 [3]."),
        ("Wait... [2]", "Wait [2]..."),
        ("是 16。[2]", "是 16 [2]。"),
        ("So [2]:", "So [2]:"),
        ('He said "16." [2]', 'He said "16." [2]'),
    ],
)
def test_marks_at_the_end_stand_before_the_full_stop(text: str, expected: str) -> None:
    assert written(marked(inline(text), shown)).replace("&#32;", "") == expected


def test_numbering_is_asked_in_reading_order_and_once_more_at_the_end() -> None:
    asked: list[list[int]] = []

    def note(numbers: Sequence[int]) -> str:
        asked.append(list(numbers))
        return "" if numbers else "[9]"

    assert written(marked(inline("One [3] or two [1]. [2]"), note)) == "One or two [9]."
    assert asked == [[3], [1], [2], []]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 16.", "It is 16 [1]."),
        ("It is `16`", "It is `16` [1]"),
        ("It is **16.**", "It is **16.** [1]"),
        ("Is it?!", "Is it [1]?!"),
        ("So:", "So [1]:"),
        ("", "[1]"),
    ],
)
def test_marks_come_last(text: str, expected: str) -> None:
    assert written(with_marks(inline(text), "[1]")).replace("&#32;", "") == expected
    assert with_marks(inline(text), "") == inline(text)


def test_what_announces_nothing_any_more_ends_in_a_full_stop() -> None:
    for text, expected in (("So [1]:", "So [1]."), ("So: [1]", "So. [1]"), ("So.", "So."), ("- So:", "- So:")):
        assert markdown(Node("document", closed(parse(text).children))) == expected
    assert closed(()) == ()


def test_long_texts_take_no_longer_than_they_are() -> None:
    for text in ("[1]" * 6_000, "a " * 10_000 + "[1]", " " * 20_000, "." * 20_000, "[1]. " * 4_000):
        for sentence in spoken(normal([Node("text", text=text)])):
            marked(sentence, shown)
