"""Pairs from Python sources: docstrings, names, comments, raised messages, documented options and fields."""

from __future__ import annotations

import ast
import random
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from training import questions
from training.corpus import SourceText
from training.pairs import PASSAGE_CHARS, Pair, first_paragraph, is_prose, passage, window, words

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

OPTION_CALLS = {"add_argument", "option", "Option", "argument", "Field", "Argument", "DEFINE_string", "DEFINE_integer"}
HELP_KEYWORDS = {"help", "description"}


@dataclass(frozen=True, slots=True)
class Scope:
    """One definition of a module: its qualified name, its node, the module's path and lines."""

    source: SourceText
    lines: list[str]
    symbol: str
    node: Definition

    def pair(self, kind: str, query: str, text: str) -> Pair:
        origin = f"{self.source.path}:{self.symbol}"
        return Pair(kind, self.source.package, origin, query, passage(self.source.path, self.symbol, text))

    def around(self, node: ast.AST, without: range) -> str:
        return window(self.lines, node.lineno - 1, without)  # type: ignore[attr-defined]


def mine(source: SourceText, rng: random.Random) -> Iterator[Pair]:
    """Yields the pairs of one Python file; a file that does not parse has none."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = source.text.split("\n")
    for symbol, node in definitions(tree):
        scope = Scope(source, lines, symbol, node)
        yield from _described(scope, rng)
        yield from _raised(scope, rng)
        yield from _documented_options(scope, rng)
        yield from _documented_fields(scope, rng)
        if not isinstance(node, ast.ClassDef):
            yield from _commented(scope, rng)


def definitions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Definition]]:
    """Yields (qualified name, node) of every class and function, those inside functions excepted."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from definitions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from definitions(node, prefix)


def _described(scope: Scope, rng: random.Random) -> Iterator[Pair]:
    """Docstring or name → the definition, the docstring's first paragraph taken out."""
    docstring = ast.get_docstring(scope.node) or ""
    summary = first_paragraph(docstring)
    text = _code_without_summary(scope, docstring)
    if is_prose(summary):
        yield scope.pair("docstring", summary, _part(text, rng))
        yield scope.pair("question", questions.about(summary, rng), _part(text, rng))
    name = scope.symbol if rng.random() < 0.3 else words(scope.symbol)
    if len(name.split()) >= 2 or name == scope.symbol:
        kind = "name" if summary == "" else "name of documented"
        yield scope.pair(kind, questions.about_name(name, rng), text)


def _code_without_summary(scope: Scope, docstring: str) -> str:
    node = scope.node
    start = min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1
    without = range(0)
    if docstring:
        first = node.body[0]
        height = re.split(r"\n\s*\n", docstring.strip(), maxsplit=1)[0].count("\n") + 1
        without = range(first.lineno - 1, min(first.lineno - 1 + height, first.end_lineno or first.lineno))
    end = node.end_lineno or node.lineno
    return "\n".join(line for n, line in enumerate(scope.lines[start:end], start) if n not in without)


def _part(text: str, rng: random.Random) -> str:
    """Mostly the head of a long definition, sometimes a later part, as a chunker would cut it."""
    if len(text) > 2 * PASSAGE_CHARS and rng.random() < 0.25:
        return text[rng.randrange(PASSAGE_CHARS, len(text) - PASSAGE_CHARS // 2) :]
    return text


def _raised(scope: Scope, rng: random.Random) -> Iterator[Pair]:
    """The message of a raise or a logged warning → the lines around it."""
    for node in _own_nodes(scope.node):
        call = node.exc if isinstance(node, ast.Raise) else node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or not call.args:
            continue
        name = _name(call.func)
        if isinstance(node, ast.Raise) or name in {"warning", "error", "warn", "exception"}:
            message = _literal(call.args[0])
            if is_prose(message, 4):
                error = name if isinstance(node, ast.Raise) else ""
                yield scope.pair("error", questions.pasted(message, error, rng), scope.around(node, range(0)))


def _documented_options(scope: Scope, rng: random.Random) -> Iterator[Pair]:
    """The help of a command-line option or of a declared field → the lines around, the help taken out."""
    for node in _own_nodes(scope.node):
        if not isinstance(node, ast.Call) or _name(node.func) not in OPTION_CALLS:
            continue
        for keyword in node.keywords:
            if keyword.arg in HELP_KEYWORDS and is_prose(text := _literal(keyword.value), 4):
                without = range(keyword.value.lineno - 1, keyword.value.end_lineno or keyword.value.lineno)
                without = without if len(without) > 1 or without.start != node.lineno - 1 else range(0)
                query = questions.about(text, rng) if rng.random() < 0.5 else " ".join(text.split())
                yield scope.pair("option", query, scope.around(node, without))


def _documented_fields(scope: Scope, rng: random.Random) -> Iterator[Pair]:
    """The string under a class's field → the lines around the field, the string taken out."""
    if not isinstance(scope.node, ast.ClassDef):
        return
    for field, below in zip(scope.node.body, scope.node.body[1:], strict=False):
        if isinstance(field, ast.Assign | ast.AnnAssign) and isinstance(below, ast.Expr):
            text = first_paragraph(_literal(below.value))
            if is_prose(text, 4):
                without = range(below.lineno - 1, below.end_lineno or below.lineno)
                query = questions.about(text, rng) if rng.random() < 0.5 else text
                yield scope.pair("field", query, scope.around(field, without))


def _commented(scope: Scope, rng: random.Random) -> Iterator[Pair]:
    """A comment of a sentence's length inside a function → the lines around, the comment taken out."""
    at, end = scope.node.lineno, scope.node.end_lineno or scope.node.lineno
    while at < end:
        stop = at
        while stop < end and scope.lines[stop].lstrip().startswith("# "):
            stop += 1
        if stop > at:
            text = " ".join(line.strip().lstrip("# ") for line in scope.lines[at:stop])
            if is_prose(text, 6):
                query = questions.about(text, rng) if rng.random() < 0.3 else text
                yield scope.pair("comment", query, window(scope.lines, stop, range(at, stop)))
        at = stop + 1


def _own_nodes(node: Definition) -> Iterator[ast.AST]:
    """Yields the nodes below a definition that belong to no definition inside it, when it is a class."""
    todo: list[ast.AST] = [*node.decorator_list, *node.body]
    while todo:
        child = todo.pop()
        if isinstance(node, ast.ClassDef) and isinstance(child, Definition):
            continue
        yield child
        todo.extend(ast.iter_child_nodes(child))


def _name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _literal(node: ast.expr) -> str:
    """Returns the text of a string, an f-string (`{}` for what is filled in) or a sum of these; "" for the rest."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_literal(p) if isinstance(p, ast.Constant) else "{}" for p in parts)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
            return _literal(left) + _literal(right)
        case ast.Call(func=ast.Attribute(value=inner, attr="format" | "strip")):
            return _literal(inner)
    return ""
