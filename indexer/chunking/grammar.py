"""What defines something in a source file: a tree-sitter grammar and, beside it, our query of its definitions."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Final, Literal, get_args

import tree_sitter

from indexer.chunking.languages import BY_NAME
from indexer.chunking.outline import Definition

Kind = Literal["class", "function", "definition", "scope"]
_KINDS: Final[Mapping[str, Kind]] = {kind: kind for kind in get_args(Kind)}
_Captures = Mapping[str, Sequence[tree_sitter.Node]]
_TEMPLATE_ARGUMENTS: Final = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class Grammar:
    parser: tree_sitter.Parser
    query: tree_sitter.Query
    separator: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A node that defines something, under its qualified name."""

    node: tree_sitter.Node
    kind: Kind
    name: str
    row: int


@dataclass(frozen=True, slots=True)
class Marks:
    """Everything the query found in one tree: what defines by node id, and the ids of what belongs to a neighbour."""

    defining: Mapping[int, Mark]
    leading: Set[int]
    trailing: Set[int]
    definitions: Sequence[Definition]
    members: Sequence[int]
    """Where functions and classes start, in bytes, ascending."""

    def has_member(self, node: tree_sitter.Node) -> bool:
        at = bisect_left(self.members, node.start_byte)
        return at < len(self.members) and self.members[at] < node.end_byte

    def first_name(self, row: int, end: int) -> str:
        """The first name that rows `row`..`end` (exclusive) define, or ""."""
        at = bisect_left(self.definitions, row, key=_row)
        return self.definitions[at].name if at < len(self.definitions) and self.definitions[at].row < end else ""


@cache
def load(name: str) -> Grammar:
    """The parser and query of a language, made once in a process."""
    language = BY_NAME[name]
    module, function = language.grammar.split(":")
    grammar = tree_sitter.Language(getattr(import_module(module), function)())
    query = files("indexer.chunking").joinpath("queries", f"{language.query or name}.scm").read_text("utf-8")
    return Grammar(tree_sitter.Parser(grammar), tree_sitter.Query(grammar, query), language.separator)


def marks_of(root: tree_sitter.Node, grammar: Grammar) -> Marks:
    """What the grammar's query finds under `root`."""
    matches = [captures for _, captures in tree_sitter.QueryCursor(grammar.query).matches(root)]
    named = list(_qualified([mark for captures in matches for mark in _own_names(captures, grammar)], grammar))
    return Marks(
        defining={mark.node.id: mark for mark in named},
        leading=_ids(matches, "leading"),
        trailing=_ids(matches, "trailing"),
        definitions=sorted((_definition(mark) for mark in named if mark.kind != "scope"), key=_row),
        members=[mark.node.start_byte for mark in named if mark.kind in ("function", "class")],
    )


def _ids(matches: Sequence[_Captures], name: str) -> Set[int]:
    return {node.id for captures in matches for node in captures.get(name, ())}


def _definition(mark: Mark) -> Definition:
    end = mark.node.end_point
    return Definition(mark.row, mark.name, mark.node.start_point.row, end.row + (end.column > 0))


def _row(definition: Definition) -> int:
    return definition.row


def _own_names(captures: _Captures, grammar: Grammar) -> Iterator[Mark]:
    for kind in captures.keys() & _KINDS.keys():
        owner = "".join(_text(node) + grammar.separator for node in captures.get("owner", ()))
        for name in captures["name"]:
            yield Mark(captures[kind][0], _KINDS[kind], owner + _text(name), name.start_point.row)


def _text(node: tree_sitter.Node) -> str:
    """A name as it is looked for: without template arguments, line breaks and blanks."""
    name = (node.text or b"").decode("utf-8", "replace")
    while "operator" not in name and (shorter := _TEMPLATE_ARGUMENTS.sub("", name)) != name:
        name = shorter
    return " ".join(name.split())


def _qualified(marks: Sequence[Mark], grammar: Grammar) -> Iterator[Mark]:
    """The marks in the order of the text, each name preceded by the one around it; without a function's locals."""
    around: list[Mark] = []
    for mark in sorted(marks, key=lambda mark: (mark.node.start_byte, -mark.node.end_byte)):
        while around and (around[-1].node.end_byte < mark.node.end_byte or around[-1].node == mark.node):
            around.pop()
        if mark.kind == "definition" and any(outer.kind == "function" for outer in around):
            continue
        name = grammar.separator.join([around[-1].name, mark.name]) if around else mark.name
        around.append(replace(mark, name=name))
        yield around[-1]
