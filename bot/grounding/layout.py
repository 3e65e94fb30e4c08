"""The parts of a model's Markdown that are no statements: wrappings, titles, introductions, lists of sources. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from bot.grounding.claims import PATH, URL, content_words
from bot.grounding.numbers import normal, taken_out
from bot.markdown import Node, joined, parse, plain, sentences

LISTS: Final = frozenset({"bullet_list", "ordered_list"})
STOPS: Final = ".!?…。！？"
# A paragraph in bold is a title below all headings.
_LOWEST: Final = 7
_MARKDOWN: Final = frozenset({"markdown", "md"})
_TAG_LINE: Final = re.compile(r"^[ \t]*</?[A-Za-z][\w-]*>[ \t]*$", re.MULTILINE)
_SOURCES: Final = re.compile(
    r"\W*(?:cited |relevant )?(?:sources?|references?|citations?|footnotes?|quellen|belege|fuentes|références"
    r"|参考(?:文献|资料)?|出典|来源|источники)(?: used| cited)?\W*",
    re.IGNORECASE,
)
# Words that a line of a list of sources has beside its path.
_MOST_SOURCE_WORDS: Final = 3


def unwrapped(nodes: Sequence[Node], first: bool) -> Iterator[Node]:
    """The blocks without what a model wraps its whole answer in: a fence of Markdown, or a tag on a line of its own."""
    for node in nodes:
        if first and node.kind == "fence" and node.info.lower() in _MARKDOWN:
            yield from parse(node.text).children
        elif node.kind == "html_block" and _TAG_LINE.match(node.text):
            yield from parse(_TAG_LINE.sub("", node.text)).children
        else:
            yield node


def inline(node: Node) -> tuple[Node, ...]:
    """All inline nodes of a block, with blanks between what stands apart."""
    if node.kind in ("paragraph", "heading", "cell"):
        return normal(node.children)
    parts = ((*inline(child), Node("text", text=" ")) for child in node.children)
    return joined(found for part in parts for found in part)


def numbers_of(node: Node) -> list[int]:
    """The passages that a block cites anywhere, by first use."""
    return taken_out(inline(node))[1]


def lone_numbers(node: Node) -> list[int]:
    """What a paragraph cites that is nothing but citations; else nothing."""
    bare, numbers = taken_out(inline(node)) if node.kind == "paragraph" else ((), [])
    return [] if re.search(r"\w", plain(bare)) else numbers


def title_level(node: Node) -> int:
    """1 to 6 for a heading, more for a paragraph in bold that is no sentence, 0 for anything else."""
    if node.kind == "heading":
        return node.number
    shown = normal(node.children) if node.kind == "paragraph" else ()
    bold = [inner for inner in shown if not (inner.kind == "text" and not inner.text.strip(" :："))]
    is_title = len(bold) == 1 and bold[0].kind == "strong" and not plain(bold).rstrip().endswith(tuple(STOPS))
    return _LOWEST if is_title else 0


def announces(nodes: Sequence[Node]) -> bool:
    """Whether inline nodes end in a colon."""
    return plain(taken_out(nodes)[0]).rstrip(" \n").endswith((":", "："))


def split(nodes: Sequence[Node]) -> Iterator[Node]:
    """The blocks, with a last sentence that cites nothing and announces what follows as a paragraph of its own. What is
    a heading only since a rule was meant to follow it is a paragraph."""
    for block in nodes:
        ends = block.kind == "heading" and plain(taken_out(inline(block))[0]).rstrip().endswith((".", "。"))
        node = replace(block, kind="paragraph", number=0) if ends else block
        shown = normal(node.children) if node.kind == "paragraph" else ()
        *said, last = sentences(shown) or [()]
        if said and announces(last) and not taken_out(last)[1]:
            yield replace(node, children=trimmed(joined(part for sentence in said for part in sentence)))
            yield replace(node, children=last)
        else:
            yield node


def is_source_title(node: Node) -> bool:
    """Whether a list of sources follows: the reader gets one that is checked."""
    return node.kind in ("heading", "paragraph") and _SOURCES.fullmatch(plain(taken_out(inline(node))[0])) is not None


def is_source_list(node: Node, titled: bool = False) -> bool:
    """Whether a block is nothing but where something was found: `[1] a/b.py`, "Sources: [1], [2]". Under a title that
    says so, `a/b.py` alone is enough."""
    if node.kind in LISTS:
        return titled and all(is_source_list(inner, titled) for item in node.children for inner in item.children)
    if node.kind != "paragraph":
        return False
    text = plain(taken_out(inline(node))[0])
    before, colon, after = text.partition(":")
    if colon and _SOURCES.fullmatch(before) and _names_a_place(after):
        return True
    return all(_is_source_line(line, titled) for line in plain(node.children).split("\n"))


def _is_source_line(line: str, titled: bool) -> bool:
    bare, numbers = taken_out(normal([Node("text", text=line)]))
    numbered = bool(numbers) and line.lstrip(" (").startswith(("[", "【"))
    placed = PATH.search(line) is not None or URL.search(line) is not None
    wanted = (numbered or placed) if titled else (numbered and placed)
    return wanted and _names_a_place(plain(bare))


def _names_a_place(text: str) -> bool:
    rest = PATH.sub(" ", URL.sub(" ", text))
    ends = text.rstrip().endswith(tuple(STOPS)) and not text.lstrip().startswith(":")
    return len(content_words(rest)) <= _MOST_SOURCE_WORDS and not ends


def trimmed(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """A paragraph without the white space around it."""
    nodes = list(joined(nodes))
    for at, strip in ((0, str.lstrip), (-1, str.rstrip)):
        while nodes and (nodes[at].kind in ("softbreak", "hardbreak") or _is_blank(nodes[at])):
            del nodes[at]
        if nodes and nodes[at].kind == "text":
            nodes[at] = replace(nodes[at], text=strip(nodes[at].text))
    return joined(nodes)


def _is_blank(node: Node) -> bool:
    return node.kind == "text" and not node.text.strip()
