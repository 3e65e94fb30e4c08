"""What a reasoning model thinks is taken out of what it says, while it streams.

A server that knows its model puts thoughts beside the text, where nobody reads them. Others leave them at its start,
between marks, of which the first may already stand in the chat template.
"""

from __future__ import annotations

import re

_MARKS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|channel|>analysis<|message|>": "<|channel|>final<|message|>",
}
# By itself in a line, as models write it; an answer about such models has it in a sentence, or after its opening mark.
_UNOPENED = re.compile(rf"^[ \t]*(?:{'|'.join(map(re.escape, _MARKS.values()))})[ \t]*$", re.MULTILINE)


class ThoughtAloud(Exception):
    """Thoughts were taken for the answer, since nothing opened them."""


class Thoughts:
    """Takes the thoughts from the start of one reply. `unopened`: they are known to begin without a mark."""

    def __init__(self, unopened: bool = False) -> None:
        self._held = ""
        self._closing = tuple(_MARKS.values()) if unopened else ()
        self._said = ""
        self._begun = False

    def feed(self, piece: str) -> str:
        """What of the text so far is no thought. Raises ThoughtAloud when what was returned before was one."""
        if self._begun:
            return self._checked(piece)
        self._held += piece
        if self._closing:
            return self._after_thoughts()
        start = self._held.lstrip()
        if opened := next((mark for mark in _MARKS if start.startswith(mark)), None):
            self._closing = (_MARKS[opened],)
            return self._after_thoughts()
        if not start or any(mark.startswith(start) for mark in _MARKS):
            return ""
        return self._begin(self._held)

    def finish(self) -> str:
        """What is left at the end: what only looked like the start of a thought, but no thought that never ended."""
        if self._begun:
            self._checked("\n")
            return ""
        return "" if self._closing else self._begin(self._held)

    def _after_thoughts(self) -> str:
        ends = [self._held.find(mark) + len(mark) for mark in self._closing if mark in self._held]
        rest = self._held[min(ends) :].lstrip() if ends else ""
        return self._begin(rest) if rest else ""

    def _begin(self, text: str) -> str:
        self._begun, self._held = True, ""
        return self._checked(text)

    def _checked(self, text: str) -> str:
        """The same text, unless a line of all that was said closes thoughts that nothing opened."""
        self._said += text
        closed = "\n" in text and not self._closing and _UNOPENED.search(self._said.rpartition("\n")[0])
        if closed and not any(mark in self._said for mark in _MARKS):
            raise ThoughtAloud
        return text
