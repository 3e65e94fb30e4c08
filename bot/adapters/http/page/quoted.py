"""Code that an answer quotes gets the colours that it has in its file: alone, a docstring's middle would be code."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.highlighting import Line, coloured, coloured_lines
from bot.types import Passage

Whole = Callable[[str], str | None]
"""A file's text, by its path."""


class Quoted:
    """Colours code by the passages that it may come from."""

    def __init__(self, passages: Sequence[Passage], whole: Whole) -> None:
        self._passages = [(passage, passage.text.split("\n")) for passage in passages]
        self._whole = whole
        self._known: dict[tuple[str, str], Sequence[Line]] = {}

    def coloured(self, code: str, language: str) -> Sequence[Line]:
        """The lines of a code block. What is asked again, as while an answer grows, is remembered."""
        if (code, language) not in self._known:
            self._known[code, language] = self._quoted(code.split("\n")) or coloured(code, language)
        return self._known[code, language]

    def _quoted(self, code: Sequence[str]) -> Sequence[Line] | None:
        for passage, lines in self._passages:
            at = _place(code, lines)
            if at is not None and (text := self._whole(passage.path)):
                start = passage.start_line + at
                found = coloured_lines(text, passage.path, start, start + len(code) - 1)
                indents = (len(line) - len(own) for line, own in zip(lines[at:], code, strict=False))
                return [_without(line, indent) for line, indent in zip(found, indents, strict=True)]
        return None


def _place(code: Sequence[str], lines: Sequence[str]) -> int | None:
    """Where all of the code stands among the lines, which may be indented further."""
    places = range(len(lines) - len(code) + 1)
    return next((at for at in places if all(map(_is_indented, lines[at : at + len(code)], code))), None)


def _is_indented(line: str, code: str) -> bool:
    return line.endswith(code) and not line[: len(line) - len(code)].strip()


def _without(line: Line, indent: int) -> Line:
    """The line without its first characters."""
    left = []
    for kind, text in line:
        left.append((kind, text[indent:]))
        indent = max(0, indent - len(text))
    return tuple(span for span in left if span[1])
