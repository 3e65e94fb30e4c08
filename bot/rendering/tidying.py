"""Blanks and line ends that were around what is gone go too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from bot.markdown import Node, joined, plain

BREAKS: Final = frozenset({"softbreak", "hardbreak"})
HOLDING: Final = frozenset({"em", "strong", "s", "link"})
_BLANKS: Final = re.compile(r"[ \t\n\f]+")


def solid(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """The inline nodes without emphasis and links that show nothing."""
    return joined(part for node in nodes for part in _solid(node))


def _solid(node: Node) -> Iterator[Node]:
    if node.kind in HOLDING:
        yield from spaced(node, solid(node.children))
    else:
        yield node


def spaced(node: Node, children: tuple[Node, ...]) -> Iterator[Node]:
    """The node with these children, and the blanks at their ends outside it; only these when they show nothing else."""
    text = plain(children)
    yield Node("text", text=" " if text[:1].isspace() else "")
    if text.strip():
        yield replace(node, children=tidied(children))
    yield Node("text", text=" " if text[-1:].isspace() else "")


def tidied(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """The inline nodes of a block without blanks and breaks at its ends, beside one another, or beside each other."""
    done: list[Node] = []
    for node in nodes:
        is_break = node.kind in BREAKS
        at_start = not done or done[-1].kind in BREAKS
        if node.kind == "text":
            text = _BLANKS.sub(" ", node.text)
            done += [Node("text", text=text)] if (text := text.lstrip() if at_start else text) else []
        elif not is_break:
            done.append(node)
        elif not at_start:
            _strip_end(done)
            done += [node] if done else []
    while done and done[-1].kind in BREAKS:
        done.pop()
    _strip_end(done)
    return tuple(done)


def _strip_end(nodes: list[Node]) -> None:
    if nodes and nodes[-1].kind == "text":
        text = nodes[-1].text.rstrip()
        nodes[-1:] = [Node("text", text=text)] if text else []
