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
DEEPEST_NAME: Final = 32
"""What lies deeper is generated, and names would grow with the square of the depth: a gigabyte for a hostile file."""

_TEMPLATE_ARGUMENTS: Final = re.compile(r"(?<=\w)\s*<[^<>]*>")


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


def end_row(node: tree_sitter.Node) -> int:
    """The row after a node. Two kinds of node take in what follows them: a directive its line's end, and what is laid
    out by indentation the blanks and comments up to the next token."""
    last = node
    while (last.text or b"")[-1:].isspace() and (child := _last_child(last)):
        last = child
    end = last.end_point
    return max(node.start_point.row + 1, end.row + (end.column > 0))


def _last_child(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The last child that is neither empty nor a comment."""
    children = (node.child(at) for at in reversed(range(node.child_count)))
    return next((child for child in children if child and child.text and not is_comment(child)), None)


def is_comment(node: tree_sitter.Node) -> bool:
    """Comments are the only nodes that grammars allow everywhere; so does tree-sitter with what it cannot parse."""
    return node.is_extra and not node.is_error


def _definition(mark: Mark) -> Definition:
    return Definition(mark.row, mark.name, mark.node.start_point.row, end_row(mark.node))


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
        qualified = around and len(around) <= DEEPEST_NAME
        name = grammar.separator.join([around[-1].name, mark.name]) if qualified else mark.name
        around.append(replace(mark, name=name))
        yield around[-1]
