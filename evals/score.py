"""Mined questions are searched, and become the figures of `repopilot eval` by package and kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from bot.evaluation import TOP, Figures, retrieval_figures, summarise
from bot.retrieval import Retriever
from bot.types import Passage
from evals.questions import Asked
from indexer.embedding import Embedder
from indexer.stores import Stores

COLUMNS = ("n", "file_hit@5", "file_hit@10", "span_hit@10", "recall@10", "ndcg@10")
# Passages asked for beyond the first ten for each path that is dropped, as no file has more in a result.
SPARE = 5

Rankings = Mapping[str, Sequence[Passage]]
"""The first ten passages by question id."""


def retriever(home: Path, embedder: Embedder) -> Retriever:
    """Searches the newest version in an index folder."""
    return Retriever(Stores(home), embedder)


def search(asked: Iterable[Asked], of_package: Callable[[str], Retriever]) -> dict[str, list[Passage]]:
    """The first ten passages that count, by question id."""
    found: dict[str, list[Passage]] = {}
    for package, case, exclude in asked:
        passages = of_package(package).search(case.question, TOP + SPARE * len(exclude)).passages
        found[case.id] = [passage for passage in passages if passage.path not in exclude][:TOP]
    return found


def figures(asked: Sequence[Asked], found: Rankings) -> dict[str, dict[str, Figures]]:
    """Figures by package (and ALL) by kind (and ALL); ALL/ALL is the mean over questions."""
    rows: dict[str, list[tuple[str, Figures]]] = defaultdict(list)
    for package, case, _ in asked:
        row = (case.kind, retrieval_figures(case, found[case.id]))
        rows[package].append(row)
        rows["ALL"].append(row)
    return {package: summarise(of_package) for package, of_package in rows.items()}


def table(scored: Mapping[str, Mapping[str, Figures]]) -> str:
    """The figures as a Markdown table."""
    lines = [f"| package | kind | {' | '.join(COLUMNS)} |", "|---|---|" + "---|" * len(COLUMNS)]
    for package, by_kind in scored.items():
        for kind, values in by_kind.items():
            shown = [str(int(values["n"])), *(f"{values[name]:.3f}" for name in COLUMNS[1:])]
            lines.append(f"| {package} | {kind} | {' | '.join(shown)} |")
    return "\n".join(lines)
