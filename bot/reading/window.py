"""Lines of code become the few neighbouring ones that address a question, cut between statements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from bot.reading.dialects import FENCE
from bot.reading.interest import DEFINITION_WEIGHT, Interest

# What a line must bring in to be worth its place, as a share of the question's whole weight.
LINE_COST: Final = 0.015
# The same where lines are only linked to: all that is hit within reach belongs to it.
STRETCH_COST: Final = 0.001
# A second window is shown when it brings this share of what the first brings.
SECOND_SHARE: Final = 0.4
# A window this short is hard to understand by itself.
FEWEST_LINES: Final = 6
# Code that lies further apart is not shown as one piece.
MOST_BLANK_LINES: Final = 2
IMPORT_WEIGHT: Final = 0.2

PROSE: Final = frozenset({"markdown", "rst", "notebook"})
_PYTHONIC: Final = frozenset({"python", "cython"})
_HASHED: Final = _PYTHONIC | {
    "bash", "yaml", "toml", "ini", "cmake", "dockerfile", "makefile", "ruby", "perl", "r", "plain", "text", "julia"
}  # fmt: skip
_IMPORT: Final = re.compile(r"\s*(?:import\b|from\s+\S+\s+import\b|#\s*include\b|use\s+[\w:]+|package\s|@?SPDX)")
_LICENCE: Final = re.compile(r"SPDX-|[Cc]opyright\b|Licensed under")
_STRINGS: Final = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_CONSTANT: Final = re.compile(r"(?<![\w\"'])[A-Z][A-Z\d]*_[A-Z\d_]+(?![\w\"'])")
_CONSTANT_SET: Final = re.compile(r"\s*(?:[a-z]+\s+){0,4}([A-Z][A-Z\d_]+)\s*(?::[^=]+)?=(?!=)")
_TRIPLE: Final = re.compile(r"\"\"\"|'''")
_DOCSTRING: Final = re.compile(r"\s*[rRbBuUfF]{0,2}(?:\"\"\"|''')")
_BLOCK: Final = re.compile(r"[:{]\s*$")
_LEADING: Final = re.compile(r"\s*(?:@\w|#\[|//|/\*|\*(?:\s|/|$)|template\s*<|\[\[)")
_HASH_COMMENT: Final = re.compile(r"\s*#(?!\[|!|\s*(?:define|include|if|endif|else|pragma)\b)")


@dataclass(frozen=True, slots=True)
class Window:
    """Lines `start` up to, not including, `end` of a text, and what they are worth to a question."""

    start: int
    end: int
    value: float


@dataclass(frozen=True, slots=True)
class Line:
    """What one line holds for the question."""

    hits: frozenset[str]
    defined: frozenset[str]
    weight: float


def stretch(lines: Sequence[str], language: str, interest: Interest, limit: int) -> Window | None:
    """The one stretch of at most `limit` lines that holds most of what a question looks for, or None."""
    parts = _parts(lines, language, limit)
    return _best(parts, [_line(line, interest) for line in lines], interest, limit, {}, STRETCH_COST)


def windows(lines: Sequence[str], language: str, interest: Interest, limit: int, most: int = 2) -> list[Window]:
    """At most `most` windows, of at most `limit` lines together, in reading order; none when nothing is hit."""
    if len(lines) <= limit:
        return [Window(0, len(lines), 0.0)] if interest.hits("\n".join(lines)) else []
    read = [_line(line, interest) for line in lines]
    statements = list(_statements(lines, language))
    parts = _parts(lines, language, limit)
    chosen: list[Window] = []
    seen: Counter[str] = Counter()
    left = limit
    while len(chosen) < most and left > 0:
        best = _best([part for part in parts if not _taken(part, chosen)], read, interest, left, seen)
        if best is None or (chosen and best.value < SECOND_SHARE * chosen[0].value):
            break
        chosen.append(best)
        left -= best.end - best.start
        seen.update(hit for line in read[best.start : best.end] for hit in line.hits)
    if len(chosen) == 1:
        chosen = [_trimmed(_grown(chosen[0], lines, statements, limit), lines, read)]
    return _merged([*chosen, *_constants(chosen, lines, read)], lines)


def _constants(chosen: Sequence[Window], lines: Sequence[str], read: Sequence[Line]) -> Iterator[Window]:
    """The lines that say what the constants are that what is asked for is set to."""
    shown = {at for window in chosen for at in range(window.start, window.end)}
    wanted = {name for at in shown if read[at].defined for name in _CONSTANT.findall(lines[at])}
    for at, line in enumerate(lines):
        if wanted and at not in shown and (match := _CONSTANT_SET.match(line)) and match[1] in wanted:
            yield Window(at, at + 1, 0.0)


def _line(line: str, interest: Interest) -> Line:
    if _LICENCE.search(line):
        return Line(frozenset(), frozenset(), 0.0)
    weight = IMPORT_WEIGHT if _IMPORT.match(line) else 1.0
    return Line(interest.hits(line), interest.defined(line), weight)


def _best(
    parts: Sequence[range],
    read: Sequence[Line],
    interest: Interest,
    limit: int,
    seen: Mapping[str, int],
    line_cost: float = LINE_COST,
) -> Window | None:
    """The run of neighbouring statements worth most, or None when none has a hit."""
    best: Window | None = None
    cost = line_cost * sum(interest.weights.values())
    for first, start in enumerate(parts):
        counts = dict(seen)
        value, hit, end = 0.0, False, start.start
        for part in parts[first:]:
            if part.stop - start.start > limit or part.start - end > MOST_BLANK_LINES:
                break
            for line in read[part.start : part.stop]:
                hit = hit or bool(line.hits)
                value += line.weight * interest.gain(line.hits, counts)
                value += DEFINITION_WEIGHT * interest.weight(line.defined)
            value -= cost * (part.stop - end)
            end = part.stop
            if hit and (best is None or value > best.value):
                best = Window(start.start, end, value)
    return best


def _taken(part: range, chosen: Sequence[Window]) -> bool:
    return any(part.start < window.end and window.start < part.stop for window in chosen)


def _grown(window: Window, lines: Sequence[str], statements: Sequence[range], limit: int) -> Window:
    """A window with what it opens, with the line that opens it, and with enough around it to be understood."""
    start, end = window.start, window.end
    for statement in statements:
        short = end - start < min(FEWEST_LINES, limit) or _opens(lines[end - 1])
        if statement.start >= end and short and statement.stop - start <= limit:
            end = statement.stop
    for statement in reversed(statements):
        short = end - start < min(FEWEST_LINES, limit) or _dangles(lines[start:end])
        if statement.stop <= start and short and end - statement.start <= limit:
            start = statement.start
    return Window(start, end, window.value)


def _trimmed(window: Window, lines: Sequence[str], read: Sequence[Line]) -> Window:
    """A window that does not end with the beginning of something else."""
    end = window.end
    while end - window.start > 2:
        last = lines[end - 1]
        begins_more = _BLOCK.search(last) or (not read[end - 1].hits and (_opens(last) or _LEADING.match(last)))
        if last.strip() and not begins_more:
            break
        end -= 1
    return Window(window.start, end, window.value)


def _opens(line: str) -> bool:
    return not line.strip() or line.rstrip().endswith((":", "{", "(", "[", ",", "\\", "&&", "||", "="))


def _dangles(lines: Sequence[str]) -> bool:
    """Whether the first line lies deeper than a later one: what it is part of is missing."""
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    return bool(indents) and indents[0] > min(indents)


def _merged(chosen: Sequence[Window], lines: Sequence[str]) -> list[Window]:
    """The windows in reading order, those joined between which only blank lines lie."""
    merged: list[Window] = []
    for window in sorted(chosen, key=lambda window: window.start):
        if merged and not any(line.strip() for line in lines[merged[-1].end : window.start]):
            merged[-1] = Window(merged[-1].start, max(merged[-1].end, window.end), merged[-1].value + window.value)
        else:
            merged.append(window)
    return merged


def _statements(lines: Sequence[str], language: str) -> Iterator[range]:
    """The lines in runs that belong together: comments with what they explain, brackets, a field with its docstring."""
    starts = _prose_starts(lines) if language in PROSE else _starts(lines, language)
    for start, end in pairwise([*starts, len(lines)]):
        yield from _filled(lines, range(start, end))


def _parts(lines: Sequence[str], language: str, limit: int) -> list[range]:
    """The statements, those of more than `limit` lines cut."""
    return [part for statement in _statements(lines, language) for part in _cut(statement, lines, limit)]


def _cut(statement: range, lines: Sequence[str], limit: int) -> Iterator[range]:
    """A statement of more than `limit` lines by its paragraphs, and such a paragraph line by line."""
    if len(statement) <= limit:
        yield statement
        return
    for paragraph in _paragraphs(lines, statement.start, statement.stop):
        for filled in _filled(lines, paragraph):
            yield from [filled] if len(filled) <= limit else (range(at, at + 1) for at in filled)


def _filled(lines: Sequence[str], run: range) -> Iterator[range]:
    """The run without the blank lines around it; nothing when all are blank."""
    filled = [at for at in run if lines[at].strip()]
    if filled:
        yield range(filled[0], filled[-1] + 1)


def _paragraphs(lines: Sequence[str], start: int, end: int) -> Iterator[range]:
    blank = [at for at in range(start, end) if not lines[at].strip()]
    for first, last in pairwise([start, *blank, end]):
        yield range(first, last)


def _prose_starts(lines: Sequence[str]) -> Iterator[int]:
    """Where paragraphs and fences start."""
    fence = ""
    for at, line in enumerate(lines):
        after_blank = not at or not lines[at - 1].strip()
        if line.strip() and after_blank and not fence:
            yield at
        if match := FENCE.match(line):
            closes = fence and match[1].startswith(fence) and not match[2].strip()
            fence = "" if closes else fence or match[1]


def _starts(lines: Sequence[str], language: str) -> Iterator[int]:
    depth, triple, comment, leading = 0, "", False, False
    for at, line in enumerate(lines):
        inside = depth > 0 or bool(triple) or comment
        docstring = language in _PYTHONIC and at > 0 and lines[at - 1].strip() and _DOCSTRING.match(line)
        if line.strip() and not inside and not leading and not docstring:
            yield at
        elif not line.strip() and not inside:
            leading = False
        was_inside = inside
        triple, code = _triple(line, triple) if language in _PYTHONIC else ("", line)
        comment = language not in _HASHED and (
            "/*" in line and "*/" not in line.split("/*")[-1] if not comment else "*/" not in line
        )
        depth = max(0, depth + _depth(code, language)) if not comment else depth
        if line.strip() and not was_inside:
            leads = _LEADING.match(line) or (language in _HASHED and _HASH_COMMENT.match(line))
            leading = bool(leads)


def _triple(line: str, triple: str) -> tuple[str, str]:
    """The triple quotation that is open after a line, and the line's code outside such quotations."""
    code = []
    at = 0
    for match in _TRIPLE.finditer(line):
        if not triple:
            code.append(line[at : match.start()])
            triple = match[0]
        elif match[0] == triple:
            triple = ""
        at = match.end()
    return triple, "".join(code) + (line[at:] if not triple else "")


def _depth(code: str, language: str) -> int:
    code = _STRINGS.sub("", code)
    code = code.split("#" if language in _HASHED else "//")[0]
    opening, closing = ("([{", ")]}") if language in _PYTHONIC else ("([", ")]")
    return sum(code.count(char) for char in opening) - sum(code.count(char) for char in closing)
