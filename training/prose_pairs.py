"""Pairs from documentation: headings and first sentences → sections, sentences → the definition they speak of."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from training import questions
from training.corpus import SourceText
from training.pairs import Pair, first_paragraph, is_prose, passage, plain

MARKDOWN_HEADING = re.compile(r"^(#{1,5})\s+(.+?)\s*#*$")
UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}\s*$")
QUOTED = re.compile(r"`+[~!]?([A-Za-z_][\w.:]*)(?:\(\))?`+")
CHANGELOG = re.compile(r"change|release|news|history|whatsnew|whats_new|contributors|authors", re.IGNORECASE)
HEADING_FORMS = (
    "{0}",
    "{0}",
    "how to {0}",
    "how do I {0}?",
    "what does the documentation say about {0}",
    "{0} example",
    "explain {0}",
)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with those above it, its 1-based line, and what stands under it."""

    path: str
    line: int
    headings: tuple[str, ...]
    body: str


def sections(source: SourceText) -> Iterator[Section]:
    """Yields the sections of a Markdown or reStructuredText file; fenced code opens none."""
    lines, fenced, at, opened = source.text.split("\n"), False, 0, 0
    stack: list[tuple[int, str]] = []
    body: list[str] = []
    levels: dict[str, int] = {}
    while at < len(lines):
        fenced ^= lines[at].lstrip().startswith("```")
        heading = None if fenced else _heading(lines, at, levels)
        if heading is None:
            body.append(lines[at])
            at += 1
            continue
        if stack:
            yield Section(source.path, opened + 1, tuple(title for _, title in stack), "\n".join(body).strip())
        level, title, height = heading
        stack = [(above, name) for above, name in stack if above < level] + [(level, plain(title))]
        body, opened, at = [], at, at + height
    if stack:
        yield Section(source.path, opened + 1, tuple(title for _, title in stack), "\n".join(body).strip())


def _heading(lines: list[str], at: int, levels: dict[str, int]) -> tuple[int, str, int] | None:
    """Returns (level, title, lines taken) of a heading at `at`; underline marks rank in order of appearance."""
    if match := MARKDOWN_HEADING.match(lines[at]):
        return len(match[1]), match[2], 1
    title, below = lines[at].strip(), lines[at + 1].rstrip() if at + 1 < len(lines) else ""
    match = UNDERLINE.match(below)
    if match and title and len(below) >= len(title) and not UNDERLINE.match(title):
        return levels.setdefault(match[1], len(levels) + 1), title, 2
    return None


def mine(source: SourceText, rng: random.Random) -> Iterator[Pair]:
    """Yields the pairs of one documentation file; change logs have none."""
    if CHANGELOG.search(source.path):
        return
    for section in sections(source):
        symbol = " > ".join(section.headings)
        origin = f"{section.path}:{symbol}"
        title = section.headings[-1]
        if is_prose(title, 2) and len(section.body) > 120:
            asked = rng.choice(HEADING_FORMS).format(
                title if rng.random() < 0.5 else f"{section.headings[0]} {title}".lower()
            )
            shown = symbol if rng.random() < 0.5 else " > ".join(section.headings[:-1])
            yield Pair(
                "heading",
                source.package,
                origin,
                questions.noisy(asked, rng),
                passage(section.path, shown, section.body),
            )
        sentence, rest = _first_sentence(section.body)
        if is_prose(sentence, 6) and len(rest) > 200:
            asked = questions.about(sentence, rng) if rng.random() < 0.5 else sentence
            yield Pair("sentence", source.package, origin, asked, passage(section.path, symbol, rest))


def _first_sentence(body: str) -> tuple[str, str]:
    """Returns the first sentence of the first paragraph, plain, and the body from the next paragraph or sentence on."""
    paragraph, _, rest = body.partition("\n\n")
    if paragraph.startswith(("..", "```", "|", "<", "-", "*", ":")):
        return "", ""
    sentence = re.split(r"(?<=[a-z)`])\.\s", paragraph, maxsplit=1)
    return first_paragraph(sentence[0]), (sentence[1] + "\n\n" if len(sentence) > 1 else "") + rest


def mentions(prose: Iterable[SourceText], defined: Iterable[Pair], rng: random.Random) -> Iterator[Pair]:
    """Yields pairs (a sentence that quotes a name → the one definition of that name), the name kept at times."""
    by_name: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for pair in defined:
        symbol = pair.passage.split("\n", 2)[1]
        by_name[re.split(r"\.|::", symbol)[-1]].add((pair.origin, pair.passage))
    told = Counter[str]()
    for source in prose:
        for sentence in re.split(r"(?<=[a-z)`])\.\s|\n\s*\n|\n\s*[-*] ", source.text):
            for name in set(QUOTED.findall(sentence)):
                last = re.split(r"\.|::", name)[-1]
                places = {origin for origin, _ in by_name.get(last, ())}
                if len(places) != 1 or len(last) < 6 or told[last] >= 3 or len(sentence) > 500:
                    continue
                told[last] += 1
                text = plain(sentence if rng.random() < 0.5 else sentence.replace(name, ""))
                if is_prose(text, 6):
                    origin, shown = min(by_name[last])
                    yield Pair("mention", source.package, origin, questions.noisy(text, rng), shown)
