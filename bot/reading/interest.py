"""A question becomes what to look for in the passages: stems with weights, and the names it spells out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Final

from bot.types import Passage
from indexer.lexical import STOP_WORDS
from indexer.terms import COMPOUND, JOINTS, compound_terms, terms

# An identifier or flag that is spelled out says what is meant; its single parts say little.
NAME_WEIGHT: Final = 2.5
PART_WEIGHT: Final = 0.5
# However common a word is among the passages, it still says something.
LEAST_RARITY: Final = 0.15
# A word of the question that fewer of the passages found for it have is beside its point, or a slip.
ENOUGH_PASSAGES: Final = 2
# What a second mention is worth of the first, a third of the second …: other words are better than the same again.
REPETITION: Final = 0.35
# A line that defines what is asked for counts as much as this many mentions.
DEFINITION_WEIGHT: Final = 1.5

# What kind of answer is wanted, not what it is about.
QUESTION_WORDS: Final = frozenset(
    "anyone code defined exactly explain file files find function happen happens implemented lines mean means people"
    " please question something source tell thank thanks whats".split()
)

_NAME_SHAPE: Final = re.compile(r"\w_\w|[a-z][A-Z]|[A-Z]{2}[a-z]|^_+\w")
_SHORTEST_STEM: Final = 3
_MODIFIERS: Final = (
    "export|default|pub(?:\\([^)]*\\))?|public|private|protected|static|async|abstract|final|const|constexpr|inline"
    "|virtual|unsafe|extern|local|readonly|declare"
)
_KEYWORDS: Final = (
    "def|class|fn|func|function|struct|enum|trait|interface|type|let|mut|var|const|static|#define|declare"
)
_DEFINING: Final = re.compile(
    rf"\s*(?:(?:{_MODIFIERS})\s+)*(?:(?P<keyword>{_KEYWORDS})\s+)*(?P<name>[\"'`]?-{{0,2}}\w[\w-]*[\"'`]?)\s*(?P<after>[:=]|,|$)?"
)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A word without the endings of plural and tense, for comparing words only."""
    for ending in ("ions", "ion", "ings", "ing", "ied", "ies", "ers", "er", "ed", "es", "s", "e"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) >= _SHORTEST_STEM and not (ending == "s" and rest.endswith(("s", "u"))):
            if ending in ("ion", "ions") and not rest.endswith(("t", "s")):
                continue
            return rest + "y" if ending in ("ied", "ies") else _undoubled(rest)
    return word


def _undoubled(word: str) -> str:
    return word[:-1] if word[-1] == word[-2] and word[-1] in "bdgmnprt" else word


@lru_cache(maxsize=1 << 12)
def stems(line: str) -> frozenset[str]:
    """The stems of one line, which is looked at several times while one question is answered."""
    return frozenset(stem(term) for term in terms(line))


def normal(name: str) -> str:
    """An identifier, flag or field in the one spelling in which they meet: `--max-len` is `max_len`."""
    return JOINTS.sub("_", name.strip("\"'`")).strip("_").lower()


@dataclass(frozen=True, slots=True)
class Interest:
    """What a question looks for: the weight of each stem, and the identifiers and flags it names."""

    weights: Mapping[str, float]
    names: frozenset[str]

    def hits(self, text: str) -> frozenset[str]:
        """The stems of the question that a text contains."""
        return frozenset(found for line in text.split("\n") for found in stems(line) & self.weights.keys())

    def weight(self, hits: Iterable[str]) -> float:
        return sum(self.weights[hit] for hit in hits)

    def gain(self, hits: Iterable[str], counts: dict[str, int]) -> float:
        """What further mentions add, counting them in `counts`: each adds a part of what the one before did."""
        gained = 0.0
        for hit in hits:
            seen = counts.get(hit, 0)
            gained += self.weights[hit] * REPETITION**seen
            counts[hit] = seen + 1
        return gained

    def share_in(self, passage: Passage) -> float:
        """How much of what is looked for a passage holds, 0 to 1."""
        held = self.weight(self.hits(f"{passage.text}\n{passage.symbol}\n{passage.path}"))
        return held / (sum(self.weights.values()) or 1.0)

    def defines(self, passage: Passage) -> bool:
        """Whether a passage is, or holds, the definition of something that the question names."""
        if not self.names:
            return False
        last = normal(re.split(r"[^\w-]+", passage.symbol.rstrip(")( "))[-1])
        return last in self.names or any(self._definition(line, False) for line in passage.text.split("\n"))

    def defined(self, line: str) -> frozenset[str]:
        """The stems of the names in the question that a line of code defines, or at least assigns."""
        return frozenset({stem(self._definition(line, True))} & self.weights.keys())

    def _definition(self, line: str, assigned: bool) -> str:
        """The name in the question that a line defines, or ""; `assigned`: an assignment inside a block is enough."""
        if not self.names or not (match := _DEFINING.match(line)):
            return ""
        name, after = match["name"], match["after"]
        if normal(name) not in self.names:
            return ""
        argument = line.rstrip().endswith(",")
        if name[0] in "\"'`":
            defines = "--" in name or (after == ":" and (assigned or name.isupper()))
        else:
            outermost = after == "=" and not line[0].isspace()
            defines = bool(match["keyword"]) or (not argument and (after == ":" or outermost))
            defines = defines or (assigned and after == "=" and not argument)
        return normal(name) if defines else ""


def interest_in(question: str, passages: Sequence[Passage]) -> Interest:
    """What the question looks for, weighed by how rare each word is in the lines of the passages."""
    wanted, names = _wanted(question)
    lines: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    total = 0
    for passage in passages:
        of_lines = [stems(line) & wanted.keys() for line in passage.text.split("\n") if line.strip()]
        total += len(of_lines)
        lines.update(hit for hits in of_lines for hit in hits)
        spread.update(
            set().union(*of_lines, stems(passage.symbol) & wanted.keys(), stems(passage.path) & wanted.keys())
        )
    weights = {
        word: importance * _rarity(lines[word], total) * min(1.0, spread[word] / ENOUGH_PASSAGES)
        for word, importance in wanted.items()
        if spread[word]
    }
    return Interest(weights, names)


def _wanted(question: str) -> tuple[dict[str, float], frozenset[str]]:
    """The question's stems with their importance before rarity, and its names."""
    importance: dict[str, float] = {}
    names = set()
    for match in COMPOUND.finditer(question):
        *parts, whole = compound_terms(match[0]) or ("",)
        flag = question[max(0, match.start() - 2) : match.start()] == "--"
        if flag or _NAME_SHAPE.search(match[0]):
            names.add(whole)
            importance[stem(whole)] = NAME_WEIGHT
            for part in parts:
                importance.setdefault(stem(part), PART_WEIGHT)
        else:
            for word in (*parts, whole):
                if word and word not in STOP_WORDS | QUESTION_WORDS:
                    importance[stem(word)] = max(importance.get(stem(word), 0.0), 1.0)
    return importance, frozenset(names)


def _rarity(lines: int, total: int) -> float:
    """1 for a word that occurs in one line, down to LEAST_RARITY for one that is everywhere."""
    return max(LEAST_RARITY, log((total + 1) / (lines + 0.5)) / log(total + 2)) if total else 1.0
