"""The sentences of a paragraph, and a sentence with its marks written anew. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.grounding.layout import STOPS, announces, trimmed
from bot.grounding.numbers import Numbering, numbers_in, renumbered, shown, taken_out
from bot.markdown import Node, joined, plain, sentences

_WORD: Final = re.compile(r"\w")
# A full stop behind one letter, or behind what is abbreviated in other languages, ends nothing: "z. B. Blöcke".
_GOES_ON: Final = re.compile(
    r"(?:\b[^\W\d_]|\b(?:bzw|vgl|ca|ggf|evtl|inkl|sog|max|min|ver|pp|al|ex|ej|напр))\.\s*\Z", re.IGNORECASE
)
_BREAKS: Final = frozenset({"softbreak", "hardbreak"})
_CITED_FIRST: Final = re.compile(r"\s*\[\d+\]")


def spoken(nodes: Sequence[Node]) -> list[tuple[Node, ...]]:
    """The sentences of a paragraph; citations that stand alone belong to the sentence before them."""
    found: list[tuple[Node, ...]] = []
    for sentence in sentences(nodes):
        bare, numbers = taken_out(sentence)
        if numbers and found and not _WORD.search(plain(bare)):
            found[-1] = joined((*trimmed(found[-1]), Node("text", text=f" {shown(numbers)} ")))
        elif found and _GOES_ON.search(plain(found[-1])[-12:]):
            found[-1] = joined((*found[-1], *sentence))
        else:
            found.append(sentence)
    return _led(found) if _CITED_FIRST.match(plain(nodes)) else found


def _led(found: Sequence[tuple[Node, ...]]) -> list[tuple[Node, ...]]:
    """The sentences where each begins with what it cites: citations behind a full stop belong to the next one."""
    led, before = list[tuple[Node, ...]](), list[int]()
    for sentence in found:
        *first, last = sentence
        behind = sentence is not found[-1] and last.kind == "text" and last.text.rstrip().endswith("]")
        text, numbers = _last_marks(last.text) if behind else (last.text, [])
        text = f"{text.rstrip()} " if behind else text
        mark = Node("text", text=f"{shown(before)} " if before else "")
        led.append(joined((mark, *first, replace(last, text=text))))
        before = numbers
    return led


def marked(nodes: Sequence[Node], numbering: Numbering) -> tuple[Node, ...]:
    """A sentence with its marks written anew; those at its end stand before its full stop, and `numbering` is asked for
    them last, whether there are any or not."""
    *before, last = nodes
    if last.kind in _BREAKS and before:
        return (*marked(before, numbering), last)
    text, numbers = _last_marks(last.text) if last.kind == "text" else (last.text, [])
    inside = renumbered((*before, replace(last, text=text)), numbering)
    return with_marks(inside, numbering(numbers) + numbering(()))


def _last_marks(text: str) -> tuple[str, list[int]]:
    """A text without the marks at its end, and what they cite."""
    body = text.rstrip()
    said, numbers = body.rstrip(STOPS), list[int]()
    after = body[len(said) :] + text[len(body) :]
    while said.endswith("]") and "[" in said and (number := said[said.rfind("[") + 1 : -1]).isdecimal():
        numbers = [*numbers_in(number), *numbers]
        said = said[: said.rfind("[")].rstrip(" \t")
    return (said + after if numbers else text), numbers


def with_marks(nodes: Sequence[Node], marks: str) -> tuple[Node, ...]:
    """Inline nodes with marks at their end, before the full stop and the blank after it."""
    last = nodes[-1] if nodes else Node("text")
    if not marks or last.kind != "text":
        return joined((*nodes, Node("text", text=f" {marks}" if marks else "")))
    body = last.text.rstrip()
    said = body.rstrip(f"{STOPS}:：")
    text = f"{said.rstrip()} {marks}{body[len(said) :]}{last.text[len(body) :]}"
    return joined((*nodes[:-1], Node("text", text=text)))


def closed(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Blocks, of which a last paragraph that announces something ends in a full stop."""
    last = nodes[-1] if nodes else None
    if last is None or last.kind != "paragraph" or not announces(last.children):
        return tuple(nodes)
    *before, end = last.children
    text = re.sub(r"[:：](\s*(?:\[\d+\])*\s*)\Z", r".\1", end.text) if end.kind == "text" else end.text
    return (*nodes[:-1], replace(last, children=(*before, replace(end, text=text))))
