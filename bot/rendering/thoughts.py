"""What a reasoning model thought aloud is taken out of its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.markdown import Node, joined, parse, walk

_TAGS: Final = r"(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad)"
_OPENING: Final = (
    rf"<{_TAGS}>|\[THINK\]|◁think▷|<\|(?:START_THINKING|begin_of_thought)\|>"
    r"|<\|channel\|>(?:analysis|commentary)[^<]*<\|message\|>"
)
_CLOSING: Final = (
    rf"</{_TAGS}>|\[/THINK\]|◁/think▷|<\|(?:END_THINKING|end_of_thought)\|>|<\|channel\|>final[^<]*<\|message\|>"
)
_MARK: Final = re.compile(rf"(?P<opening>{_OPENING})|(?P<closing>{_CLOSING})", re.IGNORECASE)
# Stand before each mark while the text is parsed, so that marks in code can be told from others. Noncharacters: text
# that passed `visible` has none.
_OPENED: Final = "\ufdd0"
_CLOSED: Final = "\ufdd1"
# How a node counts when lines are looked at: as itself (empty), as a line end, or as some code.
_SHAPE: Final = dict.fromkeys(("text", "html_inline", "html_block"), "") | dict.fromkeys(
    ("softbreak", "hardbreak", "paragraph", "heading", "cell"), "\n"
)
_SENTINEL: Final = re.compile(f"([{_OPENED}{_CLOSED}])")


def parse_answer(text: str) -> Node:
    """The tree of a visible text without thoughts: marked ones, all before a mark that only closes, and all of a text
    whose first mark is never closed. Marks in code are code."""
    text = _after_first(text)
    if not _MARK.search(text):
        return parse(text)
    tree = parse(_MARK.sub(lambda mark: (_OPENED if mark["opening"] else _CLOSED) + mark[0], text))
    kept = _Kept(_silences(tree)).nodes((tree,))
    return kept[0] if kept else Node("document")


def _after_first(text: str) -> str:
    """What follows the thoughts that a text begins with, whatever constructs they leave open."""
    while (mark := _MARK.match(text := text.lstrip())) and mark["opening"]:
        ends = (found.end() for found in _MARK.finditer(text, mark.end()) if found["closing"])
        text = text[next(ends, len(text)) :]
    return text


def _silences(tree: Node) -> list[bool]:
    """Whether the text is silent at its start, and after each sentinel outside code."""
    texts = (node.text for node in walk(tree) if node.kind in ("text", "html_block"))
    marks = [mark for text in texts for mark in _SENTINEL.findall(text)]
    silent = [False] * (len(marks) + 1)
    opened: int | None = None
    for at, mark in enumerate(marks, start=1):
        if mark == _OPENED:
            opened = at if opened is None else opened
        elif opened is not None or _ends_a_line(tree, at):
            first = opened or 0
            silent[first:at] = [True] * (at - first)
            opened = None
    return silent


def _ends_a_line(tree: Node, number: int) -> bool:
    """Whether nothing but a mark stands on the line of the sentinel with this number, or behind it on its line: one in
    the middle of a sentence is talked about."""
    source = "".join(_SHAPE.get(node.kind, "x" if node.text else "") or node.text for node in walk(tree))
    place = [found.end() for found in _SENTINEL.finditer(source)][number - 1]
    mark = _MARK.match(source, place)
    return mark is None or not source[mark.end() :].partition("\n")[0].strip()


@dataclass(slots=True)
class _Kept:
    """Walks a tree in reading order and keeps what is said aloud."""

    silences: Sequence[bool]
    passed: int = 0

    @property
    def _silent(self) -> bool:
        return self.silences[self.passed]

    def nodes(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        return joined(kept for node in nodes for kept in self._node(node))

    def _node(self, node: Node) -> Iterator[Node]:
        if node.children:
            children = self.nodes(node.children)
            if node.kind == "cell" or any(child.kind != "cell" or child.children for child in children):
                yield replace(node, children=children)
        elif node.kind in ("text", "html_block"):
            if text := "".join(self._said(node.text)):
                yield replace(node, text=text)
        elif not self._silent:
            yield replace(node, text=_SENTINEL.sub("", node.text))

    def _said(self, text: str) -> Iterator[str]:
        for part in _SENTINEL.split(text):
            if part in (_OPENED, _CLOSED) and part:
                self.passed += 1
            elif not self._silent:
                yield part
