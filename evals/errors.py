"""Code becomes the error messages it raises, and a message becomes what somebody pastes."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from evals.corpus import Text

SHORTEST_MESSAGE = 25
FEWEST_WORDS = 4
HOLE = "\0"
# How other languages raise; the message is the first literal after it, within three lines.
THROWS = re.compile(
    r"\b(?:throw\s+(?:\w+::)*(?P<thrown>\w+)|(?:\w+::)*(?P<called>new_err|panic!|bail!|Fatal|fail\w*|PyErr_SetString)|"
    r"(?P<macro>[A-Z_]*(?:CHECK|ASSERT|THROW|FAIL|ERROR)[A-Z_]*))\s*\("
)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
JOINED = re.compile(r'(?:\s*"(?:[^"\\\n]|\\.)*"\s*)+')
PLACEHOLDER = re.compile(r"\{[^{}]*\}|%\(\w+\)[sdr]|%[-\d.l]*[sdifrxuz]+")
NUMBERS, TEXTS = ("3", "0", "17", "128", "-1"), ("foo", "my_model", "default", "abc-123", "None")
BY_NAME = (
    (r"path|file|dir", ("/data/run1/input.txt", "./config.yaml", "/tmp/out")),
    (r"type|class|cls", ("int", "NoneType", "<class 'str'>", "list")),
    (r"num|len|size|count|dim|index|idx|max|min|version|shape|rank|^[nik]$", NUMBERS),
    (r"err|exc|msg", ("timed out", "not found", "invalid value")),
)


@dataclass(frozen=True, slots=True)
class Raised:
    """A raise statement: `template` has one HOLE a value, `pasted` has values invented."""

    name: str
    template: str
    pasted: str
    start_line: int
    end_line: int


def raised(text: Text, rng: random.Random) -> Iterator[Raised]:
    """The messages that a file raises, in order; those that say too little are left out."""
    found = _python(text) if text.language == "python" else _others(text)
    for name, parts, start, end in found:
        template = "".join(part if isinstance(part, str) else HOLE for part in parts)
        letters = template.replace(HOLE, "").strip()
        if len(letters) < SHORTEST_MESSAGE or len(letters.split()) < FEWEST_WORDS or template.startswith(HOLE * 2):
            continue
        message = "".join(part if isinstance(part, str) else _invented(part.name, rng) for part in parts)
        message = re.sub(r"[ \t]*\n\s*", "\n", message).strip().rstrip("( ")
        prefix = f"{name}: " if name and rng.random() < 0.75 else ""
        yield Raised(name, template, prefix + _cut(message, rng), start, end)


@dataclass(frozen=True, slots=True)
class _Hole:
    name: str


_Parts = list[str | _Hole]
_Found = Iterator[tuple[str, _Parts, int, int]]


def _python(text: Text) -> _Found:
    try:
        tree = ast.parse("\n".join(text.lines))
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args and node.end_lineno:
            parts = _parts(node.exc.args[0])
            name = ast.unparse(node.exc.func).rsplit(".", 1)[-1]
            if parts:
                yield name if name[:1].isupper() else "", parts, node.lineno, node.end_lineno


def _parts(node: ast.expr) -> _Parts:
    """The literal pieces and holes of a message expression; empty when it is no message."""
    match node:
        case ast.Constant(value=str(value)):
            return [value]
        case ast.JoinedStr(values=values):
            return [p for value in values for p in _parts(value)]
        case ast.FormattedValue(value=value):
            return [_Hole(ast.unparse(value))]
        case ast.BinOp(left=left, op=ast.Mod()):
            return _holed(_parts(left))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return (_parts(left) or [_Hole("")]) + (_parts(right) or [_Hole("")])
        case _:
            return _parts_of_call(node)


def _parts_of_call(node: ast.expr) -> _Parts:
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="format")):
            return _holed(_parts(value))
        case ast.Call(func=ast.Name(), args=[first, *_]):
            return _parts(first)  # gettext and its like
        case _:
            return []


def _holed(parts: _Parts) -> _Parts:
    """The pieces with format placeholders turned into holes."""
    made: _Parts = []
    for part in parts:
        if not isinstance(part, str):
            made.append(part)
            continue
        last = 0
        for match in PLACEHOLDER.finditer(part):
            numeric = match[0].endswith(("d", "i", "u", "f"))
            made += [part[last : match.start()], _Hole("num" if numeric else match[0].strip("{}%()srd"))]
            last = match.end()
        made.append(part[last:])
    return made


def _others(text: Text) -> _Found:
    for number, line in enumerate(text.lines, start=1):
        match = THROWS.search(line)
        if not match or line.lstrip().startswith(("//", "*", "#")):
            continue
        window = "\n".join(text.lines[number - 1 : number + 3])
        literal = LITERAL.search(window, match.end() if match.end() < len(window) else 0)
        if not literal or ";" in window[match.end() : literal.start()]:
            continue
        joined = JOINED.match(window, literal.start())
        whole = joined[0].rstrip() if joined else literal[0]
        message = "".join(re.findall(LITERAL, whole)).replace('\\"', '"').replace("\\n", "\n")
        end = number + window[: literal.start() + len(whole)].count("\n")
        yield match["thrown"] or "", _holed([message]), number, end


def _invented(name: str, rng: random.Random) -> str:
    last = re.split(r"[.\[(]", name.lower().rstrip(")]'\""))[-1]
    return rng.choice(next((values for pattern, values in BY_NAME if re.search(pattern, last)), TEXTS))


def _cut(message: str, rng: random.Random) -> str:
    """Now and then only the start of a long message is pasted."""
    words = message.split(" ")
    return " ".join(words[: len(words) * 2 // 3]) + " ..." if len(words) > 18 and rng.random() < 0.3 else message
