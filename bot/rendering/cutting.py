"""Blocks are cut so that what is shown has a size, and nothing in it is torn that could stay whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.markdown import Node, joined, plain, walk
from bot.markdown.sentences import SENTENCE_END, cut, cut_places
from bot.rendering.characters import graphemes
from bot.rendering.tidying import tidied

# A boundary is taken when it leaves at least this share of what would fit; else the next finer kind of boundary is.
LEAST_SHARE: Final = 0.5
_LINE_END: Final = re.compile(r"\n")
_WORD_END: Final = re.compile(r"\s+")
_BOUNDARIES: Final = (_LINE_END, SENTENCE_END, _WORD_END)
_EMPHASIS: Final = frozenset({"em", "strong", "s"})

Size = Callable[[Node], int]
"""What a block takes up by itself."""


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cuts blocks by their size. `page` is what the largest piece may take up: what is no larger is not torn."""

    size: Size
    page: int

    def split(self, block: Node, room: int) -> tuple[Node | None, tuple[Node, ...]]:
        """The start of a block that fits into the room, if any does, and the blocks that are left of it."""
        if self.size(block) <= room:
            return block, ()
        cuts = {
            "fence": self._fence,
            "bullet_list": self._list,
            "ordered_list": self._list,
            "table": self._table,
            "blockquote": self._quote,
            "paragraph": self._paragraph,
            "heading": self._paragraph,
        }
        return cuts[block.kind](block, room) if block.kind in cuts else (None, (block,))

    def forced(self, block: Node, room: int) -> tuple[Node, tuple[Node, ...]]:
        """The same for a block of which nothing fits: its words as a paragraph, which can be cut anywhere."""
        words = Node("paragraph", (Node("text", text=" ".join(node.text for node in walk(block) if node.text)),))
        head, rest = self.split(words, room)
        return head or words, rest if head else ()

    def _most(self, children: Sequence[Node], room: int, holding: Callable[[Sequence[Node]], Node]) -> int:
        """How many of the children fit into the room, inside what holds them."""
        none = self.size(holding(()))
        sizes = (self.size(holding((child,))) - none for child in children)
        return most(len(children), lambda n: self.size(holding(children[:n])) <= room, _guess(sizes, room - none))

    def _fence(self, block: Node, room: int) -> tuple[Node | None, tuple[Node, ...]]:
        lines = block.text.split("\n")[:-1]

        def fence(lines: Iterable[str]) -> Node:
            return replace(block, text="".join(f"{line}\n" for line in lines))

        count = most(len(lines), lambda n: self.size(fence(lines[:n])) <= room, _guess(map(len, lines), room))
        if count:
            return fence(lines[:count]), (fence(lines[count:]),)
        if self.size(fence(lines[:1])) <= self.page:
            return None, (block,)
        first, *others = lines
        end = whole(first, most(len(first), lambda n: self.size(fence([first[:n]])) <= room))
        return (fence([first[:end]]), (fence([first[end:], *others]),)) if end else (None, (block,))

    def _list(self, block: Node, room: int) -> tuple[Node | None, tuple[Node, ...]]:
        items = block.children
        count = self._most(items, room, lambda some: replace(block, children=tuple(some)))
        number = block.number + count if block.kind == "ordered_list" else 0
        if count:
            return replace(block, children=items[:count]), (replace(block, children=items[count:], number=number),)
        if self.size(replace(block, children=items[:1])) <= self.page:
            return None, (block,)
        head, rest = self._children(items[0], room, lambda item: replace(block, children=(item,)))
        later = (replace(block, children=items[1:], number=number + 1),) if len(items) > 1 else ()
        return (replace(block, children=(head,)), (*rest, *later)) if head else (None, (block,))

    def _table(self, block: Node, room: int) -> tuple[Node | None, tuple[Node, ...]]:
        title, *rows = block.children
        count = self._most(rows, room, lambda some: replace(block, children=(title, *some)))
        if not count:
            return None, (block,)
        head, rest = (replace(block, children=(title, *part)) for part in (rows[:count], rows[count:]))
        return head, (rest,)

    def _quote(self, block: Node, room: int) -> tuple[Node | None, tuple[Node, ...]]:
        head, rest = self._children(block, room, lambda quote: quote)
        return head, (replace(block, children=rest),) if head else (block,)

    def _children(
        self, parent: Node, room: int, within: Callable[[Node], Node]
    ) -> tuple[Node | None, tuple[Node, ...]]:
        """The start of a container of blocks, measured inside what holds it, and the blocks left of its content."""
        children = parent.children

        count = self._most(children, room, lambda some: within(replace(parent, children=tuple(some))))
        kept, left = children[:count], children[count:]
        if left:
            inner = Cutter(lambda block: self.size(within(replace(parent, children=(*kept, block)))), self.page)
            piece, rest = inner.split(left[0], room)
            kept, left = (*kept, *([piece] if piece else [])), (*(rest if piece else left[:1]), *left[1:])
        return (replace(parent, children=kept) if kept else None), left

    def _paragraph(self, block: Node, room: int) -> tuple[Node | None, tuple[Node, ...]]:
        def sized(limit: int) -> Callable[[Sequence[Node]], bool]:
            return lambda nodes: self.size(replace(block, children=tidied(nodes))) <= limit

        # Markup takes its share of the room, here as in the whole.
        letters = room * sum(map(_length, block.children)) // max(1, self.size(block))
        head, rest = split_inline(block.children, sized(room), sized(self.page), letters)
        kept = tidied(head)
        if not kept:
            return None, (block,)
        return replace(block, children=kept), (replace(block, children=left),) if (left := tidied(rest)) else ()


