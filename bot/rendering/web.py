"""An answer's Markdown becomes nodes of which the web page builds elements: never HTML, and no address in them.

A node is a text, or an object with its `kind` and what it holds: see `block` and `inline`. Where a citation leads is
said beside the nodes, by the answer itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from bot.highlighting import Line, coloured
from bot.markdown import Node
from bot.markdown.tree import normalized
from bot.rendering.safety import safe_tree
from bot.types import Answer

WebNode = str | Mapping[str, Any]
Colour = Callable[[str, str], Sequence[Line]]
"""The lines of a code block, by its text and its language."""

_CITATION: Final = re.compile(r"\[(\d{1,3})\]")
_NAMES: Final = {"blockquote": "quote", "list_item": "item", "em": "em", "strong": "strong", "s": "deleted"}


def web_nodes(
    text: str,
    numbers: Collection[int] | None = None,
    links: Mapping[str, int] | None = None,
    colour: Colour = coloured,
) -> list[WebNode]:
    """The blocks of a Markdown text. `[n]` refers to a citation when n is in `numbers` (None: always); a link does
    when `links` has its URL's number, and is its text otherwise."""
    writer = _Writer(numbers, {normalized(url): number for url, number in (links or {}).items()}, colour)
    return [writer.block(block) for block in safe_tree(text, tuple(links or ())).children]


def answer_nodes(answer: Answer, colour: Colour = coloured) -> list[WebNode]:
    """The blocks of a whole answer."""
    links = {citation.url: citation.number for citation in answer.citations}
    return web_nodes(answer.answer, frozenset(links.values()), links, colour)


class Growing:
    """The nodes of a text that is still being written: what each piece of it changes."""

    def __init__(self, colour: Colour = coloured) -> None:
        self._colour = colour
        self._text = ""
        self._nodes: list[WebNode] = []

    def fed(self, piece: str) -> tuple[int, list[WebNode]] | None:
        """How many of the blocks stay as they were, and those that come behind them now; None when nothing changed."""
        self._text += piece
        before, self._nodes = self._nodes, web_nodes(self._text, colour=self._colour)
        same = next((at for at, pair in enumerate(zip(before, self._nodes, strict=False)) if pair[0] != pair[1]), None)
        kept = min(len(before), len(self._nodes)) if same is None else same
        return None if kept == len(before) == len(self._nodes) else (kept, self._nodes[kept:])


class _Writer:
    def __init__(self, numbers: Collection[int] | None, links: Mapping[str, int], colour: Colour) -> None:
        self._numbers = numbers
        self._links = links
        self._colour = colour
        self._above: list[int] = []  # the headings that the next one may stand below

    def block(self, node: Node) -> WebNode:  # noqa: PLR0911 - a kind a line
        match node.kind:
            case "heading":
                return {"kind": "heading", "level": self._level(node.number), "children": self.inline(node.children)}
            case "fence":
                return {"kind": "code", "language": node.info, "lines": self._lines(node)}
            case "hr":
                return {"kind": "rule"}
            case "ordered_list":
                return {"kind": "numbers", "start": node.number, "tight": node.tight, "children": self._blocks(node)}
            case "bullet_list":
                return {"kind": "bullets", "tight": node.tight, "children": self._blocks(node)}
            case "blockquote" | "list_item":
                return {"kind": _NAMES[node.kind], "children": self._blocks(node)}
            case "table":
                return {"kind": "table", "rows": [self._row(row) for row in node.children]}
        return {"kind": "paragraph", "children": self.inline(node.children or (Node("text", text=node.text),))}

    def _blocks(self, node: Node) -> list[WebNode]:
        return [self.block(child) for child in node.children]

    def _lines(self, code: Node) -> Sequence[Line]:
        return self._colour(code.text.removesuffix("\n"), code.info)

    def _level(self, written: int) -> int:
        """How deep a heading stands below others, from 1; what people write begins anywhere and leaves levels out."""
        self._above = [*(level for level in self._above if level < written), written]
        return len(self._above)

    def _row(self, row: Node) -> list[Mapping[str, Any]]:
        return [{"align": cell.info, "children": self.inline(cell.children)} for cell in row.children]

    def inline(self, nodes: Sequence[Node]) -> list[WebNode]:
        return [written for node in nodes for written in self._inline(node)]

    def _inline(self, node: Node) -> Iterator[WebNode]:
        match node.kind:
            case "text":
                yield from self._numbered(node.text)
            case "code_inline":
                yield {"kind": "mono", "text": node.text}
            case "softbreak":
                yield "\n"
            case "hardbreak":
                yield {"kind": "break"}
            case "em" | "strong" | "s":
                yield {"kind": _NAMES[node.kind], "children": self.inline(node.children)}
            case "link" if number := self._links.get(node.url):
                yield {"kind": "citation", "number": number, "children": self.inline(node.children)}
            case _:
                yield from self.inline(node.children) or ([node.text] if node.text else [])

    def _numbered(self, text: str) -> Iterator[WebNode]:
        at = 0
        for found in _CITATION.finditer(text):
            if self._numbers is None or int(found[1]) in self._numbers:
                yield from filter(None, [text[at : found.start()]])
                yield {"kind": "citation", "number": int(found[1])}
                at = found.end()
        yield from filter(None, [text[at:]])
