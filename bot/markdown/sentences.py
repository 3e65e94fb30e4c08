"""The texts of a block outside code: rewritten one by one, or cut into sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from bot.markdown.tree import Node, joined, plain

# What ends with a full stop and no sentence.
ABBREVIATED: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|resp|approx|incl|Fig|No|Nr|Sec|Eq|Dr|Mr|Ms|St|[A-Z])\.)\Z"
)
_Placed = Sequence[tuple[int, Node]]
_INFINITE: Final = 1 << 60
_CITATIONS: Final = r"(?:[ \t]*\[\d+\])*"
# A full stop with what closes and cites, then a blank, then what looks like a beginning: `It`, `"It`, `vLLM`, `16`.
SENTENCE_END: Final = re.compile(
    rf"[.!?…][\"')\]”’]*{_CITATIONS}\s+(?=[\"'(“‘\[]?(?:[^\W_a-z]|[a-z]+[A-Z])|\Z)|[。！？][」』”’]*{_CITATIONS}\s*"
)


def rewritten(node: Node, rewrite: Callable[[str], Iterable[Node]]) -> Node:
    """The node with each text in it, at any depth, replaced by inline nodes. Code is no text."""
    if not node.children:
        return node
    return replace(node, children=joined(_rewritten(node.children, rewrite)))


def _rewritten(nodes: Sequence[Node], rewrite: Callable[[str], Iterable[Node]]) -> Iterator[Node]:
    for node in nodes:
        if node.kind == "text":
            yield from rewrite(node.text)
        else:
            yield rewritten(node, rewrite)


def sentences(nodes: Sequence[Node]) -> list[tuple[Node, ...]]:
    """The inline nodes of a paragraph, cut after each sentence and the citations behind it; joined they are the nodes.

    Nothing is cut inside emphasis or a link.
    """
    placed = list(_placed(nodes))
    pieces = (joined(_between(placed, start, end)) for start, end in pairwise([0, *_ends(placed), _INFINITE]))
    return [piece for piece in pieces if piece]


def cut_places(nodes: Sequence[Node], pattern: re.Pattern[str]) -> Iterator[int]:
    """Where `cut` may cut behind what a pattern finds in the nodes' plain text: inside or beside a text."""
    yield from (found.end() for found in _found(list(_placed(nodes)), pattern))


def cut(nodes: Sequence[Node], at: int) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """The inline nodes before and from a place in their plain text."""
    placed = list(_placed(nodes))
    return joined(_between(placed, 0, at)), joined(_between(placed, at, _INFINITE))


def _found(placed: _Placed, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    texts = [(start, node) for start, node in placed if node.kind == "text"]
    free = {at for start, node in texts for at in range(start, start + len(node.text) + 1)}
    text = "".join(_flat(node) for _, node in placed)
    return (found for found in pattern.finditer(text) if found.end() in free)


def _ends(placed: _Placed) -> Iterator[int]:
    """Where sentences end in the nodes' plain text."""
    for found in _found(placed, SENTENCE_END):
        if not ABBREVIATED.search(found.string, max(0, found.start() - 8), found.start() + 1):
            yield found.end()


def _placed(nodes: Sequence[Node]) -> Iterator[tuple[int, Node]]:
    at = 0
    for node in nodes:
        yield at, node
        at += len(_flat(node))


def _flat(node: Node) -> str:
    """What a node takes up in the paragraph's text. A sentence may begin with code."""
    return "X" * len(node.text) if node.kind == "code_inline" else plain([node])


def _between(placed: _Placed, start: int, end: int) -> Iterator[Node]:
    """The nodes that begin in a stretch of the plain text; texts are cut to it."""
    for at, node in placed:
        if node.kind == "text":
            yield Node("text", text=node.text[max(0, start - at) : max(0, end - at)])
        elif start <= at < end:
            yield node
