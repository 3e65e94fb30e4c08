"""Citations against the gold spans, against each other and against the stored files, worked out by hand."""

from __future__ import annotations

import pytest

from bot.evaluation.citing import answer_figures, citation_figures, declining_figures
from bot.types import Citation, DeclineReason
from fakes.evaluation import answer, case, citation, gold

LINES = {("a.py", 1, 3): "x\ny\nz", ("a.py", 5, 5): "   ", ("a.py", 1, 90): "x\n" * 90}


def stored(cited: Citation) -> str | None:
    return LINES.get((cited.path, cited.start_line, cited.end_line))


def link(cited: Citation) -> str:
    return f"https://x/{cited.path}#L{cited.start_line}-L{cited.end_line}"


def true(path: str, start: int, end: int, number: int = 1) -> Citation:
    return citation(path, start, end, f"https://x/{path}#L{start}-L{end}", number)


def test_answers_by_hand() -> None:
    wanted = case(gold("a.py", 10, 20), gold("b.py", 1, 5, primary=False))
    cited = answer(citation("a.py", 30, 40), citation("b.py", 1, 2), citation("b.py", 1, 2), citation("z.py", 1, 1, ""))
    assert answer_figures(wanted, cited) == {
        "broken_citations": 1,
        "duplicate_citations": 1,
        "answered": 1,
        "primary_cited": 0,
        "primary_file_cited": 1,
        "citation_precision": 0.75,
    }
    declining = answer_figures(case(answerable=False), answer(declined=True))
    assert declining == {"broken_citations": 0, "duplicate_citations": 0, "declined": 1}


def test_a_true_citation_has_no_fault() -> None:
    measured = citation_figures(answer(true("a.py", 1, 3)), stored, link)
    assert measured == {"false_citations": 0, "citation_lines": [3], "long_citations": [0], "citations": 1}


@pytest.mark.parametrize(
    "false",
    [
        true("a.py", 1, 4),  # lines that the file has not
        true("a.py", 5, 5),  # nothing but blanks
        true("gone.py", 1, 3),
        citation("a.py", 1, 3, "https://x/a.py#L1-L4"),  # a link to other lines
        citation("a.py", 1, 3, "https://x/a.py"),
    ],
)
def test_a_citation_that_is_not_what_is_stored_is_counted(false: Citation) -> None:
    assert citation_figures(answer(true("a.py", 1, 3), false), stored, link)["false_citations"] == 1


def test_long_citations_are_counted_and_declined_answers_need_none() -> None:
    measured = citation_figures(answer(true("a.py", 1, 90), true("a.py", 1, 3)), stored, link)
    assert measured["citation_lines"] == [90, 3] and measured["long_citations"] == [1, 0] and measured["citations"] == 2
    assert "citations" not in citation_figures(answer(declined=True), stored, link)


@pytest.mark.parametrize(
    ("given", "wanted", "figures"),
    [
        ("not_found", None, {"said:not_found": 1}),
        ("not_found", "unknown_name", {"said:not_found": 1, "declined:unknown_name": 1, "reason_right": 0}),
        ("out_of_scope", "out_of_scope", {"said:out_of_scope": 1, "declined:out_of_scope": 1, "reason_right": 1}),
    ],
)
def test_reasons(given: DeclineReason, wanted: DeclineReason | None, figures: dict[str, float]) -> None:
    asked = case(answerable=False, reason=wanted)
    assert declining_figures(asked, answer(declined=True, reason=given)) == figures


def test_an_answer_to_what_cannot_be_answered_counts_against_its_reason() -> None:
    assert declining_figures(case(answerable=False, reason="not_found"), answer()) == {"declined:not_found": 0}
    wrongly = declining_figures(case(gold("a.py", 1, 1)), answer(declined=True, reason="not_found"))
    assert wrongly == {"said:not_found": 1}
