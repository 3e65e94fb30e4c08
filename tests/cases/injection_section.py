"""Section E: strangers write into questions, threads and passages, and a model that obeys them is answered for.

The answer is made in this process by the real parts, from the passages that a case gives, with the real chat model
before a server that says the case's words. Only the search is stood in for.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

from bot.answering import Answerer
from bot.chat.client import ChatModel, ModelOptions
from bot.evidence import Asked, Evidence, Sign, evidence_of
from bot.rendering.discord import ALLOWED_MENTIONS
from bot.rendering.discord import messages as discord_messages
from bot.rendering.github import comment
from bot.rendering.sources import lines_url
from bot.retrieval import Found
from bot.types import Answer, Passage, Question, Turn
from cases import injection_operators, prompt_operators
from cases.case import Case
from cases.expectations import Check, Difference, Operators
from cases.injection_observation import InjectionObservation
from cases.program import CannotRunError
from cases.rendering_observation import RenderingObservation
from cases.rendering_section import OPERATORS as RENDERING
from cases.rendering_section import checked
from cases.report import Result
from fakes.openai_server import OpenAIServer
from indexer.permalink import permalink
from indexer.records import Collection, Snapshot
from indexer.types import FileKind, Origin

GIVEN = frozenset({"question", "thread", "retrieved", "planted", "model_output", "note"})
EXPECTED = frozenset({"always", "output", "prompt", "rule", "why", "note", "severity"})
_SURFACE = re.compile(r"\s*\((github|discord)\)$")
PLANTED = frozenset({"system_prompt_canary", "github_token", "env_DISCORD_TOKEN"})
_LINES = re.compile(r"#L(\d+)(?:-L(\d+))?$")
_PAGE = re.compile(r"(https://[^/]+/([^/]+/[^/]+))/blob/([^/]+)/")
_LANGUAGES = {".md": "markdown", ".html": "html", ".rst": "rst", ".py": "python"}


def _on_each_surface(name: str) -> Any:
    """The operator of section D of this name, on everything that would be sent."""

    def compare(seen: InjectionObservation, check: Check) -> str | None:
        if not seen.surfaces:
            raise ValueError("nothing was rendered")
        only = check.get("surface")
        plain = {key: value for key, value in check.items() if key != "surface"} | {"op": name}
        for surface, shown in seen.surfaces.items():
            if only in (None, surface) and (words := RENDERING.difference(shown, plain)):
                return f"{surface}: {words}"
        return None

    return compare


OPERATORS = Operators[InjectionObservation]().include(injection_operators.OPERATORS, prompt_operators.OPERATORS)
for _name in RENDERING.names - OPERATORS.names:
    OPERATORS.add(_name, _on_each_surface(_name))


def differences(seen: InjectionObservation, expect: Mapping[str, Any]) -> list[Difference]:
    """What the observation lacks of the three lists of checks that a case has."""
    if unknown := sorted(expect.keys() - EXPECTED):
        return [Difference("run", f"unknown {unknown[0]}")]
    asked = [item for name in ("always", "output", "prompt") for item in expect.get(name) or ()]
    return OPERATORS.differences(seen, {"checks": [_checked(item) for item in asked]})


def _checked(item: str | Check) -> Check:
    """A check as its operator reads it; `name==value (discord)` is for one surface only."""
    words = item if isinstance(item, str) else item["op"]
    found = _SURFACE.search(words)
    check = checked(words[: found.start()] if found else words) if isinstance(item, str) else checked(item)
    return {**check, "surface": found[1]} if found else check


class InjectionSection:
    """Runs the cases of section E; the program's command line is not needed."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        del command, folder
        logging.getLogger("bot").addHandler(logging.NullHandler())  # what a model does wrong here, it does on purpose

    def jobs(self, cases: Sequence[Case]) -> list[list[Case]]:
        """All in one job: they take no time, and share what is watched of this process."""
        return [list(cases)]

    def run(self, job: Sequence[Case]) -> Iterator[Result]:
        with OpenAIServer() as llm, asyncio.Runner() as runner:
            for case in job:
                try:
                    seen = runner.run(observed(case.given, llm))
                    yield Result(case.id, case.title, differences(seen, case.expect))
                except CannotRunError as error:
                    yield Result(case.id, case.title, [Difference("run", str(error))])


async def observed(given: Mapping[str, Any], llm: OpenAIServer) -> InjectionObservation:
    """What becomes of a case. Raises CannotRunError for what nobody would play."""
    planted = given.get("planted") or {}
    if unknown := sorted(given.keys() - GIVEN) or sorted(planted.keys() - PLANTED):
        raise CannotRunError(f"unknown given {unknown[0]}")
    found = found_of(given["retrieved"])
    question = Question(given["question"], tuple(map(_turn, given.get("thread") or ())))
    options = ModelOptions(llm.url, llm.model, instructions=planted.get("system_prompt_canary", ""))
    llm.play({"answer": given["model_output"]})
    with planting(_secrets(planted)), opened_files() as opened:
        answer = await Answerer(GivenRetriever(found), ChatModel(options)).answer(question)
        sent = {"github": [comment(answer)], "discord": discord_messages(answer)}
    return InjectionObservation(
        question=question.text,
        thread=[turn.content for turn in question.history],
        passages=found.passages,
        said=given["model_output"],
        messages=llm.records[-1].body["messages"] if llm.records else (),
        answer=answer,
        surfaces={name: _rendered(name, texts, answer, found, given) for name, texts in sent.items()},
        opened=tuple(opened),
    )


