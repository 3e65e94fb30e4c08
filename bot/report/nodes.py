"""The parts of a report's Markdown: what we say, and what others said, which does nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from bot.markdown import Node, joined, markdown
from bot.markdown.tree import normalized
from bot.rendering.characters import visible
from bot.rendering.safety import safe_tree
from bot.rendering.sources import lines_url

_CODE: Final = re.compile(r"`([^`]+)`")

Inline = Sequence[Node]


def table(heads: Sequence[str], rows: Iterable[Sequence[Inline]]) -> Node:
    sides = ("left", *("right" for _ in heads[1:]))
    lines = chain([tuple(map(said, heads))], rows)
    return Node(
        "table",
        tuple(
            Node("tr", tuple(Node("cell", joined(cell), info=side) for cell, side in zip(line, sides, strict=True)))
            for line in lines
        ),
    )


def quoted(text: str) -> Inline:
    """What somebody wrote, as inline nodes that do nothing; code in backticks stays code."""
    parts = _CODE.split(text)
    nodes = (Node("code_inline" if at % 2 else "text", text=part) for at, part in enumerate(parts) if part)
    blocks = safe_tree(markdown(paragraph(tuple(nodes))), ()).children
    return blocks[0].children if blocks else said("…")


def link(shown: Inline, url: str) -> Inline:
    """A link where there is a code host; else what it would show."""
    if not url.startswith(("https://", "http://")):
        return shown
    return (Node("link", joined(shown), url=normalized(lines_url(url))),)


def listed(items: Sequence[Inline], between: str = ", ") -> Inline:
    return [node for at, item in enumerate(items) for node in (*(said(between) if at else ()), *item)]


def bullets(items: Iterable[Inline]) -> Node:
    return Node("bullet_list", tuple(Node("list_item", (paragraph(item),)) for item in items))


def paragraph(*parts: Inline) -> Node:
    return Node("paragraph", joined(chain.from_iterable(parts)))


def heading(level: int, text: Inline) -> Node:
    return Node("heading", joined(text), number=level)


def said(text: str) -> Inline:
    return (Node("text", text=text),)


def strong(text: str) -> Inline:
    return (Node("strong", tuple(said(text))),)


def code(text: str) -> Inline:
    return (Node("code_inline", text=visible(text).replace("\n", " ") or "?"),)
