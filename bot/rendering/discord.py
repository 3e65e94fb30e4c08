"""An answer becomes Discord messages: what Discord shows otherwise than GitHub is said otherwise."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from bot.markdown import Node
from bot.rendering.chat_markdown import SUBTEXT, chat_blocks
from bot.rendering.pages import paged
from bot.rendering.safety import LONGEST, safe_tree
from bot.rendering.sources import (
    no_answer,
    paragraph,
    places,
    public_links,
    read_from,
    sources,
    warnings,
    with_links,
)
from bot.types import Answer, Citation

# What every message must be sent with, so that nothing in it notifies anybody.
ALLOWED_MENTIONS: Final[dict[str, list[str]]] = {"parse": []}
WRITING: Final = "… still writing"
FEEDBACK: Final = "Wrong or outdated? Press 👎 to tell the maintainers."


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


def growing(text: str) -> str:
    """One message with the beginning of an answer that is still being written."""
    blocks = chat_blocks(safe_tree(text, ()))
    writing = Node("heading", (Node("text", text=WRITING),), number=SUBTEXT)
    return paged(blocks, (writing,), cut_before=False)[0]


def listing(shown: Iterable[tuple[Citation, str | None]]) -> list[str]:
    """Messages that show cited lines, each with its place; only the place of those that are None."""
    blocks = [block for citation, lines in shown for block in _shown(citation, lines)]
    return paged(blocks, (), cut_before=False) if blocks else []


def _shown(citation: Citation, lines: str | None) -> Iterator[Node]:
    (listed,) = places((citation,), public_links((citation,)))
    yield listed
    if lines is not None:
        language = PurePosixPath(citation.path).suffix.lstrip(".")
        yield Node("fence", info=language if language.isalnum() else "", text=f"{lines}\n")


def _about(answer: Answer, feedback: str) -> Node:
    """A server may ask about several repositories, so the one that was read is named."""
    said = Node("text", text=f"Automated answer, read from {answer.index.repository} ")
    return Node("heading", (said, *read_from(answer.index), Node("text", text=f". {feedback}")), number=SUBTEXT)
