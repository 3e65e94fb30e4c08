"""The last block of a reply that was cut off becomes what of it is whole. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.grounding.layout import STOPS, trimmed
from bot.grounding.numbers import normal, taken_out
from bot.markdown import Node, joined, markdown, parse, plain, sentences

_CLOSED_FENCE: Final = re.compile(r"(?:^|\n)[ \t>]*(`{3,}|~{3,})[ \t]*\s*\Z")


def whole(block: str) -> str:
    """A block without the last sentence, row or code in it that does not end."""
    tree = parse(block)
    return markdown(replace(tree, children=_whole(tree.children, block)))


def _whole(nodes: Sequence[Node], block: str) -> tuple[Node, ...]:
    *before, last = nodes or [Node("hr")]
    if last.kind == "paragraph":
        children = _ended(last.children)
    elif last.kind == "table":
        children = last.children if block.endswith("\n") else last.children[:-1]
        children = children if len(children) > 1 else ()
    elif last.kind == "fence" and _CLOSED_FENCE.search(block):
        return (*before, last)
    else:
        children = _whole(last.children, block) if last.children and last.kind != "heading" else ()
    return (*before, replace(last, children=children)) if children else tuple(before)


def _ended(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """A paragraph's sentences but for a last one that ends neither in a full stop nor in a citation."""
    *said, last = sentences(nodes)
    bare, _ = taken_out(normal(last))
    text, cited = plain(bare).rstrip(" \n\"')]”’」』*_"), plain(normal(last)).rstrip().endswith("]")
    ends = cited or text.endswith((*STOPS, ":", "："))
    return trimmed(joined(node for sentence in (*said, *([last] if ends else [])) for node in sentence))
