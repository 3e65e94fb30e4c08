"""An answer becomes Discord messages: what Discord shows otherwise than GitHub is said otherwise."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from bot.markdown import Node
from bot.rendering.chat_markdown import SUBTEXT, chat_blocks
from bot.rendering.pages import paged
from bot.rendering.safety import LONGEST, safe_tree
from bot.rendering.sources import no_answer, paragraph, public_links, read_from, sources, warnings, with_links
from bot.types import Answer

# What every message must be sent with, so that nothing in it notifies anybody.
ALLOWED_MENTIONS: Final[dict[str, list[str]]] = {"parse": []}
FEEDBACK: Final = "Wrong or outdated? React with 👎 to tell the maintainers."


def messages(answer: Answer, links: Collection[str] = (), feedback: str = FEEDBACK) -> list[str]:
    """One to ten messages, each of at most 2,000 characters. URLs stay links when they are those of the answer's
    citations, or in `links`; none shows a preview.

    Where it all fits into one message, each `[n]` is a link. Where not, the list of sources has to do: links are long.
    """
    urls = public_links(answer.citations)
    allowed = {*links, *urls.values(), *(citation.url for citation in answer.citations)}
    text = safe_tree(answer.answer, allowed)
    tail = (*(sources(answer, urls) if text.children else ()), _about(answer, feedback))
    if not text.children:
        text = Node("document", (paragraph(Node("text", text=no_answer(answer.index))),))
    for body in (with_links(text, urls), text):
        blocks = (*chat_blocks(body), *warnings(answer))
        found = paged(blocks, tail, cut_before=len(answer.answer) > LONGEST)
        if len(found) == 1:
            break
    return found


def _about(answer: Answer, feedback: str) -> Node:
    said = Node("text", text="Automated answer, read from ")
    return Node("heading", (said, *read_from(answer.index), Node("text", text=f". {feedback}")), number=SUBTEXT)
