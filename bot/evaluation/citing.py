"""An answer's citations become the figures of one question: against its gold spans, against each other, against the
stored files."""

from __future__ import annotations

from collections.abc import Callable

from bot.evaluation.figures import LONGEST_CITATION, Figures, Measures
from bot.evaluation.questions import Case
from bot.types import Answer, Citation

Stored = Callable[[Citation], str | None]
"""The text of a citation's lines as the index has them, or None when the file has no such lines."""


def answer_figures(case: Case, answer: Answer) -> Figures:
    """Whether an answer cites what it should, and declines what it should."""
    cited = answer.citations
    spans = {(c.path, c.start_line, c.end_line) for c in cited}
    figures: Figures = {
        "broken_citations": float(sum(not (c.path and c.start_line and c.end_line and c.url) for c in cited)),
        "duplicate_citations": float(len(cited) - len(spans)),
    }
    if not case.answerable:
        return figures | {"declined": float(answer.declined)}
    files = {gold.path for gold in case.gold}
    figures |= {
        "answered": float(not answer.declined),
        "primary_cited": float(any(gold.hit_by(c) for c in cited for gold in case.primary)),
        "primary_file_cited": float(any(c.path == gold.path for c in cited for gold in case.primary)),
    }
    if cited:
        figures["citation_precision"] = sum(c.path in files for c in cited) / len(cited)
    return figures


def declining_figures(case: Case, answer: Answer) -> Figures:
    """Which reason was given, and whether it is the one that the question file gives."""
    figures: Figures = {}
    if answer.declined:
        figures[f"said:{answer.reason}"] = 1.0
    if not case.answerable and case.reason:
        figures[f"declined:{case.reason}"] = float(answer.declined)
        if answer.declined:
            figures["reason_right"] = float(answer.reason == case.reason)
    return figures


def citation_figures(answer: Answer, stored: Stored, link: Callable[[Citation], str]) -> Measures:
    """How many and how long the citations are, and how many are not what the index has: lines that the file has not,
    or nothing but blank ones, or a link that is not the permanent one of exactly these lines."""
    lines = [float(c.end_line - c.start_line + 1) for c in answer.citations]
    measures: Measures = {
        "false_citations": float(sum(not (stored(c) or "").strip() or c.url != link(c) for c in answer.citations)),
        "citation_lines": lines,
        "long_citations": [float(count > LONGEST_CITATION) for count in lines],
    }
    return measures if answer.declined else {**measures, "citations": float(len(lines))}
