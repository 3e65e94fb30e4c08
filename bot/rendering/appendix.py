"""What is put below an answer whose text goes to other programs as it is: warnings, sources, and what was read."""

from __future__ import annotations

import re
from typing import Final

from bot.markdown import Node, joined, markdown
from bot.rendering.sources import paragraph, public_links, read_from, sources, warnings
from bot.types import Answer, Index

_BEGINS: Final = "\n\n---\n\n"
_READ: Final = "Read from "
_ENDS: Final = re.compile(rf"[*_]{_READ}[^\n]*[*_]\s*\Z")


def appendix(answer: Answer) -> str:
    """The Markdown that follows the answer's own, beginning with the blank line and the rule that set it off."""
    blocks = (*warnings(answer), *sources(answer, public_links(answer.citations)), paragraph(_read(answer.index)))
    return _BEGINS + "\n\n".join(map(markdown, blocks))


def without_appendix(text: str) -> str:
    """An answer as it comes back in a conversation, without what `appendix` had put below it."""
    body, rule, below = text.rpartition(_BEGINS)
    return body if rule and _ENDS.search(below) else text


def _read(index: Index) -> Node:
    said = Node("text", text=f"{_READ}{index.repository}, ")
    return Node("em", joined((said, *read_from(index), Node("text", text="."))))
