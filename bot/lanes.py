"""Which kind of file answers a question: code, docs, tests and the rest compete with unequal weight. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import lru_cache

from indexer.records import Place
from indexer.types import FileKind

# Tests quote what they test and config repeats names: they answer less often than what they are about.
KIND_WEIGHTS: Mapping[FileKind, float] = {"code": 1.0, "docs": 1.0, "example": 0.8, "config": 0.7, "test": 0.5}
# Prose shares more words with a question than the code that does the thing; who asks for code gets code first.
DOCS_WEIGHT_FOR_CODE = 0.7
# What a program wrote, others brought along, or nobody asks about unless they say so.
ASIDE_WEIGHT = 0.5

_ASKS_FOR_CODE = re.compile(
    r"\b(in (the )?code|source code|implement\w*|defined|declared|where (is|are|does|do|exactly|in)|c\+\+|cuda|kernel"
    r"|(which|what) (function|method|file|class|kernel|code|part))\b",
    re.IGNORECASE,
)
_ASIDES = {
    # paths: what a question says that is after them
    r"(^|/)(change_?logs?|changes|history|news|release[-_]?notes?|releases|whats_?new)(/|$|\.)": r"change|release"
    r"|histor|\bnews?\b|upgrad|migrat|since|version|deprecat|remov",
    r"(^|/)(licen[sc]es?|notice|authors|contributors|maintainers|copying|copyright|code_of_conduct|codeowners|citation)"
    r"([-_./]|$)": r"licen[sc]|copyright|author|contribut|maintain|conduct|owner|cite",
    r"(^|/)(third_?party|3rd_?party|external(_libs?)?|externals|extern|vendor(ed)?|_vendor)/": r"third.?party|vendor"
    r"|external|bundled",
    r"(^|/)(benchmarks?|tools|scripts|hack|utils?/scripts)/": r"bench|tool|script|tun(e|ing)\b|recipe|\bci\b|measure",
    r"(^|/)\.\w[^/]*/|(^|/)(agents|skills?)\.md$": r"agent|skill|workflow|pipeline|\bci\b|github|hook|continuous",
    r"(^|/)(requirements|constraints)(/|[^/]*\.(txt|in)$)": r"requirement|depend|constraint|install|pip\b",
}
_PATHS = [re.compile(paths, re.IGNORECASE) for paths in _ASIDES]
_ASKED = [re.compile(asked, re.IGNORECASE) for asked in _ASIDES.values()]


@dataclass(frozen=True, slots=True)
class Lanes:
    """How much the file that a chunk is in speaks for it, for one question. `asides` are numbers of patterns."""

    kinds: Mapping[FileKind, float]
    asides: Set[int] = frozenset()

    def weight(self, place: Place) -> float:
        aside = place.aside or not self.asides.isdisjoint(_asides(place.path))
        return self.kinds[place.kind] * (ASIDE_WEIGHT if aside else 1.0)


def lanes(question: str) -> Lanes:
    """The weights by what the question asks for: who asks for code, a licence or what has changed gets that."""
    kinds = {**KIND_WEIGHTS, "docs": DOCS_WEIGHT_FOR_CODE} if _ASKS_FOR_CODE.search(question) else KIND_WEIGHTS
    return Lanes(kinds, {number for number, asked in enumerate(_ASKED) if not asked.search(question)})


@lru_cache(maxsize=1 << 16)
def _asides(path: str) -> Set[int]:
    """The numbers of the patterns that a path fits."""
    return {number for number, paths in enumerate(_PATHS) if paths.search(path)}
