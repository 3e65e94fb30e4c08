"""What waits for what follows while blocks come one by one: titles, introductions, code and items without a source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.grounding.layout import LISTS, announces, inline, numbers_of, title_level
from bot.markdown import Node


@dataclass(slots=True)
class Flow:
    """The state between two blocks of one text, list item or quotation.

    `near` are the numbers cited around it, `given` those that each statement in it counts as citing, `lead` those of
    the sentence that led to what comes now. `said` tells whether what came last is shown or waits to be, `followed`
    whether what is shown now is what the sentence before it announced.
    """

    near: tuple[int, ...] = ()
    given: tuple[int, ...] = ()
    nested: bool = False
    lead: tuple[int, ...] = ()
    said: bool = False
    followed: bool = False
    last: Node | None = None
    waiting: list[Node] = field(default_factory=list)
    unproven: list[Node] = field(default_factory=list)
    _skipped: frozenset[str] = frozenset()  # kinds, of which one was dropped and another may be what was announced

    def around(self) -> tuple[int, ...]:
        """The numbers cited around a list, a table or code that comes now."""
        return tuple(dict.fromkeys((*self.near, *self.lead)))

    def wait(self, node: Node, shown: Sequence[Node]) -> None:
        """A title or an introduction is shown when something that it leads to is; `shown` is empty when it is not."""
        if level := title_level(node):
            self.waiting = [kept for kept in self.waiting if 0 < title_level(kept) < level]
        self.waiting += shown
        self.unproven, self.said, self.lead, self.last, self._skipped = [], bool(shown), (), None, frozenset()

    def kept(self, node: Node, shown: Sequence[Node]) -> list[Node]:
        """What is shown for a block: what waited for it, then what of it is shown."""
        if self._skipped and node.kind not in self._skipped:
            self._forget_introductions()
        self.followed = not self.waiting and (self.said or node.kind in self._skipped)
        out = [*self.waiting, *shown]
        self.waiting, self.unproven, self.said, self.last, self._skipped = [], [], True, shown[-1], frozenset()
        if node.kind == "paragraph":
            self.lead = tuple(numbers_of(node)) if self.nested or announces(inline(node)) else ()
        return out

    def dropped(self, node: Node) -> None:
        """Nothing of a block is shown. What announced a list waits for its next item; what cites nothing may yet be
        followed by its citation."""
        proved_later = node.kind in (*LISTS, "fence") and not numbers_of(node)
        self.unproven = [*self.unproven, node] if proved_later else []
        self.said, self.last = False, None
        if node.kind in (*LISTS, "fence"):
            self._skipped = LISTS if node.kind in LISTS else frozenset({"fence"})
        else:
            self._forget_introductions()
            self.lead = ()

    def _forget_introductions(self) -> None:
        self.waiting = [kept for kept in self.waiting if title_level(kept)]
