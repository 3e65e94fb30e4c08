"""What stands below an answer on every surface: where its claims come from, and what was read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from bot.markdown import Node, joined
from bot.markdown.tree import normalized
from bot.rendering.characters import visible
from bot.rendering.safety import safe_tree
from bot.types import Answer, Citation, Index

NO_ANSWER: Final = "I could not find an answer to this: there is nothing in {repository} at {ref} that I can cite."

# Files that GitHub and GitLab show rendered, where `#L10` leads nowhere; `?plain=1` shows their lines:
# https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/creating-a-permanent-link-to-a-code-snippet
_RENDERED: Final = re.compile(
    r"\.(?:md|markdown|mdown|mdwn|mkdn?|mkdown|rst|adoc|asciidoc|asc|org|textile|creole|pod|rdoc|wiki|mediawiki|ipynb|csv"
    r"|tsv|geojson|topojson|stl|svg|mmd|mermaid)\Z",
    re.IGNORECASE,
)
_CITATION: Final = re.compile(r"\[(\d{1,3})\]")
_COMMIT: Final = re.compile(r"[0-9a-f]{40,64}")
_SHORT_COMMIT: Final = 7


def lines_url(url: str) -> str:
    """A permalink that shows its lines also where the file would be shown rendered."""
    parts = urlsplit(url)
    if "/blob/" in parts.path and not parts.query and _RENDERED.search(parts.path):
        return parts._replace(query="plain=1").geturl()
    return url


def public_links(citations: Iterable[Citation]) -> dict[int, str]:
    """Where each citation's number leads; a link of our own server, for want of a code host, leads nowhere outside."""
    found = {citation.number: lines_url(citation.url) for citation in citations}
    return {number: normalized(url) for number, url in found.items() if url.startswith(("https://", "http://"))}


def with_links(node: Node, urls: Mapping[int, str]) -> Node:
    """The node with each `[n]` outside code and links as a link."""
    return replace(node, children=joined(_linked(node.children, urls))) if node.children else node


def _linked(nodes: Sequence[Node], urls: Mapping[int, str]) -> Iterator[Node]:
    for node in nodes:
        if node.kind == "text":
            yield from _numbers(node.text, urls)
        else:
            yield node if node.kind == "link" else with_links(node, urls)


def _numbers(text: str, urls: Mapping[int, str]) -> Iterator[Node]:
    at = 0
    for found in _CITATION.finditer(text):
        if url := urls.get(int(found[1])):
            yield Node("text", text=text[at : found.start()])
            yield Node("link", (Node("text", text=found[0]),), url=url)
            at = found.end()
    yield Node("text", text=text[at:])


def sources(answer: Answer, urls: Mapping[int, str]) -> tuple[Node, ...]:
    """The blocks that list an answer's citations; none when it has none."""
    if not answer.citations:
        return ()
    title = "Nearest places" if answer.declined else "Sources"
    return (paragraph(Node("strong", (Node("text", text=title),))), *places(answer.citations, urls))


def places(citations: Sequence[Citation], urls: Mapping[int, str]) -> Iterator[Node]:
    """One ordered list, in which each citation has its number; another one where numbers are left out."""
    run: list[Citation] = []
    for citation in citations:
        if run and citation.number != run[-1].number + 1:
            yield _list(run, urls)
            run = []
        run.append(citation)
    yield _list(run, urls)


def _list(citations: Sequence[Citation], urls: Mapping[int, str]) -> Node:
    items = tuple(Node("list_item", (paragraph(*_place(c, urls.get(c.number))),)) for c in citations)
    return Node("ordered_list", items, number=citations[0].number)


def _place(citation: Citation, url: str | None) -> tuple[Node, ...]:
    last = f"–{citation.end_line}" if citation.end_line > citation.start_line else ""
    where = Node("text", text=f" {'lines' if last else 'line'} {citation.start_line}{last}")
    place = (Node("code_inline", text=visible(citation.path).replace("\n", " ")), where)
    return (Node("link", place, url=url),) if url else place


def warnings(answer: Answer) -> tuple[Node, ...]:
    """An answer's warnings, each a quotation of its own. They may hold words of others, such as of a model's server."""
    found = (safe_tree(f"⚠ {text}", ()).children for text in answer.warnings)
    return tuple(Node("blockquote", blocks) for blocks in found if blocks)


def read_from(index: Index) -> tuple[Node, ...]:
    """The version that was read, as inline nodes."""
    commit = index.commit[:_SHORT_COMMIT] if _COMMIT.fullmatch(index.commit) else index.commit
    names = [index.ref] if index.ref in (commit, index.commit) else [index.ref, commit]
    shown = [Node("code_inline", text=visible(name).replace("\n", " ") or "?") for name in names]
    between = (Node("text", text=" at "), *shown[1:]) if len(shown) > 1 else ()
    stale = Node("text", text=", whose source has moved on since" if index.stale else "")
    return joined((shown[0], *between, stale))


def no_answer(index: Index) -> str:
    return NO_ANSWER.format(repository=index.repository, ref=index.ref)


def paragraph(*nodes: Node) -> Node:
    return Node("paragraph", nodes)
