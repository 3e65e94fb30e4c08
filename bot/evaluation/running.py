"""Questions are asked, or searched for, and what comes back is measured. Several wait for a language model at once."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.evaluation.checking import Given, measures, names_of
from bot.evaluation.comparison import Difference, Interval, Scored, differences, intervals
from bot.evaluation.figures import Figures, summarise
from bot.evaluation.indexed import Indexed
from bot.evaluation.questions import Case, QuestionFileError, read_cases
from bot.evaluation.retrieval import TOP, retrieval_figures
from bot.types import Answer, Index, Question, Token

if TYPE_CHECKING:
    from bot.answering import Answerer
    from bot.app import App

Progress = Callable[[int, int], None]
"""Told how many questions are done, of how many."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`figures` by kind of question and for ALL; `misses` are questions with what came back."""

    figures: dict[str, Figures]
    misses: Sequence[Mapping[str, object]]
    scored: Sequence[Scored] = ()
    details: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """By question: facts with whether they are supported, names and links at fault, and the answer."""
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    concurrency: int = 1

    def fields(self, differences: Sequence[Difference] | None = None) -> dict[str, Any]:
        """All of it, for JSON: the figures by kind, and beside them the `run` that a later one is compared with."""
        questions = [{**asdict(one), **self.details.get(one.id, {})} for one in self.scored]
        run: dict[str, Any] = {"concurrency": self.concurrency, "intervals": self.intervals, "questions": questions}
        if differences is not None:
            run["differences"] = [asdict(one) for one in differences]
        return {**self.figures, "run": run}

    def since(self, before: Sequence[Scored]) -> list[Difference]:
        """How the figures differ from those of an earlier run."""
        return differences(before, self.scored)


def evaluate(
    app: App,
    files: Iterable[Path],
    *,
    asking: bool,
    concurrency: int | None = None,
    progress: Progress = lambda done, total: None,
) -> Evaluation:
    """Run every question of the files: the answerable ones are searched for, or all are asked, at most `concurrency` at
    once (default: as many as the language model takes, one without it).

    Raises QuestionFileError, and what searching or asking raises.
    """
    cases = [case for file in files for case in read_cases(file)]
    if cases:
        app.retriever.search(cases[0].question, 1)  # opens what later questions find open
    if not asking:
        return _searched(app, [case for case in cases if case.answerable], progress)
    most = app.settings.llm_concurrency if app.model else 1
    at_once = min(concurrency or most, most)
    given = asyncio.run(ask(app.answerer, [case.question for case in cases], at_once, progress))
    return _checked(app, cases, given, at_once)


def earlier(file: Path) -> list[Scored]:
    """The questions of an earlier run, as `Evaluation.fields` gave them. Raises QuestionFileError."""
    try:
        run = json.loads(file.read_text(encoding="utf-8"))["run"]
        return [Scored(one["id"], one["kind"], one["measures"]) for one in run["questions"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise QuestionFileError(f"{file} is not what `repopilot eval --json` printed ({error}).") from error


async def ask(answerer: Answerer, questions: Sequence[Question], at_once: int, progress: Progress) -> list[Given]:
    """The answers in the order of the questions. Raises what answering raises."""
    room, done = asyncio.Semaphore(at_once), 0

    async def one(question: Question) -> Given:
        nonlocal done
        async with room:
            given = await _answered(answerer, question)
        done += 1
        progress(done, len(questions))
        return given

    return await asyncio.gather(*map(one, questions))


async def _answered(answerer: Answerer, question: Question) -> Given:
    started, first = time.perf_counter(), None
    async with aclosing(answerer.stream(question)) as events:
        async for event in events:
            if isinstance(event, Token) and first is None and event.text.strip():
                first = _ms_since(started)
            if isinstance(event, Answer):
                return Given(event, first, _ms_since(started))
    raise AssertionError("a stream of events ends with its answer")


def _searched(app: App, cases: Sequence[Case], progress: Progress) -> Evaluation:
    scored, misses = list[Scored](), list[Mapping[str, object]]()
    for done, case in enumerate(cases, start=1):
        started = time.perf_counter()
        passages = app.retriever.search(case.question, TOP).passages
        figures = retrieval_figures(case, passages)
        scored.append(Scored(case.id, case.kind, {**figures, "ms": _ms_since(started)}))
        if figures["span_hit@10"] < 1:
            misses.append(_miss(case, [f"{p.path}:{p.start_line}-{p.end_line}" for p in passages]))
        progress(done, len(cases))
    return _evaluation(scored, misses)


def _checked(app: App, cases: Sequence[Case], given: Sequence[Given], at_once: int) -> Evaluation:
    @cache
    def indexed(index: Index) -> Indexed:
        snapshot = app.retriever.snapshot(index.repository, index.ref)
        return Indexed(snapshot, app.stores.catalog, app.stores.lexical(snapshot.collection.name))

    for index, names in _names(cases, given).items():
        indexed(index).unknown(names)
    scored, misses, details = list[Scored](), list[Mapping[str, object]](), dict[str, Mapping[str, object]]()
    for case, one in zip(cases, given, strict=True):
        measured, details[case.id] = measures(case, one, indexed(one.answer.index))
        scored.append(Scored(case.id, case.kind, measured))
        if measured.get("primary_cited", measured.get("declined")) != 1:
            misses.append(_miss(case, asdict(one.answer)))
    return _evaluation(scored, misses, details, at_once)


def _names(cases: Sequence[Case], given: Sequence[Given]) -> dict[Index, list[str]]:
    """All names of all answers by the version they were read from."""
    found: dict[Index, list[str]] = {}
    for case, one in zip(cases, given, strict=True):
        found.setdefault(one.answer.index, []).extend(names_of(case, one.answer).names)
    return found


def _evaluation(
    scored: Sequence[Scored],
    misses: Sequence[Mapping[str, object]],
    details: Mapping[str, Mapping[str, object]] | None = None,
    at_once: int = 1,
) -> Evaluation:
    figures = summarise((one.kind, one.measures) for one in scored)
    return Evaluation(figures, misses, scored, details or {}, intervals(scored), at_once)


def _miss(case: Case, came_back: object) -> Mapping[str, object]:
    gold = [asdict(gold) for gold in case.gold]
    return {"id": case.id, "question": case.question.text, "gold": gold, "got": came_back}


def _ms_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)
