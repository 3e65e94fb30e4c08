"""A model that is held to a JSON schema gives statements with their sources; as each is complete, it becomes Markdown.

A schema makes even a small model cite: it cannot say a thing without the number of a passage. What it may not do is
bounded, since a small model that has nothing to say goes on in white space, or says the same again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from jiter import from_json

from bot.model import NOT_FOUND

MOST_STATEMENTS = 8
MOST_SOURCES = 3
# Small models always name as many as they may.
MOST_SOURCES_OF_SMALL = 1
# Bounded here and not by the schema: with a `maxLength`, xgrammar takes 8 s in place of 0.06 s to compile it.
LONGEST_STATEMENT = 2_000
# More white space than any layout of JSON has, or than code in one of its strings: the model has run away.
_RUNAWAY = re.compile(r"[\n\r\t]\s{64,}\Z|(?:\s|\\[nrt]){100,}\Z")
_WRAPPING = re.compile(r"\s*```(?:json)?\s*(?=\{)")
_UNDECIDED = re.compile(r"\s*(?:`{0,2}|```(?:j|js|jso|json)?\s*)")
_CODE = re.compile(r"(?ms)^ {0,3}(?P<fence>`{3,}|~{3,}).*?(?:(?P<end>^ {0,3}(?P=fence)[ \t]*$)|\Z)")
_SPAN = re.compile(r"(`[^`\n]*`)")
_CITATION = re.compile(r"\s*\[\d+(?:\s*[,-]\s*\d+)*\](?!\()")
_LAST_STOP = re.compile(r"([.!?:。！？：]*)\Z")
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")


def response_format(passages: int, most_sources: int = MOST_SOURCES) -> Mapping[str, Any]:
    """The `response_format` of a request that answers from so many passages."""
    numbers = {"type": "integer", "enum": [*range(1, passages + 1)]}
    sources = {"type": "array", "items": numbers, "minItems": 1, "maxItems": most_sources}
    statement = _object(text={"type": "string", "minLength": 1}, sources=sources)
    statements = {"type": "array", "items": statement, "maxItems": MOST_STATEMENTS}
    schema = _object(answerable={"type": "boolean"}, statements=statements)
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}


def _object(**properties: object) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


class Statements:
    """Reads one streamed reply. `ended` says that no more of it is wanted, `ran_away` that it would not have ended.

    A reply that is no JSON, from a server that ignores the schema, comes back as it is, and `plain` says so.
    """

    def __init__(self) -> None:
        self._text = ""
        self._said: list[str] = []
        self._whole = False
        self._told = 0  # characters of the text when the last statement was told
        self.plain = self.ended = self.ran_away = False

    def feed(self, piece: str) -> str:
        """The Markdown of the statements that are complete now and were not before."""
        self._text += piece
        if self.plain:
            return piece
        if self.ended or self._whole:
            return ""
        self.ran_away = self.ended = _RUNAWAY.search(self._text) is not None
        if _UNDECIDED.fullmatch(self._text):
            return ""
        if wrapping := _WRAPPING.match(self._text):
            self._text = self._text[wrapping.end() :]
        if not self._text.lstrip().startswith("{"):
            self.plain = True
            return self._text
        return self._grown()

    def finish(self) -> str:
        """What is left at the end: what was held because it might have become JSON."""
        return self._text if self._text.strip() and _UNDECIDED.fullmatch(self._text) else ""

    def _grown(self) -> str:
        document, self._whole = _read(self._text)
        statements = document.get("statements")
        found = statements if isinstance(statements, list) else []
        # The last one may yet grow, even by a digit, until the whole is closed.
        complete = map(markdown, found if self._whole else found[:-1])
        out = "".join(self._appended(text) for text in complete if text and text not in self._said)
        endless = not self._whole and len(self._text) - self._told > LONGEST_STATEMENT
        self.ran_away = self.ended = self.ran_away or endless
        if not self._said and (self._whole or document.get("answerable") is False):
            self.ended = True
            return NOT_FOUND
        return out

    def _appended(self, text: str) -> str:
        last, alike = self._said[-1:], text and _LIST_ITEM.match(text)
        apart = "" if not last else "\n" if alike and _LIST_ITEM.match(last[0]) else "\n\n"
        self._said.append(text)
        self._told = len(self._text)
        return apart + text


def markdown(statement: object) -> str:
    """A statement as Markdown, its prose ending in its citations. Empty when it says nothing or names no source."""
    match statement:
        case {"text": str(text), "sources": [*sources]}:
            return _cited(text.strip(), _citations(sources))
        case _:
            return ""


def _citations(sources: Iterable[object]) -> str:
    numbers = (str(source) for source in sources)
    return "".join(f"[{number}]" for number in dict.fromkeys(numbers) if number.isdecimal())


def _cited(text: str, citations: str) -> str:
    """The text with its citations behind what is said before and after its code; behind the code when that is all."""
    if not citations or not text:
        return ""
    blocks: list[str] = []
    said, at = 0, 0
    for code in [*_CODE.finditer(text), None]:
        if prose := _without_citations(text[at : code.start() if code else None]).strip():
            blocks.append(_proven(prose, citations))
            said += 1
        if code:
            blocks.append(code[0] if code["end"] else f"{code[0].rstrip()}\n{code['fence']}")
            at = code.end()
    return "\n\n".join(blocks if said else [*blocks, citations])


def _proven(prose: str, citations: str) -> str:
    """The prose with its citations before the stop that ends it; in a list, those of each item."""
    *lines, last = prose.split("\n")
    listed = [_LAST_STOP.sub(rf" {citations}\1", line, count=1) if _LIST_ITEM.match(line) else line for line in lines]
    return "\n".join([*listed, _LAST_STOP.sub(rf" {citations}\1", last, count=1)])


def _without_citations(text: str) -> str:
    """The text without numbers in brackets outside code spans: the sources are told apart from it."""
    parts = _SPAN.split(text)
    return "".join(part if at % 2 else _CITATION.sub("", part) for at, part in enumerate(parts))


def _read(text: str) -> tuple[Mapping[str, Any], bool]:
    """What there is of a JSON object, perhaps in a code fence, and whether that is all of it."""
    data = text.rstrip("`\n ").encode(errors="replace")
    for partial, whole in ((False, True), (True, False)):
        try:
            document = from_json(data, partial_mode=partial)
        except ValueError:
            continue
        return (document, whole) if isinstance(document, dict) else ({}, whole)
    return {}, False
