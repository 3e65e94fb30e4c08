"""A text of a package becomes pairs (what somebody might ask → the passage that answers), ready to train on."""

from __future__ import annotations

import random
import re
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

PASSAGE_CHARS = 1_500
"""What the indexer embeds of one chunk, beside its path and symbol."""

SHORTEST_PASSAGE = 80
LONGEST_QUERY = 400
SAME_QUERY = 3
"""A query that asks for more passages than this ("Return a string representation.") asks for none."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One training example; pairs of the same `origin` (file and definition) are not negatives for each other."""

    kind: str
    package: str
    origin: str
    query: str
    passage: str


def passage(path: str, symbol: str, text: str) -> str:
    """Returns a passage in the form that the indexer embeds: path, symbol, text, each from a line of its own."""
    return f"{path}\n{symbol}\n{text[:PASSAGE_CHARS]}"


def window(lines: list[str], line: int, without: range, height: int = 40) -> str:
    """Returns about `height` lines around the 0-based `line`, less those in `without`."""
    start = max(0, line - height // 3)
    return "\n".join(text for n, text in enumerate(lines[start : start + height], start) if n not in without)


def first_paragraph(text: str) -> str:
    """Returns the first paragraph in one line, without markup."""
    return plain(re.split(r"\n\s*\n", text.strip(), maxsplit=1)[0])


def plain(text: str) -> str:
    """Returns reStructuredText or Markdown in one line, without roles, links, emphasis and quoting."""
    text = re.sub(r":[\w:+.-]+:`[~!]?([^`<]+)[^`]*`", r"\1", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]{1,80}>|[`*]|\{@?\w+\s", r"\1 ", text)
    return " ".join(text.split())


def words(name: str) -> str:
    """Returns the words of an identifier: `QKVLinear.load_weights` → "qkv linear load weights"."""
    return " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)).lower()


def is_prose(text: str, least: int = 3) -> bool:
    """Whether a text reads as `least` words or more, mostly letters."""
    return len(re.findall(r"[A-Za-z]{2,}", text)) >= least and sum(c.isalpha() or c == " " for c in text) > 0.7 * len(
        text
    )


def select(pairs: Iterable[Pair], per_kind: int, seed: int) -> list[Pair]:
    """Returns one package's pairs in random order: none too short, near copies once, at most `per_kind` of a kind."""
    fit = [p for p in pairs if len(p.passage) >= SHORTEST_PASSAGE and p.query]
    asked = Counter(p.query.lower() for p in fit)
    fit = [p for p in fit if asked[p.query.lower()] <= SAME_QUERY]
    random.Random(seed).shuffle(fit)
    kept, seen, taken = [], set(), Counter[str]()
    for pair in fit:
        mark = (pair.kind, fingerprint(pair.passage))
        if mark not in seen and taken[pair.kind] < per_kind:
            seen.add(mark)
            taken[pair.kind] += 1
            kept.append(pair)
    return kept


def fingerprint(text: str) -> tuple[int, ...]:
    """Returns the three smallest line hashes of a passage less its path and symbol: equal for near copies, mostly."""
    lines = {re.sub(r"\s+", "", line) for line in text.split("\n")[2:]}
    return tuple(sorted(zlib.crc32(line.encode()) for line in lines if len(line) > 8)[:3])
