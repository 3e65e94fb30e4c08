"""A tree becomes what Discord reads: https://support.discord.com/hc/articles/210298617 (Markdown Text 101).

Discord has no tables, no headings below the third, no quotations in quotations, no check boxes and no longer fences,
and shows every line end. It shows previews of links that are not in angle brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from bot.markdown import Node, joined
from bot.markdown.tree import Kind, shown, without

# A heading of this level is Discord's small print.
SUBTEXT: Final = 0
RULE: Final = "───"
_LEAST_HEADING: Final = 3
_ZERO_WIDTH: Final = "\u200b"
_BOXES: Final = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}
_ALERT: Final = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*\Z", re.IGNORECASE)
_TICKS: Final = re.compile(r"`{3,}")
_SPECIAL: Final = re.compile(r"[\\`*_~|\[\]]")
_CITATION: Final = re.compile(r"\[\d+\]")
_LINE_START: Final = re.compile(r"(?:#{1,3}|-#|>|[-*+])(?=\s)|>")
_NUMBERED: Final = re.compile(r"(\d+)([.)])(?=\s)")
_LISTS: Final = frozenset({"bullet_list", "ordered_list"})
_MARKS: Final = {"em": "*", "strong": "**", "s": "~~"}


def chat_blocks(tree: Node) -> tuple[Node, ...]:
    """The document's blocks without those that Discord does not have."""
    return tuple(block for node in tree.children for block in _prepared(node))


def _prepared(node: Node) -> Iterator[Node]:
    match node.kind:
        case "table":
            yield _as_list(node)
        case "heading" if node.number > _LEAST_HEADING:
            yield Node("paragraph", (_strong(node.children),))
        case "blockquote":
            inner = tuple(block for child in node.children for block in _prepared(child))
            flat = (block for child in inner for block in (child.children if child.kind == "blockquote" else (child,)))
            yield _without_alert(replace(node, children=tuple(flat)))
        case "list_item":
            children = tuple(block for child in node.children for block in _prepared(child))
            yield _with_box(replace(node, children=children))
        case "bullet_list" | "ordered_list":
            yield replace(node, children=tuple(item for child in node.children for item in _prepared(child)))
        case _:
            yield node


def _strong(nodes: Sequence[Node]) -> Node:
    return Node("strong", joined(without(nodes, "strong")))


def _as_list(table: Node) -> Node:
    """A table as a list: the first cell of each row, then what the others are and hold."""
    head, *rows = table.children
    if not rows:
        return Node("paragraph", (_strong(tuple(_listed([cell.children for cell in head.children]))),))
    items = (Node("list_item", (Node("paragraph", joined(_row(head, row))),)) for row in rows)
    return Node("bullet_list", tuple(items))


def _row(head: Node, row: Node) -> Iterator[Node]:
    first, *others = row.children
    told = [
        (*title.children, Node("text", text=" " if title.children else ""), *cell.children)
        for title, cell in zip(head.children[1:], others, strict=False)
        if cell.children
    ]
    if first.children:
        yield _strong(first.children) if told else Node("strong", first.children)
        yield Node("text", text=": " if told else "")
    yield from _listed(told)


def _listed(parts: Sequence[Sequence[Node]]) -> Iterator[Node]:
    for at, part in enumerate(parts):
        yield Node("text", text=", " if at else "")
        yield from part


def _with_box(item: Node) -> Node:
    if not item.children or item.children[0].kind != "paragraph":
        return item
    paragraph, *others = item.children
    first = paragraph.children[0]
    box = _BOXES.get(first.text[:4]) if first.kind == "text" else None
    if box is None:
        return item
    shown_box = replace(first, text=box + first.text[4:])
    return replace(item, children=(replace(paragraph, children=(shown_box, *paragraph.children[1:])), *others))


def _without_alert(quote: Node) -> Node:
    """GitHub's `[!NOTE]` as a bold word."""
    first = quote.children[0]
    if (
        first.kind != "paragraph"
        or first.children[0].kind != "text"
        or not (found := _ALERT.match(first.children[0].text))
    ):
        return quote
    title = Node("strong", (Node("text", text=found[1].capitalize()),))
    return replace(quote, children=(replace(first, children=(title, *first.children[1:])), *quote.children[1:]))


