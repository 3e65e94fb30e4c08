"""Source code, by its syntax tree: which rows belong together, and what they define.

The tree is walked from the top and only as deep as needed: a node that fits a chunk is one block, a bigger one is
replaced by its children. tree-sitter's columns count bytes, its rows are lines split at `\n`; only rows are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import tree_sitter

from indexer.chunking import grammar
from indexer.chunking.grammar import Kind, Marks, end_row, is_comment
from indexer.chunking.outline import Block, Outline, Rows
from indexer.chunking.packing import LIMIT, SUBSTANCE, TARGET

FINE: Final = TARGET // 4
"""Statements of a function too long for one chunk are taken apart down to this size, to leave a choice of cuts."""


def outline(rows: Rows, language: str) -> Outline:
    """The blocks and definitions of a source file; no blocks when there is nothing but comments."""
    loaded = grammar.load(language)
    # A lone surrogate is no UTF-8; its replacement changes bytes, never rows.
    root = loaded.parser.parse("\n".join(rows.text).encode("utf-8", "replace")).root_node
    marks = grammar.marks_of(root, loaded)
    return Outline(_Walk(rows, marks).blocks_of(root), marks.definitions)


@dataclass(slots=True)
class _Scope:
    """A definition that was taken apart. A class's header is open until its first function."""

    name: str = ""
    kind: Kind = "scope"
    header: bool = False

    @property
    def fine(self) -> bool:
        """Whether what stands inside is not worth citing by itself, and so is taken apart as far as is useful."""
        return self.kind in ("function", "definition")


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a block starts; it ends where the next one starts, so that a closing brace goes with what it closes."""

    row: int
    scope: str
    name: str
    depth: int
    header: bool


class _Walk:
    """One pass over a tree, in the order of the text, with a stack of its own: trees may be 10,000 nodes deep."""

    def __init__(self, rows: Rows, marks: Marks) -> None:
        self._rows = rows
        self._marks = marks
        self._starts: list[_Start] = []
        self._stack: list[tuple[tree_sitter.Node, int, _Scope]] = []
        self._covered = 0
        """The row up to which (exclusive) everything lies in a block."""
        self._pending: int | None = None
        """The row from which comments, decorators and the like wait for what they belong to."""

    def blocks_of(self, root: tree_sitter.Node) -> list[Block]:
        self._take_apart(root, _children(root), 0, _Scope())
        while self._stack:
            self._visit(*self._stack.pop())
        borders = [0, *(start.row for start in self._starts[1:]), len(self._rows)]
        return [
            Block(row, end, start.scope, start.name, start.depth, start.header)
            for start, (row, end) in zip(self._starts, pairwise(borders), strict=False)
        ]

    def _visit(self, node: tree_sitter.Node, depth: int, scope: _Scope) -> None:
        start, end = node.start_point.row, end_row(node)
        if end <= self._covered:
            return
        self._release(start, depth, scope)
        if self._belongs_to_what_precedes(node, start, end):
            self._covered = end
        elif is_comment(node) or node.id in self._marks.leading:
            self._hold(start)
        elif not self._fits(node, start, end, scope) and (children := _children(node)):
            self._take_apart(node, children, depth, scope)
        else:
            self._emit(node, start, end, depth, scope)
            self._hold_comments(end, node.end_point.row)

    def _release(self, start: int, depth: int, scope: _Scope) -> None:
        """What waits before a blank row is a block of its own when it has something to say: a licence, an essay."""
        waiting = self._pending
        if waiting is not None and self._rows.blank(start - 1) and self._rows.size(waiting, start) >= SUBSTANCE:
            self._open(start, _Start(waiting, scope.name, scope.name, depth, scope.header))

    def _hold(self, start: int) -> None:
        if self._pending is None:
            self._pending = max(start, self._covered)

    def _hold_comments(self, start: int, end: int) -> None:
        """Comments at the end of what is laid out by indentation belong to what follows."""
        if first := next((row for row in range(start, end) if not self._rows.blank(row)), None):
            self._hold(first)

    def _belongs_to_what_precedes(self, node: tree_sitter.Node, start: int, end: int) -> bool:
        """A trailing node, what ends the row of a closing bracket, a comment after code or with a blank row below."""
        if self._pending is not None or not self._starts:
            return False
        if not is_comment(node):
            closing = end == start + 1 and self._rows.text[start].lstrip().startswith(("}", ")", "]"))
            return closing or node.id in self._marks.trailing
        blank_follows_only = self._rows.blank(end) and not self._rows.blank(start - 1) and self._covered == start
        return blank_follows_only or node.start_point.column > self._rows.indent(start)

    def _fits(self, node: tree_sitter.Node, start: int, end: int, scope: _Scope) -> bool:
        limit = FINE if scope.fine and not self._marks.has_member(node) else LIMIT
        return self._rows.size(start if self._pending is None else self._pending, end) <= limit

    def _take_apart(
        self, node: tree_sitter.Node, children: Sequence[tree_sitter.Node], depth: int, scope: _Scope
    ) -> None:
        if mark := self._marks.defining.get(node.id):
            scope.header = scope.header and mark.kind == "definition"
            scope = _Scope(mark.name, mark.kind, header=mark.kind == "class")
        if children and children[0].start_point.row > node.start_point.row >= self._covered:
            self._hold(node.start_point.row)
        self._stack.extend((child, depth + 1, scope) for child in reversed(children))

    def _emit(self, node: tree_sitter.Node, start: int, end: int, depth: int, scope: _Scope) -> None:
        row = start if self._pending is None else self._pending
        if row < self._covered:
            self._covered = end
            return
        has_member = self._marks.has_member(node)
        scope.header = scope.header and not has_member
        unnamed = scope.header or (scope.fine and not has_member)
        name = scope.name if unnamed else self._marks.first_name(row, end) or scope.name
        self._open(end, _Start(row, scope.name, name, depth, scope.header))

    def _open(self, end: int, start: _Start) -> None:
        self._starts.append(start)
        self._covered, self._pending = end, None


def _children(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The named children but for comments at the end, which lead to nothing."""
    children = node.named_children
    while children and is_comment(children[-1]):
        children.pop()
    return children
