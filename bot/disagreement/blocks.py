"""A passage of documentation becomes its blocks with their lines: paragraphs, items, rows, headings, options' help.

Which lines a block stands in is kept, which a Markdown parser does not do for the inside of admonitions, and a passage
may begin in the middle of a list. So blocks are told by their first signs, in Markdown and reStructuredText alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

BlockKind = Literal["text", "item", "row", "heading", "help"]

_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})(?!\s*\{(?!code)[\w-]+\})")
_HEADING: Final = re.compile(r" {0,3}#{1,6}\s+(.*?)[ #]*$")
_UNDERLINE: Final = re.compile(r"\s*([=\-~^\"'*+])\1{2,}\s*$")
_DIRECTIVE: Final = re.compile(
    r"(\s*)\.\. +(?:[\w-]+:)?(?:attribute|cmdoption|confval|data|envvar|option|setting)::\s*(.*)$"
)
_ITEM: Final = re.compile(r"(\s*)(?:(?:[-*+•]|\d{1,3}[.)]|:)\s+|:(?=[a-z][\w ]{1,30}:\s)|(?=--?[A-Za-z]))(.*)$")
_ROW: Final = re.compile(r"(\s*)(\|.*\|)\s*$")
_HELP: Final = re.compile(r"(\s+)((?:-\w,? )?\s*--[A-Za-z].*)$")


@dataclass(slots=True)
class Block:
    """A piece of text and the lines it stands in, the passage's first being 0. `above` is the item that it stands in,
    or the heading it stands under."""

    kind: BlockKind
    indent: int
    above: Block | None
    line: int
    text: str = ""
    starts: list[int] = field(default_factory=list)
    """At which character each of its lines starts."""

    def add(self, text: str) -> None:
        self.text += " " if self.starts else ""
        self.starts.append(len(self.text))
        self.text += text

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last line of these characters."""
        first = sum(begins <= start for begins in self.starts) - 1
        last = sum(begins < max(end, start + 1) for begins in self.starts) - 1
        return self.line + first, self.line + last


def blocks(text: str) -> list[Block]:
    """The blocks of a passage, in order."""
    return list(_Reading().blocks(text))


@dataclass(slots=True)
class _Reading:
    """One pass over the lines."""

    heading: Block | None = None
    items: list[Block] = field(default_factory=list)
    current: Block | None = None
    fence: str = ""

    def blocks(self, text: str) -> Iterator[Block]:
        for number, line in enumerate(text.split("\n")):
            before = self.current
            self._read(number, line.rstrip())
            if before is not None and before is not self.current:
                yield before
        if self.current:
            yield self.current

    def _read(self, number: int, line: str) -> None:
        if self.fence:
            self._in_fence(number, line)
        elif self.current and self._underlines(line):
            self.current.kind, self.heading, self.items = "heading", self.current, []
        elif match := _FENCE.match(line):
            self.current, self.fence = None, match[1]
        elif not line.strip():
            self.current = None
        elif match := _HEADING.match(line):
            self.heading, self.items = None, []
            self._begin("heading", number, 0, match[1])
            self.heading = self.current
        elif match := _ROW.match(line):
            self._begin("row", number, len(match[1]), match[2])
        elif match := _DIRECTIVE.match(line) or _ITEM.match(line):
            defines = self.current and self.current.kind == "text" and line.lstrip().startswith(":")
            self._begin("item", number, len(match[1]), match[2], self.current if defines else None)
        elif self.current and self.current.kind in ("text", "item"):
            self.current.add(line.strip())
        else:
            self._begin("text", number, len(line) - len(line.lstrip()), line.strip())

    def _underlines(self, line: str) -> bool:
        """Whether a line makes the one before it a title: as long as that, or it is a fence of tildes."""
        one = self.current if self.current and self.current.kind == "text" and len(self.current.starts) == 1 else None
        return one is not None and _UNDERLINE.match(line) is not None and len(line) >= len(one.text)

    def _in_fence(self, number: int, line: str) -> None:
        if line.strip().startswith(self.fence) and not line.strip().strip(self.fence[0]):
            self.current, self.fence = None, ""
        elif match := _HELP.match(line):
            self._begin("help", number, len(match[1]), match[2])
        elif self.current and line.strip():
            self.current.add(line.strip())
        else:
            self.current = None

    def _begin(self, kind: BlockKind, number: int, indent: int, text: str, term: Block | None = None) -> None:
        while self.items and self.items[-1].indent >= indent:
            self.items.pop()
        above = self.items[-1] if self.items else self.heading
        self.current = Block(kind, indent, term or above, number)
        self.current.add(text)
        if kind == "item":
            self.items.append(self.current)
