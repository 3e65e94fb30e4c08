"""A passage of code becomes the defaults that it gives, each with its lines. Pure functions.

A passage is a piece of a file, often too short to parse, so forms are looked for: fields and constants, options and
fields that a call makes, variables of the environment, keys in files of defaults. A default that has to be computed is
found too, without a value, so that nothing is said about its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bot.disagreement.calls import Given, arguments, given_by_calls, literal_at
from bot.disagreement.literals import value_of
from bot.disagreement.statement import Statement, telling
from bot.types import Passage

_MODIFIERS: Final = (
    r"(?:(?:export|pub(?:\(\w+\))?|public|private|protected|internal|static|final|const|constexpr|inline|readonly"
    r"|mutable|let|var|val)[ \t]+)*"
)
# `MAX_SEQS = 8`, `const MAX_SEQS: usize = 8;`, `static constexpr int MAX_SEQS = 8;`, `#define MAX_SEQS 8`
_CONSTANT: Final = re.compile(
    rf"^(?:{_MODIFIERS}(?:[\w:<>*&]+[ \t]+)?([A-Z][A-Z\d]*_[A-Z\d_]+)(?:[ \t]*:[^=\n]+)?[ \t]*=(?!=)"
    r"|#[ \t]*define[ \t]+([A-Z][A-Z\d]*_[A-Z\d_]+)[ \t])[ \t]*",
    re.MULTILINE,
)
# `seqs: int = 8` in Python; `int seqs = 8;`, `val seqs: Int = 8`, `private seqs: number = 8;`
_ANNOTATED: Final = re.compile(r"^([ \t]*)([A-Za-z_]\w*)[ \t]*:[^=\n#\"']+=(?!=)[ \t]*", re.MULTILINE)
_MEMBER: Final = re.compile(
    rf"^([ \t]+){_MODIFIERS}(?:[\w:]+(?:<[\w:<>, ]+>)?[ \t&*]+)?([a-z]\w*)(?:[ \t]*:[ \t]*[\w<>]+)?[ \t]*=(?!=)[ \t]*",
    re.MULTILINE,
)
_MAKES_FIELD: Final = re.compile(r"(?:\w+\.)*(?:field|Field|Option|Argument|attrib|ib|Query|Param)\(")
_DEFAULT: Final = re.compile(r"\s*default\s*=\s*")
_COALESCED: Final = re.compile(r"([A-Za-z_]\w*)\s*\?\?\s*")
_FUNCTION: Final = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(", re.MULTILINE)
_PARAMETER: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*(?::[^=]+)?=\s*(?=\S)")
_CLASS: Final = re.compile(r"[ \t]*(?:[\w\[\]<>]+[ \t]+)*(?:class|struct|interface|record|object|union)[ \t]+(\w+)")
# Comments and decorators, which may stand further to the left.
_PASSED_OVER: Final = ("#", "//", "@", "*")
_IN_FUNCTION: Final = re.compile(r"[ \t]*(?:(?:async[ \t]+)?def[ \t]|\)|fn[ \t]|func[ \t])|.*\)[^()]*\{\s*$")
_KEY: Final = re.compile(r"([ \t]*)(?:- )?[\"']?([A-Za-z][\w-]*)[\"']?[ \t]*:(?:[ \t]+(.*?))?[ \t]*,?[ \t]*$")
_WORD: Final = re.compile(r"[A-Za-z][\w./:-]*")
# `DEFAULT_OPTIONS = {`, a line for each entry, `}`
_TABLE: Final = re.compile(r"^(\w*DEFAULT\w*)(?:[ \t]*:[^=\n]+)?[ \t]*=[ \t]*(?:\w+\()?\{", re.MULTILINE)
_TABLE_END: Final = re.compile(r"^[)}]", re.MULTILINE)
_ENTRY: Final = re.compile(r"^([ \t]+)[\"'](\w+)[\"'][ \t]*:[ \t]*", re.MULTILINE)
_COMMENT: Final = re.compile(r"[ \t]+#.*$")
_FILE_OF_DEFAULTS: Final = re.compile(r"(?:^|/)[^/]*(?:default|values)[^/]*$", re.IGNORECASE)

# What a script assigns is what it runs with, not what others get.
_SHELLS: Final = frozenset(("bash", "cmake", "dockerfile", "makefile", "text"))
_DATA: Final = frozenset(("json", "yaml"))
_COALESCING: Final = frozenset(("c_sharp", "javascript", "svelte", "swift", "tsx", "typescript", "vue"))
_WITH_MEMBERS: Final = frozenset(
    "c cpp cuda c_sharp java javascript kotlin metal objc scala swift tsx typescript".split()
)


def coded(passage: Passage, index: int) -> list[Statement]:
    """The defaults that a passage of code or configuration gives; `index` is the passage's."""
    found: list[Statement] = []
    if passage.language == "notebook":  # its lines are not its file's
        return found
    for given in _keys(passage) if passage.language in _DATA else _given(passage):
        if telling(given.name):
            first = passage.start_line + passage.text.count("\n", 0, given.start)
            last = passage.start_line + passage.text.count("\n", 0, max(given.start, given.end))
            value = value_of(given.literal) if given.literal else None
            kind = given.owner, given.argument, given.fallback
            found.append(Statement(given.name, given.literal or "", value, index, first, last, *kind))
    return found


