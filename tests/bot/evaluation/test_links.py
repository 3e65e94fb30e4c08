"""Links that no citation leads to, and faults of numbering."""

from __future__ import annotations

import pytest

from bot.evaluation.links import link_figures
from bot.evaluation.markup import pieces
from bot.types import Answer
from fakes.evaluation import answer, citation

ONE, TWO = citation("a.py", 1, 3, "https://x/a", 1), citation("b.py", 1, 3, "https://x/b", 2)


def measured(given: Answer) -> tuple[float, float]:
    figures = link_figures(given, pieces(given.answer))
    return figures["stray_links"], figures["misnumbered"]


@pytest.mark.parametrize(
    "text",
    [
        "First [1], then [2], again [1].",
        "[[1]](https://x/a) and [2]",
        "> quoted [1]\n\n- item [2]",
        "[1][2] <!-- id -->",
    ],
)
def test_an_answer_without_faults(text: str) -> None:
    assert measured(answer(ONE, TWO, text=text)) == (0, 0)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("See https://evil.example [1][2].", (1, 0)),
        ("![x](https://x/a.png) [1][2]", (1, 0)),
        ("<b>[1]</b> [2]", (2, 0)),
        ("[1]: https://evil.example\n\n[1] [2]", (1, 1)),  # the reference makes [1] a link to it
        ("Only [1].", (0, 1)),
        ("[1] [2] [3]", (0, 1)),
        ("[2] then [1]", (0, 1)),
        ("[1] `[2]`", (0, 1)),
        ("[1]\n\n```\n[2]\n```", (0, 1)),
        ("", (0, 2)),
    ],
)
def test_faults_are_counted(text: str, faults: tuple[float, float]) -> None:
    assert measured(answer(ONE, TWO, text=text)) == faults


def test_citations_must_be_numbered_from_one() -> None:
    assert measured(answer(TWO, text="[2]")) == (0, 1)
