"""Section D: an answer that a case gives is rendered for GitHub and Discord, by the renderers themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.rendering.discord import ALLOWED_MENTIONS, messages
from bot.rendering.github import comment
from bot.rendering.sources import lines_url
from bot.types import Answer, Citation, Index
from cases import rendering_markup_operators, rendering_operators
from cases.case import Case
from cases.expectations import Check, Difference, Operators
from cases.rendering_observation import RenderingObservation, links
from cases.report import Result

OPERATORS = Operators[RenderingObservation]().include(
    rendering_operators.OPERATORS, rendering_markup_operators.OPERATORS
)


def add_rendering(to: Operators[Any], surface: str, messages: Callable[[Any], Sequence[str]]) -> None:
    """Adds the operators of this section to another's, but for those that it has: they look at the messages that
    people could read, and at what the model had `said`."""

    def on_messages(name: str) -> Callable[[Any, Check], str | None]:
        def compare(seen: Any, check: Check) -> str | None:
            own = frozenset(url for text in messages(seen) for url in links(text) if "/blob/" in url)
            return OPERATORS.difference(RenderingObservation(messages(seen), seen.said, surface, own), check)

        return compare

    for name in OPERATORS.names - to.names:
        to.add(name, on_messages(name))


SURFACES = ("github", "discord")
GIVEN = frozenset(
    {"answer", "evidence", "evidence_extra", "repo", "sha", "finish_reason", "declined", "warnings", "note"}
)
# `len_utf8<=262144`, `allowed_mentions_parse==[]`, `not_contains:word`
_SHORT_FORM = re.compile(r"(?P<name>\w+)(?P<sign><=|>=|==|:)(?P<value>.*)")
_SUFFIXES = {"<=": "_max", ">=": "_min"}
_LINES = re.compile(r"#L(\d+)(?:-L(\d+))?\Z")
# A check that has bounds of its own, by the name that a case gives it.
_BOUNDED = "messages"


class RenderingSection:
    """Runs the cases of section D. The program under test has no part in it: renderers are functions."""

    operators = OPERATORS

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        del command, folder

    def jobs(self, cases: Sequence[Case]) -> list[list[Case]]:
        return [list(cases)]

    def run(self, job: Sequence[Case]) -> Iterator[Result]:
        for case in job:
            yield Result(case.id, case.title, list(_differences(case)))


def _differences(case: Case) -> Iterator[Difference]:
    unknown = sorted([*(case.given.keys() - GIVEN), *(case.expect.keys() - {"always", *SURFACES})])
    for name in unknown:
        yield Difference("run", f"unknown {name}")
    always = case.expect.get("always") or {}
    for surface in SURFACES:
        asked = [*(always.get(surface) or ()), *(case.expect.get(surface) or ())]
        found = OPERATORS.differences(observed(case.given, surface), {"checks": [checked(item) for item in asked]})
        yield from (replace(each, operator=f"{surface} {each.operator}") for each in found)


def checked(item: str | Check) -> Check:
    """A check as its operator reads it, of the short forms that cases use."""
    check: Mapping[str, Any] = {"op": item} if isinstance(item, str) else item
    short = _SHORT_FORM.fullmatch(check["op"])
    if short:
        value = short["value"] if short["sign"] == ":" else [] if short["value"] == "[]" else int(short["value"])
        return {**check, "op": short["name"] + _SUFFIXES.get(short["sign"], ""), "value": value}
    if check["op"] == _BOUNDED:
        return {**check, "op": "messages_between"}
    return {**check, "op": {"regex": "matches"}.get(check["op"], check["op"])}


def observed(given: Mapping[str, Any], surface: str) -> RenderingObservation:
    """What the case's answer becomes on a surface. Evidence is cited when its number is in the text."""
    extra = frozenset(given.get("evidence_extra") or ())
    answer = _answer(given)
    evidence = {item["url"] for item in given["evidence"]}
    allowed = evidence | {lines_url(url) for url in evidence} | extra
    shown = [comment(answer, extra)] if surface == "github" else messages(answer, extra)
    mentions = ALLOWED_MENTIONS if surface == "discord" else {}
    return RenderingObservation(shown, answer.answer, surface, allowed, mentions)


def _answer(given: Mapping[str, Any]) -> Answer:
    text = given["answer"] or ""
    return Answer(
        id="0f1e2d3c",
        answer=text,
        citations=tuple(_citation(item) for item in given["evidence"] if f"[{item['n']}]" in text),
        declined=bool(given.get("declined")),
        reason="not_found" if given.get("declined") else None,
        model="stand-in",
        index=Index(given["repo"], "main", given["sha"], "2026-11-30T00:00:00+00:00"),
        warnings=tuple(given.get("warnings") or ()),
    )


def _citation(item: Mapping[str, Any]) -> Citation:
    lines = _LINES.search(item["url"])
    first = int(lines[1]) if lines else 1
    last = int(lines[2] or first) if lines else 1
    return Citation(item["n"], item["path"], first, last, "", item["url"])
