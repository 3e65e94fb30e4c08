"""Citations as models write them: `[1]`, `[1, 2]`, `[1-3]`, `[^1]`, `【1†L3-L9】`, `([1], [2])`, `[1](link)`. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from bot.markdown import Node, joined, plain

_NUMBERS: Final = r"\d+(?:\s*[,;–-]\s*\^?\d+)*"
_INSIDE: Final = rf"\^?\s*(?:{_NUMBERS})\s*(?:†[^\[\]【】\n]*)?"
_MARK: Final = rf"[\[【［〔]{_INSIDE}[\]】］〕]"
_CITATION: Final = re.compile(_MARK.replace("(?:", "(", 1))
_MARKS: Final = re.compile(rf"(?:{_MARK})+")
# What stands around marks and means nothing without them: double brackets, "passage", "and", parentheses.
_AROUND: Final = (
    (re.compile(rf"\[(\[{_INSIDE}\])\]"), r"\1"),
    (re.compile(rf"\b[Pp]assages?\s+(?={_MARK})"), ""),
    (re.compile(rf"({_MARK})\s*(?:[,;&]|,?\s+and(?=\s))\s*(?={_MARK})"), r"\1"),
    (re.compile(rf"[(（]\s*(?:(?:see|sources?|cf\.?|from)\b[.:]?\s*)*((?:{_MARK}\s*)+)[)）]"), r"\1"),
)
_RANGE: Final = re.compile(r"(\d+)\s*[–-]\s*\^?(\d+)|(\d+)")
_NAME_END: Final = re.compile(r"[\w)]\Z")
# A range of more is somebody's typing error and gives its ends.
LONGEST_RANGE: Final = 10

Numbering = Callable[[Sequence[int]], str]
"""What is written for the passages that marks side by side cite, numbers as the model has them; nothing to leave the
marks out."""


def normal(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """The inline nodes of a paragraph as a reader gets them: each citation a text `[n]` outside emphasis, links as
    their words, neither images nor HTML."""
    return joined(
        replace(node, text=_rewritten(_alone(node.text), shown)) if node.kind == "text" else node
        for node in joined(_flattened(nodes))
    )


def shown(numbers: Sequence[int]) -> str:
    """The numbers as they are, each in brackets."""
    return "".join(f"[{number}]" for number in numbers)


def taken_out(nodes: Iterable[Node]) -> tuple[tuple[Node, ...], list[int]]:
    """The inline nodes without their marks, and the numbers that these cited, in order, each once."""
    found: list[int] = []

    def note(numbers: Sequence[int]) -> str:
        found.extend(numbers)
        return ""

    return renumbered(nodes, note), list(dict.fromkeys(found))


def renumbered(nodes: Iterable[Node], numbering: Numbering) -> tuple[Node, ...]:
    """The inline nodes with each mark written anew; one that is left out takes the blank before it along."""
    return joined(_renumbered(nodes, numbering))


def _renumbered(nodes: Iterable[Node], numbering: Numbering) -> Iterator[Node]:
    for node in nodes:
        if node.kind == "text":
            yield replace(node, text=_rewritten(node.text, numbering))
        elif node.children:
            yield replace(node, children=renumbered(node.children, numbering))
        else:
            yield node


def _flattened(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        if node.kind == "link":
            shown_text = plain(node.children)
            if number := _CITATION.fullmatch(f"[{shown_text.strip('[]^ ')}]"):
                yield Node("text", text=number[0])
            elif "://" in shown_text:  # as code it is no link
                yield Node("code_inline", text=shown_text)
            else:
                yield from _flattened(node.children)
        elif node.kind == "html_inline":
            yield Node("text", text=" " if node.text.lower().startswith("<br") else "")
        elif node.kind in ("em", "strong", "s"):
            inner, numbers = taken_out(normal(node.children))
            yield from [replace(node, children=inner)] if plain(inner).strip() else inner
            yield Node("text", text=f" {shown(numbers)}" if numbers else "")
        elif node.kind != "image":
            yield node


def _alone(text: str) -> str:
    """The text without what only stands around marks."""
    for pattern, kept in _AROUND:
        text = pattern.sub(kept, text)
    return text


def _rewritten(text: str, numbering: Numbering) -> str:
    written, at = "", 0
    for run in _MARKS.finditer(text):
        marks, before = _CITATION.findall(run[0]), text[at : run.start()]
        numbers = numbers_in(", ".join(marks))
        glued = _NAME_END.search(before) is not None
        if len(marks) == 1 and 0 in numbers and (glued or len(numbers) > 1):  # `list[0]`, or the interval [0, 1]
            continue
        new = numbering(numbers)
        written += (before if new else before.rstrip(" ")) + new
        at = run.end()
    return written + text[at:]


def numbers_in(text: str) -> list[int]:
    """`1, 3-5` as 1, 3, 4, 5."""
    numbers: list[int] = []
    for first, last, single in _RANGE.findall(text):
        if single:
            numbers.append(_number(single))
        elif 0 <= _number(last) - _number(first) <= LONGEST_RANGE:
            numbers += range(_number(first), _number(last) + 1)
        else:
            numbers += [_number(first), _number(last)]
    return list(dict.fromkeys(numbers))


def _number(digits: str) -> int:
    return int(digits[-9:] if not digits[:-9].strip("0") else "9" * 9)  # Python refuses to read very long numbers
