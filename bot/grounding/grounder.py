"""A block of what a model says becomes what of it is carried by the passages, with citations of the lines that do."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache

from bot.grounding.check import Check, Knowledge
from bot.grounding.citing import Citing
from bot.grounding.claims import TELLING_WORDS, Claim, claim_of, code_claim
from bot.grounding.flow import Flow
from bot.grounding.layout import (
    LISTS,
    announces,
    inline,
    is_source_list,
    is_source_title,
    lone_numbers,
    numbers_of,
    split,
    title_level,
    trimmed,
    unwrapped,
)
from bot.grounding.numbers import Numbering, normal, renumbered, taken_out
from bot.grounding.sentence import closed, marked, spoken, with_marks
from bot.markdown import Node, markdown, parse, plain


class Grounder:
    """Checks the blocks of one reply in order."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._known = knowledge
        self._check = Check(knowledge)
        self._flow = Flow()
        self._listing = False  # a list of sources
        self._suspect = False  # the block says, somewhere, what it must not
        self._told: set[str] = set()
        self._end = ""  # the kind of what was said last
        self._list = ""  # the same, when an item that comes now belongs to it
        self._colon = False  # what was said last announced something
        self.citing = Citing(knowledge.origin, knowledge.question)

    @property
    def dropped(self) -> int:
        """How many statements nothing carried."""
        return self._check.dropped

    def grounded(self, block: str) -> str:
        """What of a block is carried, or nothing. Blocks come in order; joined, what is kept is Markdown."""
        nodes = list(unwrapped(parse(block).children, first=not self._end))
        self._suspect = self._known.secret(plain(nodes))
        shown = self._through(nodes, self._flow)
        blank_follows = not (block.splitlines() or [""])[-1].strip()
        if not shown:
            self._list = "" if blank_follows or (nodes[-1:] and nodes[-1].kind not in LISTS) else self._list
            return ""
        if len(shown) == 1 and lone_numbers(shown[0]) and self._end in ("paragraph", "blockquote", *LISTS):
            return f" {plain(shown[0].children)}"
        return self._set_off(shown, blank_follows)

    def _set_off(self, shown: Sequence[Node], blank_follows: bool) -> str:
        """The source of what is shown, set off from what was said before: items of one list by a line end, all else by
        a blank line. A colon at its end is written once something follows."""
        text = markdown(Node("document", tuple(shown)))
        before = (":" if self._flow.followed else ".") if self._colon else ""
        if self._end:
            before += "\n" if shown[0].kind == self._list else "\n\n"
        self._end = shown[-1].kind
        self._list = self._end if self._end in LISTS and not blank_follows else ""
        self._colon = self._end == "paragraph" and text.endswith(":")
        return before + (text[:-1] if self._colon else text)

    def _through(self, nodes: Sequence[Node], flow: Flow) -> list[Node]:
        blocks = list(split(nodes))
        shown: list[Node] = []
        for node in blocks:
            shown += self._next(node, flow, names_item=flow.nested and node is not blocks[-1])
        return shown

    def _next(self, node: Node, flow: Flow, names_item: bool = False) -> list[Node]:
        """What is shown now that a block has come; `names_item`: it can be what the rest of its list item is about."""
        if self._is_listing(node):
            return []
        if numbers := lone_numbers(node):
            return self._attached(numbers, flow)
        if title_level(node) or self._introduces(node):
            flow.wait(node, self._title(node))
        elif shown := self._block(node, flow):
            return flow.kept(node, shown)
        elif names_item and node.kind == "paragraph" and not numbers_of(node):
            flow.wait(node, self._title(node))
        else:
            flow.dropped(node)
        return []

    def _is_listing(self, node: Node) -> bool:
        """Whether a block is of a list of sources: the reader gets one that is checked."""
        if is_source_title(node):
            self._listing = True
            return False
        self._listing = self._listing and is_source_list(node, titled=True)
        return self._listing or is_source_list(node)

    def _title(self, node: Node) -> list[Node]:
        """A title or introduction as it is shown, without citations, or nothing when it says more than it may."""
        bare = trimmed(taken_out(normal(node.children))[0])
        claim = claim_of(bare)
        said = bare and not self._is_secret(claim.text) and not taken_out(bare)[1]
        return [replace(node, children=bare)] if said and self._check.harmless(claim) else []

    def _introduces(self, node: Node) -> bool:
        """Whether a paragraph states nothing by itself: "Yes.", "To do so:"."""
        said = spoken(normal(node.children)) if node.kind == "paragraph" else []
        if not said or numbers_of(node):
            return False
        *first, last = map(claim_of, said)
        if not all(map(self._says_nothing, first)) or last.asks:
            return False
        return self._says_nothing(last) or announces(said[-1])

    def _says_nothing(self, claim: Claim) -> bool:
        return bool(re.search(r"\w", claim.text)) and not claim.asks and self._check.says_nothing(claim)

    def _attached(self, numbers: Sequence[int], flow: Flow) -> list[Node]:
        """What citations that stand alone prove: the items or the code before them, or once more what is shown last."""
        if unproven := flow.unproven:
            flow.given, flow.unproven = tuple(numbers), []
            shown = [found for node in unproven for found in self._next(node, flow)]
            flow.given = ()
            return shown
        if flow.last is None:
            return []
        claim = code_claim(flow.last.text) if flow.last.text else claim_of(taken_out(inline(flow.last))[0])
        new = [self._mark(place, claim.text) for place in self._check.cited(claim, numbers)]
        marks = [mark for mark in dict.fromkeys(new) if mark not in plain(inline(flow.last))]
        return [Node("paragraph", (Node("text", text="".join(marks)),))] if marks else []

    def _block(self, node: Node, flow: Flow) -> list[Node]:
        """What is shown of a block by itself."""
        match node.kind:
            case "paragraph":
                children = self._paragraph(node.children, flow)
                return [replace(node, children=children)] if children else []
            case "bullet_list" | "ordered_list":
                return self._list_of(node, flow)
            case "blockquote":
                children = self._nested(node, flow)
                return [replace(node, children=children)] if children else []
            case "table":
                return self._table(node, flow)
            case "fence":
                return self._fence(node, flow)
        return []

    def _nested(self, node: Node, flow: Flow) -> tuple[Node, ...]:
        inner = Flow(near=flow.around(), given=flow.given, nested=True)
        return closed(self._through(node.children, inner))

    def _list_of(self, node: Node, flow: Flow) -> list[Node]:
        """A list of the items of which something is shown; where that is only a list, its items."""
        items: list[Node] = []
        for item in node.children:
            inner = self._nested(item, flow)
            if inner and all(child.kind in LISTS for child in inner):
                items += (found for child in inner for found in child.children)
            elif inner:
                items.append(replace(item, children=inner))
        return [replace(node, children=tuple(items))] if items else []

    def _table(self, node: Node, flow: Flow) -> list[Node]:
        head, *rows = node.children
        bare = taken_out(inline(head))[0]
        if self._is_secret(plain(bare)) or not self._check.exists(claim_of(bare)):
            return []
        near = (*flow.around(), *numbers_of(head))
        kept = [shown for row in rows if (shown := self._row(row, near, flow.given))]
        cells = tuple(replace(cell, children=taken_out(normal(cell.children))[0]) for cell in head.children)
        return [replace(node, children=(replace(head, children=cells), *kept))] if kept else []

    def _row(self, row: Node, near: Collection[int], given: Sequence[int]) -> Node | None:
        """A table's row when it is carried as one sentence; citations that are new stand in its last cell."""
        bare, own = taken_out(inline(row))
        claim = claim_of(bare)
        places = self._places(claim, bare, own or given, near)
        if not places:
            return None
        write = self._numbering(claim, places, own)
        *cells, last = (renumbered(normal(cell.children), write) for cell in row.children)
        written = (*cells, with_marks(last, write(())))
        return replace(
            row, children=tuple(replace(cell, children=new) for cell, new in zip(row.children, written, strict=True))
        )

    def _fence(self, node: Node, flow: Flow) -> list[Node]:
        """Code that is an example of what was just said, or the passages' own, which is cited below it."""
        claim = code_claim(node.text)
        if not node.text.strip() or self._is_secret(node.text):
            return []
        if flow.said and self._check.is_example(claim):
            return [node]
        place = self._check.code_place(claim, flow.given, flow.around())
        if place is None:
            return []
        return [node, Node("paragraph", (Node("text", text=self._mark(place, node.text)),))]

    def _paragraph(self, nodes: Sequence[Node], flow: Flow) -> tuple[Node, ...]:
        """The sentences that are carried, with those between them that say nothing."""
        said = spoken(normal(nodes))
        near = (*flow.near, *taken_out(node for sentence in said for node in sentence)[1])
        kept = [self._sentence(sentence, near, flow.given) for sentence in said]
        if not any(kept):
            return ()
        bare = (taken_out(sentence)[0] for sentence in said)
        silent = (sentence if self._says_nothing(claim_of(sentence)) else () for sentence in bare)
        return trimmed([node for one, other in zip(kept, silent, strict=True) for node in one or other])

    def _sentence(self, nodes: Sequence[Node], near: Collection[int], given: Sequence[int]) -> tuple[Node, ...]:
        """A sentence with the numbers of the lines that carry it, or nothing."""
        bare, own = taken_out(nodes)
        claim = claim_of(bare)
        if claim.admits and self._may_say(claim, bare) and self._check.harmless(claim):
            return bare
        places = self._places(claim, bare, own or given, near)
        told = " ".join(claim.text.split()).lower()
        long = len(claim.words) + len(claim.values) >= TELLING_WORDS  # "Default: 8." may be said of several things
        if not places or (long and told in self._told):
            return ()
        self._told.add(told)
        return marked(nodes, self._numbering(claim, places, own))

    def _places(self, claim: Claim, bare: Sequence[Node], numbers: Sequence[int], near: Collection[int]) -> list[int]:
        return self._check.places(claim, numbers, near) if self._may_say(claim, bare) else []

    def _may_say(self, claim: Claim, bare: Sequence[Node]) -> bool:
        """Whether a claim is one at all: it has words, asks nothing, keeps secrets, and nothing in it passes for a
        citation."""
        has_words = re.search(r"\w", claim.text) is not None
        return has_words and not claim.asks and not taken_out(bare)[1] and not self._is_secret(claim.text)

    def _is_secret(self, text: str) -> bool:
        return self._suspect and self._known.secret(text)

    def _numbering(self, claim: Claim, places: Sequence[int], own: Sequence[int]) -> Numbering:
        """What is written for each mark of a statement: the new numbers of the places that it cites, if they carry it.
        Places that it does not cite take the first mark that is left empty, else they come last."""
        rest = [place for place in places if place + 1 not in own]
        mark = cache(lambda place: self._mark(place, claim.text))

        def write(numbers: Sequence[int]) -> str:
            known = [number - 1 for number in numbers if number - 1 in places]
            if not known:
                known = list(rest)
                rest.clear()
            return "".join(dict.fromkeys(map(mark, known)))

        return write

    def _mark(self, place: int, claim: str) -> str:
        return f"[{self.citing.number(self._known.passages[place], claim)}]"
