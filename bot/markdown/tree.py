"""Markdown becomes a tree of frozen nodes: CommonMark with GitHub's tables, strikethrough and bare links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.markdown.autolinks import bare_link

# markdown-it's own names, but for `cell`, which is its th and td; indented code is a `fence` without a language.
BlockKind = Literal[
    "document",
    "paragraph",
    "heading",
    "blockquote",
    "bullet_list",
    "ordered_list",
    "list_item",
    "fence",
    "hr",
    "table",
    "tr",
    "cell",
    "html_block",
]
InlineKind = Literal[
    "text", "code_inline", "em", "strong", "s", "link", "image", "softbreak", "hardbreak", "html_inline"
]
Kind = BlockKind | InlineKind

# Deeper than people write; what lies deeper is text, and recursion over the tree stays shallow.
MOST_NESTED = 40
# They are never shown, and cannot be written as references either.
_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)))
_NUMBER_LABEL = re.compile(r"\^?\d+")
_RENAMED: dict[str, Kind] = {"th": "cell", "td": "cell", "code_block": "fence"}
_TRANSPARENT = frozenset({"thead", "tbody"})


@dataclass(frozen=True, slots=True)
class Node:
    """One element. Inline nodes are the children of the paragraph, heading or cell that holds them.

    `text` is a leaf's content (an image's is its alternative text); a fence's ends with a newline unless it is empty.
    `info` is a fence's info string or a cell's alignment. `number` is a heading's level or a list's first number. A
    list is `tight` when no blank line lies between what it holds.
    """

    kind: Kind
    children: tuple[Node, ...] = ()
    text: str = ""
    info: str = ""
    url: str = ""
    title: str = ""
    number: int = 0
    tight: bool = True


BLANK = Node("text", text=" ")


@dataclass(slots=True)
class _Opened:
    token: Token | None
    children: list[Node] = field(default_factory=list)
    loose: bool = False


def parse(text: str) -> Node:
    """The document's tree. Any text is Markdown; what cannot be a construct is text.

    References are resolved and their definitions gone. One that is labelled by a number is no link but the text `[1]`:
    in answers these are citations. Control characters are dropped.
    """
    return Node("document", _nested(_parser().parse(text.translate(_CONTROLS))))


def parse_inline(text: str) -> tuple[Node, ...]:
    """The inline nodes of a text that is one paragraph."""
    return _nested(_parser().parseInline(text))


def joined(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """The inline nodes with neighbouring texts made one, empty ones left out, and code spans parted by a blank."""
    done: list[Node] = []
    for node in nodes:
        if node.kind == "text" and done and done[-1].kind == "text":
            done[-1] = Node("text", text=done[-1].text + node.text)
        elif node.kind != "text" or node.text:
            done += [BLANK] if done and node.kind == done[-1].kind == "code_inline" else []
            done.append(node)
    return tuple(done)


def without(nodes: Iterable[Node], *kinds: Kind) -> Iterator[Node]:
    """The inline nodes with those of some kinds, at any depth, replaced by what they hold."""
    for node in nodes:
        if node.kind in kinds:
            yield from without(node.children, *kinds)
        else:
            yield replace(node, children=joined(without(node.children, *kinds))) if node.children else node


def plain(nodes: Iterable[Node]) -> str:
    """What a reader sees of inline nodes, without markup: code and alternative texts included, HTML left out."""
    return "".join(_plain(node) for node in nodes)


def walk(node: Node) -> Iterator[Node]:
    """The node and everything in it, in reading order."""
    yield node
    for child in node.children:
        yield from walk(child)


def normalized(url: str) -> str:
    """A URL as `Node.url` has it: percent-encoded, its host in ASCII."""
    return _parser().normalizeLink(url)


def shown(url: str) -> str:
    """The text of a link that is nothing but its URL."""
    return _parser().normalizeLinkText(url)


def _plain(node: Node) -> str:
    if node.kind in ("softbreak", "hardbreak"):
        return "\n"
    if node.kind in ("html_inline", "html_block"):
        return ""
    return node.text or plain(node.children)


@cache
def _parser() -> MarkdownIt:
    options = {"maxNesting": MOST_NESTED, "strikethrough_single_tilde": True, "store_labels": True}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.inline.ruler.push("bare_link", bare_link)
    # A link to `javascript:` is a link here, so that whoever drops links sees it.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


def _nested(tokens: Sequence[Token]) -> tuple[Node, ...]:
    """The nodes of a flat run of tokens."""
    stack = [_Opened(None)]
    for token in tokens:
        if token.tag in _TRANSPARENT:
            continue
        if token.type == "inline":
            stack[-1].children += _nested(token.children or ())
        elif token.nesting == 1:
            stack.append(_Opened(token))
        elif token.nesting == -1:
            _note_looseness(stack)
            closed = stack.pop()
            stack[-1].children += _container(closed)
        else:
            stack[-1].children.append(_leaf(token))
    return joined(stack[0].children)


def _note_looseness(stack: Sequence[_Opened]) -> None:
    """A visible paragraph directly in an item makes its list loose."""
    closed = stack[-1].token
    visible = closed and closed.type == "paragraph_open" and not closed.hidden and stack[-1].children
    if visible and len(stack) > 2:
        parent = stack[-2].token
        stack[-3].loose |= parent is not None and parent.type == "list_item_open"


def _container(opened: _Opened) -> tuple[Node, ...]:  # noqa: PLR0911 - a kind a line
    token, children = opened.token, joined(opened.children)
    assert token is not None
    kind: Kind = _RENAMED.get(token.tag) or token.type.removesuffix("_open")  # type: ignore[assignment]
    match kind:
        case "paragraph" | "blockquote" | "list_item" | "bullet_list" | "ordered_list" if not children:
            return ()  # of a definition, or of a blank that is no space
        case "heading":
            return (Node(kind, children, number=int(token.tag[1:])),)
        case "ordered_list" | "bullet_list":
            number = int(token.attrs.get("start", 1)) if kind == "ordered_list" else 0
            # A single thing has nothing that a blank line could part it from.
            single = len(children) == 1 and len(children[0].children) < 2
            return (Node(kind, children, number=number, tight=single or not opened.loose),)
        case "cell":
            align = str(token.attrs.get("style", "")).removeprefix("text-align:")
            return (Node(kind, children, info=align),)
        case "em" | "strong" | "s":
            children = joined(without(children, kind))  # emphasis in the same emphasis looks no different
            return (Node(kind, children),) if plain(children).strip() else children
        case "link":
            return _link(token, children)
    return (Node(kind, children),)


def _link(token: Token, children: tuple[Node, ...]) -> tuple[Node, ...]:
    label = str(token.meta.get("label", ""))
    if _NUMBER_LABEL.fullmatch(label):
        number = Node("text", text=f"[{label}]")
        return (number,) if plain(children) == label else (*children, number)
    return (Node("link", children, url=str(token.attrs["href"]), title=str(token.attrs.get("title", ""))),)


def _leaf(token: Token) -> Node:
    if token.type == "image":
        alternative = plain(_nested(token.children or ()))
        title = str(token.attrs.get("title", ""))
        return Node("image", text=alternative, url=str(token.attrs["src"]), title=title)
    kind: Kind = _RENAMED.get(token.type) or token.type  # type: ignore[assignment]
    if kind == "fence":
        ended = token.content if token.content.endswith("\n") or not token.content else token.content + "\n"
        return Node(kind, text=ended, info=token.info.strip())
    return Node(kind, text=token.content.rstrip("\n") if kind == "html_block" else token.content)
