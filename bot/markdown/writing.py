"""A tree of Markdown becomes Markdown source that reads as the same tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from bot.markdown.spelling import reference, spelled
from bot.markdown.tree import Node

# Marks that read as nothing else wherever they stand: `---` would underline a heading, `* ***` be one rule.
RULE: Final = "___"
BAR: Final = "\\|"
_HIGHEST_NUMBER: Final = 999_999_999  # CommonMark's nine digits
_DELIMITERS: Final = {"left": ":--", "right": "--:", "center": ":-:"}
_BLOCK_START: Final = re.compile(r"#{1,6}(?:\s|\Z)|>|[-+*](?:\s|\Z)|=+\s*\Z|-+\s*\Z|([*_-])(?:\s*\1){2,}\s*\Z|~~~")
_NUMBERED: Final = re.compile(r"(\d{1,9})([.)])(?=\s|\Z)")
_DELIMITER_ROW: Final = re.compile(r"(?=.*-)[|:\-\s]+")
_DEFINITION: Final = re.compile(r"\[(?:[^\[\]]|\\.)+\]:")
_CLOSING_MARKS: Final = re.compile(r"((?:^|\s)#*)(#)\Z")
_RUNS: Final = {"`": re.compile(r"^[ \t]*(`{3,})", re.MULTILINE), "~": re.compile(r"^[ \t]*(~{3,})", re.MULTILINE)}
# HTML blocks that end with themselves; the others end with a blank line: https://spec.commonmark.org/0.31.2/#html-blocks
_ENDED_HTML: Final = re.compile(r"\s*<(?:!--|[?!]|(?:script|pre|style|textarea)\b)", re.IGNORECASE)
_LISTS: Final = frozenset({"bullet_list", "ordered_list"})


def markdown(node: Node) -> str:
    """The source of a document or of one block, without a newline at its end.

    `parse(markdown(tree)) == tree` for every tree that `parse` gives. A tree that was changed comes back the same up to
    what Markdown cannot say: emphasis of blanks, two paragraphs of one item without a blank line.
    """
    return "\n".join(_stacked(node.children if node.kind == "document" else (node,)))


def _stacked(blocks: Sequence[Node], tight: bool = False, bullet: int = 0) -> list[str]:
    """The lines of blocks one below the other; `bullet` says which of its two marks a list at the start takes."""
    lines: list[str] = []
    marker = bullet
    for at, block in enumerate(blocks):
        before = blocks[at - 1] if at else None
        if before:
            marker = 1 - marker if before.kind == block.kind and block.kind in _LISTS else 0
            lines += [] if tight else [""]
        lines += _block(block, marker)
    return lines


def _block(block: Node, marker: int = 0) -> list[str]:  # noqa: PLR0911 - a kind a line
    match block.kind:
        case "paragraph":
            return paragraph_lines(spelled(block.children))
        case "heading":
            return _heading(block)
        case "fence":
            return fence_lines(block.text, block.info)
        case "hr":
            return [RULE]
        case "blockquote":
            return [f"> {line}".rstrip() if not line.strip() else f"> {line}" for line in _stacked(block.children)] or [
                ">"
            ]
        case "bullet_list" | "ordered_list":
            return _list(block, marker)
        case "table":
            return list(table_lines(block))
    return block.text.split("\n")


def paragraph_lines(text: str) -> list[str]:
    """The lines of a paragraph, none of which begins another block."""
    lines = [_unblocked(line, first=at == 0) for at, line in enumerate(text.split("\n"))]
    if _DEFINITION.match("\n".join(lines)):
        lines[0] = "\\" + lines[0]
    return lines


def _unblocked(line: str, first: bool) -> str:
    if _BLOCK_START.match(line) or (not first and _DELIMITER_ROW.fullmatch(line)):
        return "\\" + line
    if not first and _DEFINITION.match(line):
        return "\\" + line
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line


def _heading(block: Node) -> list[str]:
    text = spelled(block.children)
    if "\n" in text and block.number <= 2:
        # With a bar in it, the last line and `---` could be a table's first rows.
        *lines, last = text.split("\n")
        return [*paragraph_lines("\n".join([*lines, last.replace("|", reference("|"))])), "=-"[block.number - 1] * 3]
    text = text.replace("\\\n", " ").replace("\n", " ")
    text = _CLOSING_MARKS.sub(r"\1\\\2", text)
    return [f"{'#' * block.number} {text}".rstrip()]


def fence_lines(text: str, info: str) -> list[str]:
    """A fence that no line of the text closes. An info string with a backtick needs tildes."""
    char = "~" if "`" in info or info.startswith("~") else "`"
    longest = max((len(run) for run in _RUNS[char].findall(text)), default=0)
    mark = char * max(3, longest + 1)
    return [mark + (" " if info.startswith(char) else "") + info, *text.split("\n")[:-1], mark]


def _list(block: Node, marker: int) -> list[str]:
    tight = block.tight and not any(_apart(a, b) for item in block.children for a, b in pairwise(item.children))
    lines: list[str] = []
    for at, item in enumerate(block.children):
        if block.kind == "ordered_list":
            mark = f"{min(block.number + at, _HIGHEST_NUMBER)}{'.)'[marker]} "
        else:
            mark = f"{'-*'[marker]} "
        if at and not tight:
            lines.append("")
        lines += _item(item, mark, tight)
    return lines


def _item(item: Node, mark: str, tight: bool) -> list[str]:
    # `- - -` would be a rule; with the other bullet inside it never is.
    inside = item.children[:1] and item.children[0].kind == "bullet_list" and mark[0] == "-"
    inner = _stacked(item.children, tight, bullet=int(bool(inside))) or [""]
    indent = " " * len(mark)
    return [(mark + inner[0]).rstrip() if not inner[0].strip() else mark + inner[0]] + [
        indent + line if line else "" for line in inner[1:]
    ]


def _apart(one: Node, other: Node) -> bool:
    """Whether two blocks would be read as one when no blank line stands between them."""
    if one.kind == "html_block":
        return not _ENDED_HTML.match(one.text)
    if other.kind in ("paragraph", "table"):
        return one.kind == "table" or _ends_in_paragraph(one)
    if other.kind == "ordered_list" and other.number != 1:
        return _ends_in_paragraph(one)
    if other.kind == "heading":
        return one.kind == "paragraph" and any(node.kind in ("softbreak", "hardbreak") for node in other.children)
    return one.kind == other.kind == "blockquote"


def _ends_in_paragraph(block: Node) -> bool:
    while block.kind in ("blockquote", "list_item", *_LISTS) and block.children:
        block = block.children[-1]
    return block.kind == "paragraph"


def table_lines(table: Node) -> Iterator[str]:
    head, *body = table.children
    yield _row(head)
    yield f"|{'|'.join(_DELIMITERS.get(cell.info, '---') for cell in head.children)}|"
    yield from map(_row, body)


def _row(row: Node) -> str:
    return f"| {' | '.join(spelled(cell.children).replace('|', BAR) for cell in row.children)} |"
