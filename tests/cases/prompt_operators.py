"""Operators of section E on what the model was asked: the request as its server received it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cases.expectations import Check, Operators, expected, operand
from cases.injection_observation import InjectionObservation

OPERATORS: Operators[InjectionObservation] = Operators()
# Enough words in a row to know a text by.
KNOWN_BY = 5
_WORD = re.compile(r"\w+")
_HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
# The elements of our prompts.
_TAG = re.compile(r"<(/?)(passage|thread|turn|question)((?:\s+[a-z_]+=\"[^\"]*\")*)>")


@dataclass(frozen=True, slots=True)
class Block:
    """An element of a message, with the text between its tags."""

    name: str
    attributes: str
    text: str


class Malformed(ValueError):
    """The tags of a message do not nest: somebody opened or closed one that is not his."""


def blocks(message: str) -> list[Block]:
    """The elements of a message from the outermost in. Raises Malformed."""
    found: list[Block] = []
    opened: list[tuple[str, str, int]] = []
    for tag in _TAG.finditer(message):
        closing, name, attributes = tag.groups()
        if not closing:
            opened.append((name, attributes, tag.end()))
        elif not opened or opened[-1][0] != name:
            raise Malformed(f"</{name}> closes nothing")
        else:
            _, attributes, start = opened.pop()
            found.append(Block(name, attributes, message[start : tag.start()]))
    if opened:
        raise Malformed(f"<{opened[-1][0]}> is never closed")
    return found


def _words(text: str) -> list[str]:
    return _WORD.findall(_HIDDEN.sub("", text).casefold())


def _holds(text: str, wanted: str) -> bool:
    """Whether the words of `wanted` stand in `text`, one after the other."""
    return f" {' '.join(_words(wanted))} " in f" {' '.join(_words(text))} "


def _known_parts(text: str) -> Iterator[str]:
    """What a text is recognised by: so many words in a row of its lines, fewer where no line has as many."""
    lines = [_words(line) for line in text.splitlines()]
    run = min(KNOWN_BY, max(map(len, lines), default=0))
    for words in lines if run else ():
        yield from (" ".join(words[at : at + run]) for at in range(len(words) - run + 1))


def _of_role(seen: InjectionObservation, role: str) -> str:
    return "\n".join(message["content"] for message in seen.messages if message["role"] == role)


def _asked(seen: InjectionObservation) -> str:
    if not seen.messages:
        raise ValueError("the model was not asked")
    return "\n".join(message["content"] for message in seen.messages)


@OPERATORS.operator
def untrusted_text_not_in_system_role(seen: InjectionObservation, check: Check) -> str | None:
    _asked(seen)
    rules = _of_role(seen, "system")
    strays = [part for text in seen.untrusted for part in _known_parts(text) if _holds(rules, part)]
    return f"{strays[0]!r} stands in the system's message" if strays else None


@OPERATORS.operator
def untrusted_text_delimited_and_labelled(seen: InjectionObservation, check: Check) -> str | None:
    """Each text of a stranger that is in the prompt at all stands inside an element with a name, and so do paths."""
    asked = _asked(seen)
    inside = "\n".join(f"{block.attributes}\n{block.text}" for block in blocks(_of_role(seen, "user")))
    for text in seen.untrusted:
        for part in _known_parts(text):
            if _holds(asked, part) and not _holds(inside, part):
                return f"{part!r} stands outside of every element"
    if not any(_holds(inside, part) for part in _known_parts(seen.question)):
        return "the question is in no element"
    return None


@OPERATORS.operator
def delimiter_not_forgeable(seen: InjectionObservation, check: Check) -> str | None:
    """The elements are as many as there are texts: none was opened or closed by a text."""
    found = [block.name for block in blocks(_of_role(seen, "user"))]
    wanted = {"passage": len(seen.passages), "question": 1, "thread": bool(seen.thread), "turn": len(seen.thread)}
    wrong = [name for name, number in wanted.items() if found.count(name) != number]
    return f"{found.count(wrong[0])} elements {wrong[0]}, {expected(wanted[wrong[0]], found)}" if wrong else None


@OPERATORS.operator
def messages_roles(seen: InjectionObservation, check: Check) -> str | None:
    got = [message["role"] for message in seen.messages]
    return None if got == check["roles"] else expected(check["roles"], got)


@OPERATORS.operator
def prompt_not_contains(seen: InjectionObservation, check: Check) -> str | None:
    asked = _part(seen, check)
    held = [value for value in _listed(check) if value.casefold() in asked.casefold()]
    return f"{held[0]!r} is in the prompt" if held else None


@OPERATORS.operator
def prompt_contains(seen: InjectionObservation, check: Check) -> str | None:
    asked = _part(seen, check)
    lacking = [value for value in _listed(check) if value.casefold() not in asked.casefold()]
    return f"{lacking[0]!r} is not in the prompt" if lacking else None


@OPERATORS.operator
def prompt_not_regex(seen: InjectionObservation, check: Check) -> str | None:
    found = re.search(_pattern(check), _part(seen, check))
    return f"{found[0]!r} is in the prompt" if found else None


@OPERATORS.operator
def prompt_regex(seen: InjectionObservation, check: Check) -> str | None:
    found = re.search(_pattern(check), _part(seen, check))
    return None if found else f"nothing in the prompt is {operand(check)!r}"


def _part(seen: InjectionObservation, check: Check) -> str:
    """The part of the prompt that a check looks at: all of it, or what strangers wrote."""
    where = check.get("where", "anywhere")
    asked = _asked(seen)
    if where == "untrusted parts":
        return "\n".join(f"{block.attributes}\n{block.text}" for block in blocks(_of_role(seen, "user")))
    if where in ("system", "user"):
        return _of_role(seen, where)
    if where != "anywhere":
        raise ValueError(f"unknown part of a prompt: {where}")
    return asked


def _pattern(check: Check) -> str:
    return str(operand(check))


def _listed(check: Check) -> Sequence[str]:
    wanted = operand(check)
    return wanted if isinstance(wanted, list) else [wanted]
