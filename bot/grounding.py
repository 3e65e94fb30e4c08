"""A model's text becomes an answer whose every `[n]` is a citation: unknown numbers go, the others are renumbered."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.types import Citation, DeclineReason, Passage

# What the prompt asks a model to say, and nothing else, when the passages do not answer.
NOT_FOUND_MARKER = "NOT_FOUND"
# What models wrap around it.
_WRAPPING = " \t\r\n`*.\"'"

# `[1]`, `[1, 2]`, `[1-3]`, `[^1]`, their full-width forms and gpt-oss's `【1†L3-L9】`; then what may still become one.
_CITATION = re.compile(r"[\[【]\^?\s*(\d+(?:\s*[,;–-]\s*\d+)*)\s*(?:†[^\[\]【】\n]*)?[\]】]")
_OPENING = re.compile(r"[\[【]\^?[\d\s,;–-]*(?:†[^\[\]【】\n]*)?")
_RANGE = re.compile(r"(\d+)\s*[–-]\s*(\d+)|(\d+)")

# A code span, as in CommonMark: equal runs of backticks within one block. A fence opens a line, perhaps in a list.
_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_TICKS = re.compile(r"`+")
_SPAN_ENDS = re.compile(r"\n[ \t\r]*\n|\n[ \t]*(?:```|~~~)")
_LINE_HEAD = re.compile(r"(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*[ \t]*")
_FENCE = re.compile(r"`{3,}(?=[^`\n]*\n)|~{3,}(?=[^\n]*\n)")
_MAYBE_FENCE = re.compile(r"`{1,2}|`{3,}[^`\n]*|~{1,2}|~{3,}[^\n]*")
_WORD = re.compile(r"~+|[^\s`~\[【]+")
_NAME_END = re.compile(r"[\w)]\Z")

Step = tuple[str, int] | None
"""(text out, characters in), or None when more text is needed."""


class Grounder:
    """Rewrites a streamed text piece by piece; what it returns is final, so that joined pieces equal the answer.

    Code spans and fences pass untouched. `order` holds the numbers of the passages cited, by first use.
    """

    def __init__(self, passages: int) -> None:
        self._passages = passages
        self._held = ""
        self._line = ""  # what has been returned of the current line
        self._fence = ""  # what opened the code we are in
        self._started = False
        self._marked = False  # the text begins with the marker
        self._final = False
        self.order: list[int] = []
        self.declined: DeclineReason | None = None

    def feed(self, piece: str) -> str:
        """The part of the text that is certain now."""
        self._held += piece
        if not self._started and not self._begin():
            return ""
        return self._advance()

    def finish(self) -> str:
        """The rest of the text, without trailing space."""
        if not self._started:
            self._marked = self._held.strip(_WRAPPING) == NOT_FOUND_MARKER
            self._held = "" if self._marked else self._held
        self._final = True
        self._held = self._held.rstrip()
        rest = self._advance().rstrip()
        if self._marked and not self.order:
            self.declined = "not_found"
        return rest

    def _begin(self) -> bool:
        """Whether the text has begun, past leading space and what may yet be the marker."""
        self._held = self._held.lstrip()
        said = self._held.strip(_WRAPPING)
        self._started = bool(self._held) and not NOT_FOUND_MARKER.startswith(said)
        self._marked = re.match(rf"{NOT_FOUND_MARKER}\b", said) is not None
        return self._started

    def _advance(self) -> str:
        out: list[str] = []
        while self._held and (step := self._code() if self._fence else self._prose()):
            text, length = step
            out.append(text)
            self._line = (self._line + text).rpartition("\n")[2]
            self._held = self._held[length:]
        return "".join(out)

    def _prose(self) -> Step:
        """The next step outside code: one word, bracket, code span or opened fence, with the space before it."""
        rest = self._held.lstrip()
        space = self._held[: len(self._held) - len(rest)]
        if not rest:
            return None
        line = (self._line + space).rpartition("\n")[2]
        if rest[0] in "`~" and _LINE_HEAD.fullmatch(line):
            if fence := _FENCE.match(rest):
                self._fence = fence[0]
                return space + fence[0], len(space) + fence.end()
            if _MAYBE_FENCE.fullmatch(rest) and not self._final:
                return None
        if rest[0] == "`":
            return self._span(space, rest)
        if rest[0] in "[【":
            return self._bracket(space, rest)
        word = _WORD.match(rest)
        assert word is not None
        return space + word[0], len(space) + word.end()

    def _span(self, space: str, rest: str) -> Step:
        """A whole code span; backticks that nothing closes are text."""
        ended = _SPAN_ENDS.search(rest)
        span = _SPAN.match(rest, 0, ended.start() if ended else len(rest))
        if span is None and not ended and not self._final:
            return None
        if span and span.end() == len(rest) and not self._final:
            return None  # the closing run may yet grow
        found = span or _TICKS.match(rest)
        assert found is not None
        return space + found[0], len(space) + found.end()

    def _bracket(self, space: str, rest: str) -> Step:
        if not (found := _CITATION.match(rest)):
            undecided = _OPENING.fullmatch(rest) and not self._final
            return None if undecided else (space + rest[0], len(space) + 1)
        numbers, glued = _numbers(found[1]), not space and _NAME_END.search(self._line)
        if 0 in numbers and (glued or len(numbers) > 1):
            return space + found[0], len(space) + found.end()  # `list[0]`, or the interval [0, 1]
        known = "".join(f"[{self._number(n)}]" for n in numbers if 1 <= n <= self._passages)
        if known:
            return space + known, len(space) + found.end()
        return self._drop(space, rest[found.end() :])

    def _drop(self, space: str, after: str) -> Step:
        """Take a citation out with the space before it, but no line end; nothing that it kept apart grows together."""
        first = not (self._line + space).rpartition("\n")[2].strip()
        after = after.lstrip(" \t") if first else after
        if not after and not self._final:
            return None
        kept = space[: space.rfind("\n") + 1]
        apart = not first and not kept and _would_grow(self._line[-1:], after[:1])
        self._held = kept + " " * apart + after
        return "", 0

    def _code(self) -> Step:
        """The next line inside a fence, which a line of nothing but as many fence characters or more closes."""
        end = self._held.find("\n") + 1
        if not end and not self._final:
            return None
        line = self._held[:end] if end else self._held
        run = line.strip(" \t\r\n>")
        if self._line == "" and len(run) >= len(self._fence) and run == self._fence[0] * len(run):
            self._fence = ""
        return line, len(line)

    def _number(self, passage: int) -> int:
        if passage not in self.order:
            self.order.append(passage)
        return self.order.index(passage) + 1


def _would_grow(before: str, after: str) -> bool:
    """Whether two characters mean something else side by side: one word, bracket, run of code marks, link or image."""
    return after.isalnum() or after in ("]", "】", "^") or before + after in ("``", "~~", "](", "![")


def _numbers(text: str) -> list[int]:
    """`1, 3-5` as 1, 3, 4, 5; a range of more than ten is somebody's typing error and gives its ends."""
    numbers: list[int] = []
    for first, last, single in _RANGE.findall(text):
        if single:
            numbers.append(_number(single))
        elif 0 <= _number(last) - _number(first) <= 10:
            numbers += range(_number(first), _number(last) + 1)
        else:
            numbers += [_number(first), _number(last)]
    return list(dict.fromkeys(numbers))


def _number(digits: str) -> int:
    return int(digits[-9:] if not digits[:-9].strip("0") else "9" * 9)  # Python refuses to read very long numbers


def cited(passages: Sequence[Passage]) -> tuple[Citation, ...]:
    """Citations of these passages, numbered from 1."""
    return tuple(
        Citation(number, p.path, p.start_line, p.end_line, p.symbol, p.url)
        for number, p in enumerate(passages, start=1)
    )
