"""Source code without a grammar: its definitions by their forms and their rows by indentation, as blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from indexer.chunking.forms import FORMS, Form
from indexer.chunking.languages import BY_NAME
from indexer.chunking.outline import Block, Definition, Outline, Rows
from indexer.chunking.packing import LIMIT, SUBSTANCE, by_rows

_BESIDE: Final = ("#", "--", "//", "/*", "*", "@")
"""How comments and decorators begin in these languages."""

_NAMES: Final = re.compile(r"(?:[\"`\[][^\"`\]\n]*[\"`\]]|\S)+")
_QUOTES: Final = str.maketrans("", "", '"`[]')


@dataclass(frozen=True, slots=True)
class _Found:
    definition: Definition
    form: Form


def outline(rows: Rows, language: str, longest: int) -> Outline:
    """What fits a chunk is a block; other rows are blocks of their own, and left out beyond `longest`."""
    separator = BY_NAME[language].separator
    found = list(_qualified(_found(rows, FORMS[language], separator), separator))
    definitions = sorted((one.definition for one in found), key=lambda definition: definition.row)
    return Outline(list(_blocks(rows, found, longest)), definitions)


def _found(rows: Rows, forms: Sequence[Form], separator: str) -> Iterator[_Found]:
    text = "\n".join(rows.text)
    for form in forms:
        head, rest = re.compile(rf"^[ \t]*+{form.head}", re.M | re.I), re.compile(form.rest, re.I)
        row = at = 0
        for match in head.finditer(text):
            row, at = row + text.count("\n", at, match.start()), match.start()
            named = row + text.count("\n", at, match.start("name"))
            end = _end(rows, row, row + 1 + match[0].count("\n"), rest)
            owners = _names(match.groupdict().get("owner") or "")
            for name in _names(match["name"]):
                yield _Found(Definition(named, separator.join([*owners, name]), row, end), form)


def _names(text: str) -> list[str]:
    """The names in a match, without their quotes, in which there may be blanks."""
    return [name.translate(_QUOTES) for name in _NAMES.findall(text)]


def _end(rows: Rows, start: int, end: int, rest: re.Pattern[str]) -> int:
    """The row after a definition that begins in rows `start`..`end` (exclusive)."""
    indent = rows.indent(start)
    for row in range(end, len(rows)):
        text = rows.text[row].lstrip()
        if not text or text.startswith(_BESIDE):
            continue
        if (beside := rows.indent(row)) < indent or (beside == indent and not rest.match(text)):
            break
        end = row + 1
    return end


def _qualified(found: Iterable[_Found], separator: str) -> Iterator[_Found]:
    """The definitions in the order of the text, each named after those around it; without a function's locals."""
    around: list[_Found] = []
    for one in sorted(found, key=lambda one: (one.definition.start, -one.definition.end)):
        while around and around[-1].definition.end <= one.definition.start:
            around.pop()
        if one.form.kind == "definition" and any(outer.form.kind == "function" for outer in around):
            continue
        named = _inside(around[-1].definition, one, separator) if around else one
        if one.form.kind != "definition":
            around.append(named)
        yield named


def _inside(outer: Definition, one: _Found, separator: str) -> _Found:
    name, end = outer.name + separator + one.definition.name, min(one.definition.end, outer.end)
    return replace(one, definition=replace(one.definition, name=name, end=end))


def _blocks(rows: Rows, found: Sequence[_Found], longest: int) -> Iterator[Block]:
    at = 0
    around = [Definition(0, "", 0, len(rows))]
    for definition, kind in ((one.definition, one.form.kind) for one in found):
        if definition.start < at:
            continue
        while around[-1].end <= definition.start:
            outer = around.pop()
            yield from _apart(rows, at, outer, longest)
            at = outer.end
        above = _above(rows, definition.start, at)
        yield from _apart(rows, at, replace(around[-1], end=above), longest)
        at = above
        if kind == "class" and rows.size(above, definition.end) > LIMIT:
            around.append(definition)
        else:
            yield Block(above, definition.end, around[-1].name, definition.name, rows.indent(definition.start))
            at = definition.end
    for outer in reversed(around):
        yield from _apart(rows, at, outer, longest)
        at = outer.end


def _apart(rows: Rows, start: int, outer: Definition, longest: int) -> Iterator[Block]:
    """What is left of `outer` from row `start` on."""
    return by_rows(rows, Block(start, outer.end, outer.name, outer.name), longest)


def _above(rows: Rows, row: int, first: int) -> int:
    """The row, `first` at the earliest, from which comments and decorators wait for row `row`.

    What stands apart waits too unless it is long, such as a licence.
    """
    near = row
    while near > first and _beside(rows, near - 1):
        near -= 1
    far = at = near
    while at > first and (rows.blank(at - 1) or _beside(rows, at - 1)):
        at -= 1
        far = far if rows.blank(at) else at
    return far if rows.size(far, row) < SUBSTANCE else near


def _beside(rows: Rows, row: int) -> bool:
    return rows.text[row].lstrip().startswith(_BESIDE)
