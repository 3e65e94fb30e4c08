"""Measures of single questions become figures by kind of question, each with what it means in a line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Figures = dict[str, float]
Measures = Mapping[str, float | Sequence[float]]
"""What was measured on one question: a value, or one value for each thing counted (a name, a citation) by name."""

Better = Literal["higher", "lower", "neither"]
# A citation that is longer leaves the reader to search.
LONGEST_CITATION = 40


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def total(values: Sequence[float]) -> float:
    return float(sum(values))


def quantile(share: float) -> Callable[[Sequence[float]], float]:
    """The value that this share of the values lies below."""
    return lambda values: sorted(values)[min(int(len(values) * share), len(values) - 1)]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: which measure it is made of and how, and what a reader should know of it."""

    name: str
    meaning: str
    better: Better = "higher"
    measure: str = ""
    """Where the figure's own name is not the measure's."""
    of: Callable[[Sequence[float]], float] = mean

    @property
    def made_of(self) -> str:
        return self.measure or self.name


FIGURES = (
    Figure("file_hit@5", "questions with a primary file among the first five passages"),
    Figure("file_hit@10", "questions with a primary file among the first ten passages"),
    Figure("span_hit@10", "questions with a passage that overlaps a primary span"),
    Figure("recall@10", "primary spans overlapped, a question (1 if any, for alternatives)"),
    Figure("ndcg@10", "how early the primary files come, 1: first"),
    Figure("primary_cited", "answerable questions with a citation on a primary span"),
    Figure("primary_file_cited", "answerable questions with a citation in a primary file"),
    Figure("citation_precision", "citations that lie in a gold file, an answer"),
    Figure("fact_recall", "the question's facts that the answer's text supports"),
    Figure("fact_recall_cited", "the question's facts that the text or the lines it cites support"),
    Figure("answered", "answerable questions that were not declined"),
    Figure("declined", "unanswerable questions that were declined"),
    Figure("declined:not_found", "of these where the file says not_found"),
    Figure("declined:out_of_scope", "of these where the file says out_of_scope"),
    Figure("declined:unknown_name", "of these where the file says unknown_name"),
    Figure("reason_right", "declined ones whose reason is the file's"),
    Figure("said:not_found", "questions declined as not_found", "neither", of=total),
    Figure("said:out_of_scope", "questions declined as out_of_scope", "neither", of=total),
    Figure("said:unknown_name", "questions declined as unknown_name", "neither", of=total),
    Figure("unknown_names", "names in answers, unmarked, that are nowhere in the index", "lower", of=total),
    Figure("unknown_name_rate", "the same as a share of all names in answers", "lower", "unknown_names"),
    Figure("broken_citations", "citations without path, lines or link", "lower", of=total),
    Figure("duplicate_citations", "citations of lines already cited in the answer", "lower", of=total),
    Figure("false_citations", "citations whose lines or link are not the stored file's", "lower", of=total),
    Figure("misnumbered", "[n] without citation, citations unused or not in order of use", "lower", of=total),
    Figure("stray_links", "links, images and HTML in answers that no citation leads to", "lower", of=total),
    Figure("citations", "citations, an answer that was not declined", "neither"),
    Figure("citation_lines_p50", "lines of a citation, median", "lower", "citation_lines", quantile(0.5)),
    Figure("citation_lines_p90", "lines of a citation, 90th percentile", "lower", "citation_lines", quantile(0.9)),
    Figure("long_citations", f"citations of more than {LONGEST_CITATION} lines", "lower"),
    Figure("warned", "answers with a warning, as when the model failed", "lower"),
    Figure("p50_ms", "milliseconds until the whole answer (or search), median", "lower", "ms", quantile(0.5)),
    Figure("p95_ms", "milliseconds until the whole answer (or search), 95th percentile", "lower", "ms", quantile(0.95)),
    Figure("first_p50_ms", "milliseconds until the first words, median", "lower", "first_ms", quantile(0.5)),
    Figure("first_p95_ms", "milliseconds until the first words, 95th percentile", "lower", "first_ms", quantile(0.95)),
    Figure("prompt_tokens", "tokens the model read, an answer", "lower"),
    Figure("completion_tokens", "tokens the model wrote, an answer", "lower"),
)
"""Every figure, in the order in which they are shown."""

_MEASURED = {figure.made_of for figure in FIGURES}


def summarise(rows: Iterable[tuple[str, Measures]]) -> dict[str, Figures]:
    """Figures by kind, and ALL, each with its number of questions `n`. What no figure is made of is a mean."""
    groups: dict[str, list[Measures]] = defaultdict(list)
    for kind, measures in rows:
        groups[kind].append(measures)
        groups["ALL"].append(measures)
    return {kind: {"n": len(group)} | _figures(group) for kind, group in sorted(groups.items())}


def known(name: str) -> Figure:
    """The figure of this name; one that nobody described is the mean of its measure."""
    return next((figure for figure in FIGURES if figure.name == name), Figure(name, ""))


def values_of(measures: Measures, name: str) -> Sequence[float]:
    """The values of one measure of one question; none when it was not measured."""
    found = measures.get(name, ())
    return (found,) if isinstance(found, int | float) else found


def _figures(group: Sequence[Measures]) -> Figures:
    others = dict.fromkeys(name for measures in group for name in measures if name not in _MEASURED)
    figures: Figures = {}
    for figure in (*FIGURES, *map(known, others)):
        if values := [value for measures in group for value in values_of(measures, figure.made_of)]:
            figures[figure.name] = round(figure.of(values), 3)
    return figures