Fits = Callable[[Sequence[Node]], bool]


def split_inline(
    nodes: Sequence[Node], fits: Fits, fits_alone: Fits, room: int
) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """The start of inline nodes that fits, cut after a line, sentence or word if one ends late enough, and the rest.

    `room` is about how many characters of plain text fit.
    """
    count = most(len(nodes), lambda n: fits(nodes[:n]), _guess(map(_length, nodes), room, between=0))
    if count == len(nodes):
        return tuple(nodes), ()
    before = tuple(nodes[:count])
    left = room - sum(map(_length, before))
    piece, torn = _torn(nodes[count], lambda inner: fits((*before, *inner)), fits_alone, left)
    head = joined((*before, *piece))
    length = len(plain(head))
    for pattern in _BOUNDARIES:
        places = [at for at in cut_places(head, pattern) if LEAST_SHARE * length <= at <= length]
        if places:
            return cut(nodes, places[-1])
    return head, joined((*torn, *nodes[count + 1 :]))


def _torn(node: Node, fits: Fits, fits_alone: Fits, room: int) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """A node that does not fit, in two. Code and links are torn only when even a page of their own would not hold them;
    of a link, its words are left then."""
    if node.kind == "text" or (node.kind == "code_inline" and not fits_alone([node])):
        end = whole(node.text, most(len(node.text), lambda n: fits([replace(node, text=node.text[:n])]), room))
        head, tail = (replace(node, text=text) for text in (node.text[:end], node.text[end:]))
        return ((head,) if end else ()), (tail,)
    if node.kind in _EMPHASIS:
        parts = split_inline(node.children, lambda part: fits([replace(node, children=tidied(part))]), fits_alone, room)
        head, tail = (replace(node, children=tidied(part)) for part in parts)
        return ((head,) if head.children else ()), ((tail,) if tail.children else ())
    if node.kind == "link" and not fits_alone([node]):
        return (), node.children
    return (), (node,)


def _length(node: Node) -> int:
    return len(plain([node])) or 1


def _guess(sizes: Iterable[int], room: int, between: int = 1) -> int:
    """How many things of these sizes about fit."""
    count = 0
    for size in sizes:
        room -= size + between
        if room < 0:
            break
        count += 1
    return count


def most(count: int, fits: Callable[[int], bool], guess: int = 0) -> int:
    """The largest n up to a count for which `fits(n)`, where it fits for all smaller ones; found from a guess."""
    low = high = max(0, min(guess, count))
    step = 1
    while low > 0 and not fits(low):
        low, high, step = max(0, low - step), low, step * 2
    if low == high:
        high = low + 1
    step = 1
    while high <= count and fits(high):
        low, high, step = high, high + step, step * 2
    high = min(high, count + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def whole(text: str, end: int) -> int:
    """The last end of a grapheme cluster up to `end`; `end` itself when the first cluster alone is longer."""
    if end >= len(text):
        return len(text)
    at = 0
    for cluster in graphemes(text[: end + 64]):
        if at + len(cluster) > end:
            break
        at += len(cluster)
    return at or end
