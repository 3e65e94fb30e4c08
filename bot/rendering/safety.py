"""An answer's Markdown becomes Markdown that can stand under our name anywhere, whatever a model wrote.

It has no HTML, image, definition or thought, no link but those allowed, nothing that pings, refers to issues, commands
or hides. Code is untouched but for unseen characters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bot.markdown import Node, joined, markdown, plain, rewritten
from bot.markdown.tree import normalized, parse_inline, shown
from bot.rendering.characters import visible
from bot.rendering.inert import Links, command, inert, inert_link, parted, unmarked
from bot.rendering.thoughts import parse_answer
from bot.rendering.tidying import BREAKS, HOLDING, solid, spaced, tidied

# Much more than any surface shows. What is longer is cut before it costs anything.
LONGEST: Final = 100_000

_TAG: Final = re.compile(r"<(?P<closing>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*)(?P<attributes>\s[^>]*|/?)>")
_UNENDED_TAG: Final = re.compile(r"<[A-Za-z][\w-]*\s+[\w:-]+\s*=[^<>]*")
# Elements whose content is not for readers.
_CONTENT_DROPPED: Final = frozenset("script style iframe object svg math template noscript select title head".split())
_BREAKING: Final = frozenset(
    """address article aside blockquote br center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3
    h4 h5 h6 header hr legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul""".split()
)
_FLOWING: Final = frozenset(
    """a abbr acronym applet area audio b base basefont bdi bdo big blink body button canvas caption cite code col
    colgroup data datalist del dfn dialog dir em embed font frame frameset hgroup html i img input ins kbd keygen label
    link map mark marquee menu meta meter nobr noembed noframes optgroup option output param picture plaintext portal
    progress q rb rp rt rtc ruby s samp search slot small source span strike strong sub sup textarea time track tt u var
    video wbr xmp""".split()
)
# What models leave of their templates.
_TEMPLATE: Final = frozenset(
    "bos cls eos eot mask pad sep unk think thinking thought thoughts reasoning reflection scratchpad".split()
)
_ELEMENTS: Final = _CONTENT_DROPPED | _BREAKING | _FLOWING | _TEMPLATE
# Fences that GitHub draws, with the links in them, or offers to commit.
_DRAWN: Final = frozenset({"mermaid", "geojson", "topojson", "stl", "math", "suggestion"})
_LANGUAGE: Final = re.compile(r"\{?\.?([A-Za-z0-9+#][A-Za-z0-9+#_.-]{0,29})")
_HIDING_ALL: Final = "the rest"


def safe(text: str, links: Collection[str]) -> str:
    """The text as safe Markdown; only URLs in `links`, exactly, stay links. Doing it twice changes nothing more."""
    return markdown(safe_tree(text, links))


def safe_tree(text: str, links: Collection[str]) -> Node:
    """The tree of `safe`. Of a text that is longer than LONGEST, its start."""
    allowed = {normalized(url): url for url in links}
    tree = parse_answer(visible(text[:LONGEST]))
    return Node("document", tuple(_blocks(tree.children, allowed.get)))


def _blocks(nodes: Sequence[Node], links: Links) -> Iterator[Node]:
    for node in nodes:
        match node.kind:
            case "html_block":
                yield from _blocks((Node("paragraph", parse_inline(node.text)),), links)
            case "paragraph" | "heading":
                if children := _inline(node.children, links, in_line=node.kind == "heading"):
                    yield replace(node, children=children)
            case "table":
                rows = tuple(replace(row, children=tuple(_cells(row.children, links))) for row in node.children)
                if any(cell.children for row in rows for cell in row.children):
                    yield replace(node, children=rows)
            case "fence":
                yield replace(node, info=_language(node.info))
            case "hr":
                yield node
            case _:
                if children := tuple(_blocks(node.children, links)):
                    yield replace(node, children=children)


def _cells(cells: Sequence[Node], links: Links) -> Iterator[Node]:
    for cell in cells:
        yield replace(cell, children=_inline(cell.children, links, in_line=True))


def _language(info: str) -> str:
    found = _LANGUAGE.match(info)
    language = found[1] if found else ""
    return "text" if language.lower() in _DRAWN else language


def _inline(nodes: Sequence[Node], links: Links, in_line: bool) -> tuple[Node, ...]:
    """The inline nodes of one block, safe; nothing when none of them shows anything. `in_line`: it has no line ends."""
    stripped = Node("paragraph", joined(_Stripping(links, in_line).nodes(nodes)))
    unmarked_ones = rewritten(stripped, lambda text: (Node("text", text=unmarked(text)),)).children
    bare = tidied(solid(_without_unended(unmarked_ones)))
    tidy = tidied(_inerted(bare, links, top=True))
    return tidy if plain(tidy).strip() else ()


def _without_unended(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The nodes without tags at the end of the block that nothing ends: a browser would drop these."""
    if not nodes or nodes[-1].kind != "text":
        return nodes
    text = nodes[-1].text
    end = len(text)
    while (start := text.rfind("<", 0, end)) >= 0 and _UNENDED_TAG.fullmatch(text, start, end):
        end = start
    return (*nodes[:-1], Node("text", text=text[:end]))


