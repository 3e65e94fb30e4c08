"""Question files become figures: what a person would find in the first ten passages, and what answers cite.

A question names gold spans: `path`, `start_line`..`end_line`, `primary` for those a good answer surely cites; with
`alternatives` any one primary span is enough. A passage or citation hits a span when paths are equal and lines overlap.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.types import Answer, Citation, Passage, Question, Turn
from indexer.errors import RepoPilotError

if TYPE_CHECKING:
    from bot.app import App

Figures = dict[str, float]
# Counted over all questions; every other figure is a mean.
SUMS = ("broken_citations", "duplicate_citations")
TOP = 10


class QuestionFileError(RepoPilotError):
    """A question file cannot be read; the message names the file and line."""


@dataclass(frozen=True, slots=True)
class Gold:
    path: str
    start_line: int
    end_line: int
    primary: bool

    def hit_by(self, place: Passage | Citation) -> bool:
        return self.overlaps(place.path, place.start_line, place.end_line)

    def overlaps(self, path: str, start_line: int, end_line: int) -> bool:
        return path == self.path and start_line <= self.end_line and end_line >= self.start_line


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    kind: str
    question: Question
    answerable: bool
    alternatives: bool
    gold: tuple[Gold, ...]

    @property
    def primary(self) -> Sequence[Gold]:
        return [gold for gold in self.gold if gold.primary] or self.gold


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`figures` by kind of question and for ALL; `misses` are questions with what came back."""

    figures: dict[str, Figures]
    misses: Sequence[Mapping[str, object]]


def evaluate(app: App, files: Iterable[Path], *, asking: bool) -> Evaluation:
    """Run every question of the files. Raises QuestionFileError, and what searching or asking raises."""
    cases = [case for file in files for case in read_cases(file)]
    return asyncio.run(_score_answers(app, cases)) if asking else _score_searches(app, cases)


def read_cases(file: Path) -> list[Case]:
    """The questions of a file, one JSON object a line. Raises QuestionFileError."""
    try:
        lines = file.read_text(encoding="utf-8").split("\n")  # JSON may hold the other line ends as they are
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionFileError(f"{file} cannot be read ({error}).") from error
    return [_case(line, f"{file}:{number}") for number, line in enumerate(lines, start=1) if line.strip()]


def retrieval_figures(case: Case, passages: Sequence[Passage]) -> Figures:
    """Figures of one answerable question over its first ten passages."""
    top = passages[:TOP]
    files = {gold.path for gold in case.primary}
    hits = [any(gold.hit_by(passage) for passage in top) for gold in case.primary]
    return {
        "file_hit@5": float(any(passage.path in files for passage in top[:5])),
        "file_hit@10": float(any(passage.path in files for passage in top)),
        "span_hit@10": float(any(hits)),
        "recall@10": float(any(hits)) if case.alternatives else sum(hits) / len(hits),
        "ndcg@10": _ndcg([passage.path for passage in top], files, 1 if case.alternatives else len(files)),
    }


def answer_figures(case: Case, answer: Answer) -> Figures:
    """Figures of one question's answer."""
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


def summarise(rows: Iterable[tuple[str, Figures]]) -> dict[str, Figures]:
    """Figures by kind, and ALL, each with its number of questions `n`."""
    groups: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for kind, figures in rows:
        for name, value in figures.items():
            groups[kind][name].append(value)
            groups["ALL"][name].append(value)
    return {
        kind: {"n": max(map(len, figures.values()))} | {name: _mean(name, values) for name, values in figures.items()}
        for kind, figures in sorted(groups.items())
    }


def _ndcg(paths: Sequence[str], wanted_files: set[str], wanted: int) -> float:
    """File-level: gain 1 for each new wanted file, ideally those files first."""
    firsts = [rank for rank, path in enumerate(paths) if path in wanted_files and path not in paths[:rank]]
    gain = sum(1 / math.log2(rank + 2) for rank in firsts[:wanted])
    return gain / sum(1 / math.log2(rank + 2) for rank in range(min(TOP, wanted)))


def _score_searches(app: App, cases: Sequence[Case]) -> Evaluation:
    rows, misses, times = list[tuple[str, Figures]](), list[Mapping[str, object]](), list[float]()
    for case in cases:
        if not case.answerable:
            continue
        started = time.perf_counter()
        passages = app.retriever.search(case.question, TOP).passages
        times.append((time.perf_counter() - started) * 1000)
        rows.append((case.kind, retrieval_figures(case, passages)))
        if rows[-1][1]["span_hit@10"] < 1:
            misses.append(_miss(case, [f"{p.path}:{p.start_line}-{p.end_line}" for p in passages]))
    return _evaluation(rows, misses, times)


async def _score_answers(app: App, cases: Sequence[Case]) -> Evaluation:
    rows, misses, times = list[tuple[str, Figures]](), list[Mapping[str, object]](), list[float]()
    for case in cases:
        started = time.perf_counter()
        answer = await app.answerer.answer(case.question)
        times.append((time.perf_counter() - started) * 1000)
        rows.append((case.kind, answer_figures(case, answer)))
        if rows[-1][1].get("primary_cited", rows[-1][1].get("declined", 1.0)) < 1:
            misses.append(_miss(case, asdict(answer)))
    return _evaluation(rows, misses, times)


def _evaluation(
    rows: Sequence[tuple[str, Figures]], misses: Sequence[Mapping[str, object]], times: Sequence[float]
) -> Evaluation:
    figures = summarise(rows)
    if times:
        ordered = sorted(times)
        figures["ALL"]["p50_ms"] = round(ordered[len(ordered) // 2], 1)
        figures["ALL"]["p95_ms"] = round(ordered[int(len(ordered) * 0.95)], 1)
    return Evaluation(figures, misses)


def _miss(case: Case, came_back: object) -> Mapping[str, object]:
    gold = [asdict(gold) for gold in case.gold]
    return {"id": case.id, "question": case.question.text, "gold": gold, "got": came_back}


def _mean(name: str, values: Sequence[float]) -> float:
    return round(sum(values) if name in SUMS else sum(values) / len(values), 3)


def _case(line: str, place: str) -> Case:
    try:
        return _checked(json.loads(line))
    except KeyError as error:
        raise QuestionFileError(f"{place} is not a question: {error.args[0]} is missing.") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise QuestionFileError(f"{place} is not a question: {error}.") from error


def _checked(fields: Mapping[str, Any]) -> Case:
    if not isinstance(fields, dict):
        raise TypeError("it is no JSON object")
    gold = tuple(
        Gold(g["path"], int(g["start_line"]), int(g["end_line"]), bool(g.get("primary"))) for g in fields["gold"]
    )
    if fields["answerable"] and not gold:
        raise ValueError("an answerable question needs gold")
    return Case(
        id=fields["id"],
        kind=fields["kind"],
        question=Question(fields["question"], tuple(Turn(t["role"], t["text"]) for t in fields.get("history") or ())),
        answerable=bool(fields["answerable"]),
        alternatives=bool(fields.get("alternatives")),
        gold=gold,
    )
