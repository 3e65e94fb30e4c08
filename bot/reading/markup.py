"""Documentation becomes clean units in reading order: sentences, list items, table rows, fences, by section."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby, pairwise
from typing import Final, Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.markdown.sentences import ABBREVIATED
from bot.reading.dialects import commonmark
from bot.reading.quotation import joined, span, words

UnitKind = Literal["heading", "sentence", "item", "row", "fence"]

# A list item is shown whole, but for one that is an essay: that one comes by its sentences.
LONGEST_ITEM: Final = 350

_ATTRIBUTES: Final = re.compile(r"\s*\{:?\s*[#.][^{}]*\}")
_ICON: Final = re.compile(r":(?:material|octicons|fontawesome|simple)-[\w-]+:")
_FENCE_START: Final = re.compile(r"^(?:`{3,}|~{3,})", re.MULTILINE)
_SENTENCE_END: Final = re.compile(r"[.!?][\"')\]”’]*\s+(?=[\"'(“‘\[]?[^\W_a-z]|$)|[。！？][」』”’]*\s*")


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of documentation that is shown whole or not at all.

    `block` is equal for the sentences of one paragraph, the items of one list and the rows of one table. `lines` are a
    fence's lines, `head` a table's header; `indent` is how deep an item lies.
    """

    kind: UnitKind
    text: str
    block: int
    plain: str = ""
    indent: str = ""
    head: str = ""
    language: str = ""
    lines: tuple[str, ...] = ()
    ordered: bool = False


def units(text: str, language: str, first_line: int = 1) -> list[Unit]:
    """The units of a passage of documentation. `first_line` tells front matter from a ruled line."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    if language == "notebook" and _is_python(lines):
        return [Unit("fence", "", 0, text, language="python", lines=tuple(lines))]
    return list(_Walk(_parser().parse("\n".join(commonmark(lines, language, first_line)))).units())


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def _is_python(lines: Sequence[str]) -> bool:
    """Whether a notebook's cell is code: its magics aside, it parses and is more than a word."""
    source = "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in lines)
    try:
        return not all(
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Name) for node in ast.parse(source).body
        )
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


@dataclass(slots=True)
class _List:
    ordered: bool
    number: int
    indent: str


@dataclass(slots=True)
class _Walk:
    """One pass over a document's tokens."""

    tokens: Sequence[Token]
    lists: list[_List] = field(default_factory=list)
    block: int = 0
    fresh: bool = False

    def units(self) -> Iterator[Unit]:
        for at, token in enumerate(self.tokens):
            if token.type in ("bullet_list_open", "ordered_list_open"):
                indent = self.lists[-1].indent + "  " + " " * self.lists[-1].ordered if self.lists else ""
                number = int(token.attrGet("start") or 1) if token.type == "ordered_list_open" else 1
                self.lists.append(_List(token.type == "ordered_list_open", number, indent))
                self.block += len(self.lists) == 1
            elif token.type in ("bullet_list_close", "ordered_list_close"):
                self.lists.pop()
                self.block += not self.lists
            elif token.type == "list_item_open":
                self.fresh = True
            elif token.type == "heading_open":
                yield from self._heading(self.tokens[at + 1])
            elif token.type == "paragraph_open":
                yield from self._paragraph(self.tokens[at + 1])
            elif token.type == "code_block" and _FENCE_START.search(token.content):
                # An admonition whose marker is elsewhere: what is indented is Markdown.
                inner = _Walk(_parser().parse(token.content), block=self.block + 1)
                yield from inner.units()
                self.block = inner.block + 1
            elif token.type in ("fence", "code_block"):
                self.block += 1
                lines = tuple(token.content.removesuffix("\n").split("\n"))
                language = _fence_language(token.info)
                yield Unit("fence", "", self.block, token.content, language=language, lines=lines)
                self.block += 1
            elif token.type == "table_open":
                self.block += 1
                yield from self._table(at)

    def _heading(self, inline: Token) -> Iterator[Unit]:
        self.block += 1
        text = joined(_shown(inline.children or ()))
        if text.strip():
            yield Unit("heading", text.strip(), self.block, inline.content)

    def _paragraph(self, inline: Token) -> Iterator[Unit]:
        sentences = [text for text in (" ".join(s.split()) for s in _sentences(inline.children or ())) if text]
        if not sentences:
            return
        if self.lists:
            inner, fresh = self.lists[-1], self.fresh
            marker = (f"{inner.number}. " if inner.ordered else "- ") if fresh else " " * (2 + inner.ordered)
            inner.number += fresh
            self.fresh = False
            text = " ".join(sentences)
            for piece in [text] if len(text) <= LONGEST_ITEM else sentences:
                yield Unit("item", marker + piece, self.block, piece, inner.indent, ordered=inner.ordered)
                marker = " " * len(marker)
            return
        self.block += 1
        for sentence in sentences:
            yield Unit("sentence", sentence, self.block, sentence)

    def _table(self, at: int) -> Iterator[Unit]:
        rows: list[list[str]] = []
        for token in self.tokens[at:]:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline" and rows:
                rows[-1].append(" ".join(joined(_shown(token.children or (), cell=True)).split()))
        if rows and rows[0]:
            head = f"{_row(rows[0])}\n|{' --- |' * len(rows[0])}"
            for row in rows[1:]:
                yield Unit("row", _row(row), self.block, " ".join(row), head=head)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _fence_language(info: str) -> str:
    """`python`, of an info string such as `python title="a.py"` or `{.python .annotate}` or `console`."""
    match = re.search(r"[A-Za-z][\w+#-]*", info.split("=", maxsplit=1)[0])
    return match[0].lower() if match else ""


def _sentences(tokens: Sequence[Token]) -> Iterator[str]:
    """The sentences of a paragraph; none ends inside emphasis or a code span."""
    current, depth = "", 0
    for is_text, run in groupby(tokens, key=lambda token: token.type in ("text", "softbreak", "hardbreak")):
        if not is_text:
            for token in run:
                depth += token.nesting if token.type in ("strong_open", "strong_close", "em_open", "em_close") else 0
                current = joined((current, *_shown([token])))
            continue
        *ended, rest = _split(_without_noise("".join(token.content or " " for token in run)), depth)
        for text in ended:
            yield joined((current, words(text)))
            current = ""
        current = joined((current, words(rest)))
    yield current


def _split(text: str, depth: int) -> list[str]:
    """The text cut after each sentence; the last piece is what a sentence goes on with."""
    matches = () if depth else _SENTENCE_END.finditer(text)
    ends = [match.end() for match in matches if not ABBREVIATED.search(text[: match.start() + 1])]
    return [text[start:end] for start, end in pairwise([0, *ends, len(text)])]


def _without_noise(text: str) -> str:
    return _ICON.sub("", _ATTRIBUTES.sub("", text))


def _shown(tokens: Sequence[Token], cell: bool = False) -> Iterator[str]:
    """Inline tokens as Markdown without links, images and HTML."""
    for token in tokens:
        match token.type:
            case "text":
                yield words(_without_noise(token.content))
            case "code_inline":
                yield span(token.content.replace("|", "\\|") if cell else token.content)
            case "softbreak" | "hardbreak":
                yield " "
            case "html_inline" if token.content.lower().startswith("<br"):
                yield " "
            case "strong_open" | "strong_close":
                yield "**"
            case "em_open" | "em_close":
                yield "*"


def titled(unit: Unit, heading: Unit) -> Unit:
    """A unit that is also found by the words of the heading above it."""
    return replace(unit, plain=f"{heading.plain} {unit.plain}")
