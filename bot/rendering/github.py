"""An answer becomes one GitHub comment: the text, warnings, sources, a line about itself, and a hidden marker."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from bot.markdown import Node, joined, markdown
from bot.rendering.cutting import Cutter
from bot.rendering.safety import LONGEST, safe_tree
from bot.rendering.sources import no_answer, paragraph, public_links, read_from, sources, warnings, with_links
from bot.types import Answer

# What GitHub's API takes: "body is too long (maximum is 65536 characters)"; its database takes 262,144 bytes, which so
# many characters cannot exceed.
LONGEST_COMMENT: Final = 65_536
MARKER: Final = "<!-- repopilot:answer id={id} -->"
FEEDBACK: Final = "Wrong or outdated? React with 👎 to tell the maintainers."
SHORTENED: Final = "Shortened: the rest of this answer was cut off, since it is longer than a comment may be."

_OUR_MARKER: Final = re.compile(r"<!--(?=\s*repopilot:)", re.IGNORECASE)
_SEPARATOR: Final = "\n\n"


def comment(answer: Answer, links: Collection[str] = (), feedback: str = FEEDBACK) -> str:
    """The comment's Markdown. URLs stay links when they are those of the answer's citations, or in `links`."""
    urls = public_links(answer.citations)
    allowed = {*links, *urls.values(), *(citation.url for citation in answer.citations)}
    text = with_links(safe_tree(answer.answer, allowed), urls)
    empty = not text.children
    body = _unmarked(text) if not empty else Node("document", (paragraph(*_said(no_answer(answer.index))),))
    below = (*warnings(answer), *(() if empty else sources(answer, urls)), _about(answer, feedback))
    tail = _SEPARATOR.join((*map(markdown, below), MARKER.format(id=re.sub(r"[^\w-]", "", answer.id))))
    return _SEPARATOR.join((_shortened(body, LONGEST_COMMENT - len(tail) - 2, len(answer.answer) > LONGEST), tail))


def _about(answer: Answer, feedback: str) -> Node:
    said = (*_said("This answer is automated, read from "), *read_from(answer.index), *_said(f". {feedback}"))
    return paragraph(Node("em", joined(said)))


def _said(text: str) -> tuple[Node, ...]:
    return (Node("text", text=text),)


def _unmarked(node: Node) -> Node:
    """The node with our marker in code spoilt, so that there is only our own."""
    if node.kind in ("code_inline", "fence"):
        return replace(node, text=_OUR_MARKER.sub("<!- -", node.text))
    return replace(node, children=tuple(map(_unmarked, node.children)))


def _shortened(body: Node, room: int, cut_before: bool) -> str:
    """The body's source; with a note at its end when it does not fit, or was cut before."""
    text = markdown(body)
    if len(text) <= room and not cut_before:
        return text
    note = markdown(paragraph(Node("em", _said(SHORTENED))))
    return _SEPARATOR.join((*_head(body, room - len(note) - len(_SEPARATOR)), note))


def _head(body: Node, room: int) -> list[str]:
    """The sources of the blocks from the start that fit."""
    cutter = Cutter(lambda block: len(markdown(block)), room)
    kept: list[str] = []
    for block in body.children:
        piece, rest = cutter.split(block, room)
        if piece is None and not kept:
            piece, rest = cutter.forced(block, room)
        if piece:
            kept.append(markdown(piece))
            room -= len(kept[-1]) + len(_SEPARATOR)
        if rest:
            break
    return kept