@dataclass(slots=True)
class _Stripping:
    """Takes HTML, images and foreign links from the inline nodes of one block, in reading order."""

    links: Links
    in_line: bool
    hidden: str = field(default="")  # the element whose content is being dropped
    depth: int = field(default=0)

    def nodes(self, nodes: Sequence[Node]) -> Iterator[Node]:
        for node in nodes:
            if node.kind == "html_inline":
                yield from self._html(node.text)
            elif not self.hidden or node.children:
                yield from self._seen(node)

    def _seen(self, node: Node) -> Iterator[Node]:
        self.depth += 1
        children = joined(self.nodes(node.children))
        self.depth -= 1
        match node.kind:
            case "image" | "text":
                text, comment, _ = visible(node.text).partition("<!--")
                self.hidden = _HIDING_ALL if comment else self.hidden  # a comment that nothing ends
                yield Node("text", text=text)
            case "link":
                yield from self._link(node, children)
            case "em" | "strong" | "s":
                yield replace(node, children=children)
            case _:
                yield node

    def _link(self, node: Node, children: tuple[Node, ...]) -> Iterator[Node]:
        text = plain(children)
        if self.links(node.url) and text.strip():
            yield Node("link", children, url=node.url)
        elif text == shown(node.url):
            yield inert_link(node.url, self.links)  # nothing but a URL
        else:
            yield from children

    def _html(self, html: str) -> Iterator[Node]:
        tag = _TAG.fullmatch(html)
        if tag is None:
            return  # a comment, a declaration, an instruction
        name = tag["name"].lower()
        if self.hidden:
            self.hidden = "" if tag["closing"] and name == self.hidden else self.hidden
        elif name in _CONTENT_DROPPED and not tag["closing"] and not tag["attributes"].endswith("/"):
            self.hidden = name
        elif name in _BREAKING:
            yield Node("text", text=" ") if self.in_line or self.depth else Node("softbreak")
        elif name not in _ELEMENTS and "=" not in tag["attributes"]:
            yield Node("text", text=html)  # `<your model>`: a place to fill in


def _inerted(nodes: Sequence[Node], links: Links, top: bool) -> tuple[Node, ...]:
    return joined(parted(joined(_each_inert(nodes, links, top))))


def _each_inert(nodes: Sequence[Node], links: Links, top: bool) -> Iterator[Node]:
    for before, node, after in zip((None, *nodes), nodes, (*nodes[1:], None), strict=False):
        if node.kind == "text":
            text = node.text
            if top if before is None else before.kind in BREAKS:
                said, text = command(text, is_whole_line=after is None or after.kind in BREAKS)
                yield Node("code_inline" if said else "text", text=said)
            yield from inert(text, links)
        elif node.kind == "link" and plain(node.children) == shown(node.url):
            yield node
        elif node.kind in HOLDING:
            yield from spaced(node, _inerted(node.children, links, top=False))
        else:
            yield node