def _given(passage: Passage) -> Iterator[Given]:
    text, language = passage.text, passage.language
    yield from given_by_calls(text, language)
    for match in _CONSTANT.finditer(text) if language not in _SHELLS else ():
        yield Given(match[1] or match[2], *literal_at(text, match.end()), match.start())
    if language == "python":
        yield from _entries(text, passage.symbol.rpartition(".")[2])
        yield from _fields_and_parameters(text, passage.symbol)
    elif language in _WITH_MEMBERS:
        yield from _members(text)
    if language in _COALESCING:
        for match in _COALESCED.finditer(text):
            yield Given(match[1], *literal_at(text, match.end()), match.start())


def _entries(text: str, symbol: str) -> Iterator[Given]:
    """Entries of a table of defaults, which the passage may be out of the middle of."""
    opened = _TABLE.search(text)
    name = opened[1] if opened else symbol
    if "DEFAULT" not in name or not name.isupper() or "TEST" in name:
        return
    start = opened.end() if opened else 0
    closed = _TABLE_END.search(text, start)
    found = list(_ENTRY.finditer(text, start, closed.start() if closed else len(text)))
    outer = min((len(match[1]) for match in found), default=0)
    for match in found:
        if len(match[1]) == outer:
            yield Given(match[2], *literal_at(text, match.end()), match.start(2), name)


def _fields_and_parameters(text: str, symbol: str) -> Iterator[Given]:
    calls: list[tuple[int, int]] = []
    for function in _FUNCTION.finditer(text):
        parts, end = arguments(text, function.end())
        calls.append((function.start(), end))
        owner = _owner(function[1], symbol)
        for start, last in parts:
            if parameter := _PARAMETER.match(text, start, last):
                yield Given(parameter[1], *literal_at(text, parameter.end()), parameter.start(1), owner, True)
    for match in _ANNOTATED.finditer(text):
        if not any(start <= match.start() < end for start, end in calls):
            yield from _field(text, match, symbol)


def _owner(function: str, symbol: str) -> str:
    """By what a function is called: its name, or its class's when it makes one."""
    return symbol.split(".")[-2] if function == "__init__" and "." in symbol else function


def _field(text: str, match: re.Match[str], symbol: str) -> Iterator[Given]:
    around = _around(text, match.start(), len(match[1]))
    if around is None:  # cut from a function's inside or its parameters
        cut_from = symbol.rpartition(".")[2]
        around = "" if not match[1] or cut_from[:1].isupper() else None
    if around is None:
        return
    made = _MAKES_FIELD.match(text, match.end())
    literal, end = _made(text, made) if made else literal_at(text, match.end())
    rest = text[match.end() :].partition("\n")[0]
    if literal is None and re.search(rf"\b{match[2]}\b", rest):
        return  # `seqs: int = Config.seqs` says nothing of its own
    argument = literal is not None and text[end : end + 1] == ","
    yield Given(match[2], literal, end, match.start(2), around or symbol.rpartition(".")[2], argument)


def _made(text: str, made: re.Match[str]) -> tuple[str | None, int]:
    """What `field(default=8)` and `Field(8)` give, and where they end."""
    parts, end = arguments(text, made.end())
    defaults = [found.end() for start, last in parts if (found := _DEFAULT.match(text, start, last))]
    at = [*defaults, *(start for start, _ in parts)][:1]
    return (literal_at(text, at[0])[0], end) if at else (None, made.end())


def _members(text: str) -> Iterator[Given]:
    for match in _MEMBER.finditer(text):
        owner = _around(text, match.start(), len(match[1]))
        if owner:
            yield Given(match[2], *literal_at(text, match.end()), match.start(2), owner)


def _around(text: str, at: int, indent: int) -> str | None:
    """The class that a line of this indent stands in, "" for something else, None inside a function or a passage that
    does not show it."""
    if not indent:
        return ""
    above = (line for line in reversed(text[:at].split("\n")[:-1]) if len(line) - len(line.lstrip()) < indent)
    line = next((line for line in above if line.strip() and not line.lstrip().startswith(_PASSED_OVER)), None)
    if line is None or _IN_FUNCTION.match(line):
        return None
    found = _CLASS.match(line)
    return found[1] if found else ""


def _keys(passage: Passage) -> Iterator[Given]:
    """Keys of a file of defaults, and what a schema calls `default`."""
    of_defaults = _FILE_OF_DEFAULTS.search(passage.path) is not None
    above: list[tuple[int, str]] = []
    at = 0
    for line in passage.text.split("\n"):
        if match := _KEY.match(_COMMENT.sub("", line)):
            while above and above[-1][0] >= len(match[1]):
                above.pop()
            literal = match[3] if match[3] and (literal_at(match[3], 0)[0] or _WORD.fullmatch(match[3])) else None
            if match[2] == "default" and above:
                yield Given(above[-1][1], literal, at, at)
            elif of_defaults and match[3]:
                yield Given(match[2], literal, at, at)
            above.append((len(match[1]), match[2]))
        at += len(line) + 1
