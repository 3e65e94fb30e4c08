"""Questions with their gold, and answers, as few words make them."""

from __future__ import annotations

from typing import Any

from bot.evaluation import Case, Gold
from bot.types import Answer, Citation, Index, Passage, Question

INDEX = Index("acme/demo", "main", "c", "2026-11-29T12:00:00+00:00")


def gold(path: str, start: int, end: int, primary: bool = True) -> Gold:
    return Gold(path, start, end, primary)


def case(*spans: Gold, alternatives: bool = False, answerable: bool = True, **fields: Any) -> Case:
    return Case("q", "fact", Question(fields.pop("text", "?")), answerable, alternatives, spans, **fields)


def passage(path: str, start: int, end: int) -> Passage:
    return Passage(path, start, end, "", "code", "python", 1.0, "", "https://x")


def citation(path: str, start: int, end: int, url: str = "https://x", number: int = 1) -> Citation:
    return Citation(number, path, start, end, "", url)


def answer(*citations: Citation, declined: bool = False, text: str = "", **fields: Any) -> Answer:
    return Answer("i", text, citations, declined, fields.pop("reason", None), "m", INDEX, **fields)