def chat_markdown(block: Node) -> str:
    """The block's source for Discord."""
    return "\n".join(_lines(block))


def _lines(block: Node) -> list[str]:
    match block.kind:
        case "heading":
            mark = "#" * block.number if block.number != SUBTEXT else "-#"
            return [f"{mark} {_inline(block.children).replace(chr(10), ' ')}"]
        case "fence":
            text = _TICKS.sub(lambda run: _ZERO_WIDTH.join(run[0]), block.text)
            return [f"```{block.info}", *text.split("\n")[:-1], "```"]
        case "hr":
            return [RULE]
        case "blockquote":
            return [f"> {line}" for line in _stacked(block.children)]
        case "bullet_list" | "ordered_list":
            return list(_list(block, ""))
    return [_unblocked(line) for line in _inline(block.children).split("\n")]


def _stacked(blocks: Sequence[Node]) -> Iterator[str]:
    for at, block in enumerate(blocks):
        if at:
            yield ""
        yield from _lines(block)


def _list(block: Node, indent: str) -> Iterator[str]:
    """Items without blank lines. Nested lists keep their depth however long the numbers; code stands at the margin."""
    for at, item in enumerate(block.children):
        mark, deeper = (f"{block.number + at}. ", 3) if block.kind == "ordered_list" else ("- ", 2)
        inner = list(_item(item, indent + " " * deeper))
        first = inner.pop(0) if inner and not inner[0].startswith(("```", " ")) else ""
        yield f"{indent}{mark}{first}"
        yield from inner


def _item(item: Node, indent: str) -> Iterator[str]:
    """The lines of an item, the first one without its indentation when it is text."""
    for at, block in enumerate(item.children):
        if block.kind in _LISTS:
            yield from _list(block, indent)
        elif block.kind == "fence":
            yield from _lines(block)
        elif block.kind == "blockquote":
            yield from _item(block, indent)
        else:
            for row, line in enumerate(_lines(block)):
                yield line if at == row == 0 else indent + line


def _unblocked(line: str) -> str:
    if _LINE_START.match(line):
        return "\\" + line
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line


def _inline(nodes: Sequence[Node], outer: tuple[Kind, ...] = (), in_link: bool = False) -> str:
    written = ""
    for node in joined(nodes):
        written += _one(node, written[-1:], outer, in_link)
    return written


def _one(node: Node, before: str, outer: tuple[Kind, ...], in_link: bool) -> str:
    match node.kind:
        case "text":
            return _text(node.text, before, in_link)
        case "code_inline":
            return _code(node.text)
        case "softbreak" | "hardbreak":
            return "\n"
        case "em" | "strong" | "s":
            mark = "_" if node.kind == "em" and "strong" in outer and not before.isalnum() else _MARKS[node.kind]
            inner = _inline(node.children, (*outer, node.kind), in_link)
            return f"{mark}{inner}{mark}"
        case "link":
            text = "".join(child.text for child in node.children)
            return (
                f"<{node.url}>" if text == shown(node.url) else f"[{_inline(node.children, outer, True)}](<{node.url}>)"
            )
    return node.text


def _code(text: str) -> str:
    if "`" not in text:
        return f"`{text}`"
    text = re.sub("`{2,}", lambda run: _ZERO_WIDTH.join(run[0]), text)
    return f"`` {text} ``"


def _text(text: str, before: str, in_link: bool) -> str:
    kept = {at for found in _CITATION.finditer(text) for at in (found.start(), found.end() - 1)}

    def escaped(found: re.Match[str]) -> str:
        at, char = found.start(), found[0]
        left, right = text[at - 1] if at else before or " ", text[at + 1 : at + 2] or char
        literal = {
            "\\": right.isalnum() or right.isspace(),
            "`": False,
            "*": left.isspace() and right.isspace(),
            "_": left.isalnum() and right.isalnum(),
            "~": char not in (left, right),
            "|": char not in (left, right),
            "[": not in_link or at in kept,
            "]": (not in_link or at in kept) and right != "(",
        }
        return char if literal[char] else "\\" + char

    return _SPECIAL.sub(escaped, text)
