"""Names that an answer writes: which of them are nowhere in the indexed version and are not said to be.

This looks names up by itself, so that it finds what the checks on the way of an answer let through.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from bot.evaluation.markup import Piece
from indexer.terms import written_names

_URL = re.compile(r"\w+://\S+|\bwww\.\S+")
_PATH = re.compile(r"(?<![\w/.@:-])(?:\.?[\w@-][\w.@-]*/)+[\w.@-]*[A-Za-z_]\w*\.[A-Za-z]\w{0,5}\b")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+")
# How an answer says that a name is not there.
_DENIED = re.compile(
    r"n[o']t (?:\w+ )?(?:exist|occur|found|find|known|defined|there|available|supported|a |an |part|in |read|recogni)"
    r"|\b(?:nowhere|no such|unknown|removed|unverified|nothing|neither|there is no|there are no|has no|have no)\b",
    re.IGNORECASE,
)
# What a piece of code names itself: nobody would look for it in the repository. `name=` without blanks is an argument
# or an environment variable, and those must exist.
_OWN = re.compile(
    r"^\s*(?:let\s+|let\s+mut\s+|const\s+|var\s+)?([A-Za-z_]\w*)(?:\s*:[^=\n]{1,40})?\s+=\s"
    r"|\b(?:def|class|fn|function|for|as)\s+([A-Za-z_]\w*)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Written:
    """The names and paths that an answer writes, in order, and those of them whose absence it tells."""

    names: Sequence[str]
    denied: frozenset[str]

    def faults(self, unknown: Collection[str]) -> list[str]:
        """Those that are unknown and not said to be."""
        return [name for name in self.names if name in unknown and name not in self.denied]


def written(shown: Sequence[Piece], question: str) -> Written:
    """What an answer's words and code name. Paths that the question writes are the asker's own."""
    sentences = list(_sentences(shown))
    own = _own_names(shown) | set(_PATH.findall(question))
    found = dict.fromkeys(name for sentence in sentences for name in _names(sentence) if name not in own)
    denied = (name for sentence in sentences if _DENIED.search(sentence) for name in _names(sentence))
    return Written(list(found), frozenset(denied))


def _sentences(shown: Sequence[Piece]) -> Iterable[str]:
    """Sentences outside code with their code spans, then each code block."""
    readable = (piece for piece in shown if piece.kind in ("words", "code"))
    for _, paragraph in groupby(readable, key=lambda piece: piece.paragraph):
        yield from _SENTENCE.split("".join(f"`{p.text}`" if p.kind == "code" else p.text for p in paragraph))
    for piece in shown:
        if piece.kind == "block":
            yield piece.text


def _names(text: str) -> list[str]:
    text = _URL.sub(" ", text)
    return [*_PATH.findall(text), *written_names(_PATH.sub(" ", text))]


def _own_names(shown: Sequence[Piece]) -> set[str]:
    blocks = (piece.text for piece in shown if piece.kind == "block")
    return {name for block in blocks for found in _OWN.finditer(block) for name in found.groups() if name}
