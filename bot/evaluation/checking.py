"""One answer with what its question asks for becomes its measures, and what a person wants to see of its faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from bot.evaluation.citing import answer_figures, citation_figures, declining_figures
from bot.evaluation.facts import Proof, fact_figures
from bot.evaluation.figures import Measures
from bot.evaluation.indexed import Indexed
from bot.evaluation.links import link_figures, stray_links
from bot.evaluation.markup import pieces
from bot.evaluation.naming import Written, written
from bot.evaluation.questions import Case
from bot.types import Answer


@dataclass(frozen=True, slots=True)
class Given:
    """An answer with the milliseconds until its first words and its end."""

    answer: Answer
    first_ms: float | None
    ms: float


def names_of(case: Case, answer: Answer) -> Written:
    """The names that an answer writes."""
    return written(pieces(answer.answer), case.question.text)


def measures(case: Case, given: Given, indexed: Indexed) -> tuple[Measures, Mapping[str, object]]:
    """The measures of one answer; then which facts it supports, and the names and links that are at fault."""
    answer = given.answer
    shown = pieces(answer.answer)
    proof = Proof.of(answer.answer, [indexed.stored(citation) or "" for citation in answer.citations])
    names = names_of(case, answer)
    unknown = names.faults(indexed.unknown(names.names))
    measured: Measures = {
        **answer_figures(case, answer),
        **declining_figures(case, answer),
        **citation_figures(answer, indexed.stored, indexed.link),
        **link_figures(answer, shown),
        **fact_figures(case.facts, proof),
        **cost_figures(given),
        "unknown_names": [float(name in unknown) for name in names.names],
        "warned": float(bool(answer.warnings)),
    }
    details = {
        "facts": [{"fact": fact, "said": proof.says(fact), "cited": proof.shows(fact)} for fact in case.facts],
        "unknown_names": unknown,
        "stray_links": stray_links(answer, shown),
        "answer": asdict(answer),
    }
    return measured, details


def cost_figures(given: Given) -> Measures:
    """Times, and the tokens that the model's server counted, where an answer tells them."""
    usage = getattr(given.answer, "usage", None)
    tokens = {"prompt_tokens": float(usage.prompt), "completion_tokens": float(usage.completion)} if usage else {}
    first = {} if given.first_ms is None else {"first_ms": given.first_ms}
    return {"ms": given.ms, **first, **tokens}