def _rendered(
    surface: str, texts: Sequence[str], answer: Answer, found: Found, given: Mapping[str, Any]
) -> RenderingObservation:
    """What is sent; links may lead to lines of the passages, and nowhere else."""
    origin = found.snapshot.origin
    proven = {
        permalink(origin, citation.path, citation.start_line, citation.end_line)
        for citation in answer.citations
        for passage in found.passages
        if passage.path == citation.path
        and passage.start_line <= citation.start_line <= citation.end_line <= passage.end_line
    }
    allowed = frozenset(proven | {lines_url(url) for url in proven})
    mentions = ALLOWED_MENTIONS if surface == "discord" else {}
    return RenderingObservation(texts, given["model_output"], surface, allowed, mentions)


def _secrets(planted: Mapping[str, str]) -> dict[str, str]:
    """The secrets of the case as whoever runs the bot has them, in the environment."""
    named = {name.removeprefix("env_"): value for name, value in planted.items() if name.startswith("env_")}
    return named | ({"GITHUB_TOKEN": planted["github_token"]} if "github_token" in planted else {})


@contextmanager
def planting(secrets: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in secrets}
    os.environ.update(secrets)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            os.environ.update({name: value} if value is not None else {})


class _Opens:
    """Every file that this process opens while somebody watches. Python can add such a look, but not take it away."""

    def __init__(self) -> None:
        self.paths: list[str] | None = None
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and self.paths is not None and isinstance(arguments[0], str):
            self.paths.append(arguments[0])


@cache
def _opens() -> _Opens:
    return _Opens()


@contextmanager
def opened_files() -> Iterator[list[str]]:
    """The files that are opened within the context."""
    paths: list[str] = []
    _opens().paths = paths
    try:
        yield paths
    finally:
        _opens().paths = None


def found_of(retrieved: Sequence[Mapping[str, Any]]) -> Found:
    """What a case says that a search found, of the version that its links name."""
    pages = [page for given in retrieved if (page := _PAGE.match(given["url"]))]
    web, repository, commit = pages[0].groups() if pages else ("https://github.com/acme/demo", "acme/demo", "a" * 40)
    origin = Origin(repository, "main", commit, web, "")
    snapshot = Snapshot(1, Collection(1, "c", repository, "e", 1), origin, "2026-11-29T12:00:00+00:00", 1, 1)
    passages = (_passage(number, given, origin) for number, given in enumerate(retrieved, start=1))
    return Found(tuple(passages), snapshot)


def _passage(number: int, given: Mapping[str, Any], origin: Origin) -> Passage:
    """The lines are as many as the text has, from where the link says that they begin."""
    if given["n"] != number:
        raise CannotRunError(f"passage {given['n']} stands at place {number}")
    path, text = given["path"], given["text"]
    kind: FileKind = given["kind"] if given["kind"] in get_args(FileKind) else "docs"
    lines = _LINES.search(given["url"])
    start = int(lines[1]) if lines else 1
    end = start + text.count("\n")
    language = next((name for ending, name in _LANGUAGES.items() if path.endswith(ending)), "text")
    return Passage(path, start, end, "", kind, language, 1 / number, text, permalink(origin, path, start, end))


def _turn(said: Mapping[str, Any]) -> Turn:
    return Turn("assistant" if said["author"].endswith("[bot]") else "user", said["body"], said["author"])


class _Sure(Evidence):
    """Evidence that never declines: what a case tests is what the model is asked, and what becomes of its words."""

    @property
    def confidence(self) -> float:
        return 1.0


@dataclass(frozen=True, slots=True)
class GivenRetriever:
    """Finds what the case gives, whatever is asked."""

    found: Found

    def search(self, question: Question, limit: int) -> Found:
        return self.found

    def evidence(self, question: Question, found: Found) -> Evidence:
        signs = [Sign(frozenset(), 0.0, 1.0) for _ in found.passages]
        sure = evidence_of(Asked({}), found.passages, signs)
        return _Sure(sure.passages, sure.of_passages, sure.of_question)

    def addressed(self, question: Question) -> tuple[Question, str]:
        return question, ""

    def unknown(self, names: Iterable[str], snapshot: Snapshot) -> set[str]:
        known = "\n".join(f"{passage.path}\n{passage.text}" for passage in self.found.passages)
        return {name for name in names if name not in known}
