"""Blocks become chunks: big ones are cut at their best borders, small neighbours are joined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import ceil
from typing import Final

from indexer.chunking.outline import Block, Outline, Rows
from indexer.types import Chunk

TARGET: Final = 1_500
"""About 400 tokens: enough to answer from, small enough that ten passages fit a prompt."""

LIMIT: Final = 2_400
"""A function up to this size is better read whole than cut; 60 rows count as much (see `ROW_CHARS`)."""

SUBSTANCE: Final = TARGET // 2
"""A definition of this size is cited on its own; two of them would pass the target anyway."""

TINY: Final = 200
"""Too little to be found or cited alone: it joins a neighbour of its scope as long as both fit."""

LONGEST: Final = 20_000
"""What no chunk may pass: whole blocks are cut here. Only a single row may be longer, up to `LONGEST_ROW`."""

LONGEST_ROW: Final = 50_000
"""A longer row (data, minified code) is left out; files that hold one are not read in the first place."""

_CLOSING: Final = ("}", ")", "]", "end", "</")
_Group = list[Block]


def pack(rows: Rows, outline: Outline) -> tuple[Chunk, ...]:
    """The chunks of a file, in order. Every non-blank row lies in exactly one, except rows beyond `LONGEST_ROW`."""
    blocks = [piece for block in outline.blocks for piece in _fitting(rows, block)]
    groups = [group for run in _runs(rows, blocks) for group in _divide(rows, run)]
    chunks = (_chunk(rows, outline, group) for group in _join_tiny(rows, groups))
    return tuple(chunk for chunk in chunks if chunk is not None)


def by_rows(rows: Rows, block: Block, longest: int = LONGEST_ROW) -> Iterator[Block]:
    """The rows of a block, one block each, deeper with their indentation; rows beyond `longest` are left out."""
    for row in range(block.start, block.end):
        text = rows.text[row]
        if len(text) <= longest:
            # A closing bracket ends what stands above it: a cut before it would leave it alone.
            closing = LIMIT if text.lstrip().startswith(_CLOSING) else 0
            depth = block.depth + 1 + rows.indent(row) + closing
            opens = block.opens and row == block.start
            yield replace(block, start=row, end=row + 1, depth=depth, opens=opens, whole=False)


def _fitting(rows: Rows, block: Block) -> Iterable[Block]:
    return (block,) if _fits(rows, block.start, block.end, block.whole) else by_rows(rows, block)


def _fits(rows: Rows, start: int, end: int, whole: bool) -> bool:
    return rows.characters(start, end) <= LONGEST if whole else rows.size(start, end) <= LIMIT


def _runs(rows: Rows, blocks: Iterable[Block]) -> Iterator[_Group]:
    """Neighbours that may share a chunk."""
    run: _Group = []
    for block in blocks:
        if run and not (_kin(run[-1], block) and not _stands_alone(rows, block) and not _stands_alone(rows, run[-1])):
            yield run
            run = []
        run.append(block)
    if run:
        yield run


def _kin(left: Block, right: Block) -> bool:
    together = left.end == right.start and not right.opens
    return together and left.scope == right.scope and left.header == right.header


def _stands_alone(rows: Rows, block: Block) -> bool:
    named = block.name != block.scope and not block.header
    return named and rows.size(block.start, block.end) >= SUBSTANCE


def _divide(rows: Rows, run: Sequence[Block]) -> Iterator[_Group]:
    """A run as pieces of about equal size near the target, cut where blocks are shallowest."""
    first, end = 0, run[-1].end
    while (left := rows.size(run[first].start, end)) > LIMIT and first + 1 < len(run):
        cut = _best_cut(rows, run, first, left / ceil(left / TARGET))
        yield list(run[first:cut])
        first = cut
    yield list(run[first:])


def _best_cut(rows: Rows, run: Sequence[Block], first: int, aim: float) -> int:
    """The index of the block to start the next piece with."""
    best, best_cost = first + 1, None
    for cut in range(first + 1, len(run)):
        size = rows.size(run[first].start, run[cut].start)
        if size > min(LIMIT, 1.4 * aim):
            break
        block = run[cut]
        cost = (size < 0.6 * aim, block.depth, not rows.blank(block.start - 1), abs(size - aim))
        if best_cost is None or cost < best_cost:
            best, best_cost = cut, cost
    return best


def _join_tiny(rows: Rows, groups: Sequence[_Group]) -> Iterable[_Group]:
    """The groups, tiny ones joined with the next of their kin or else with the one before.

    Backwards, because what is tiny (a constant, a type alias) mostly belongs to what follows it.
    """
    joined: list[_Group] = []
    for group in reversed(groups):
        after = joined[-1] if joined else None
        if after and _worth_joining(rows, group, after):
            joined[-1] = group + after
        else:
            joined.append(group)
    return reversed(joined)


def _worth_joining(rows: Rows, left: _Group, right: _Group) -> bool:
    first, last = left[0], right[-1]
    size_left, size_right = rows.size(first.start, left[-1].end), rows.size(right[0].start, last.end)
    # What is never cut may pass the limit anyway: the heading or the line above it may as well come along.
    whole = left[-1].whole or right[0].whole
    if left[-1].end != right[0].start or not _fits(rows, first.start, last.end, whole):
        return False
    if first.header and not right[0].header:
        return size_left < TINY  # "class A:" says nothing without the beginning of its first method
    return _kin(left[-1], right[0]) and min(size_left, size_right) < TINY


def _chunk(rows: Rows, outline: Outline, group: _Group) -> Chunk | None:
    start, end = group[0].start, group[-1].end
    while start < end and rows.blank(start):
        start += 1
    while start < end and rows.blank(end - 1):
        end -= 1
    if start == end:
        return None
    text = "\n".join(rows.text[start:end])
    return Chunk(start + 1, end, text, _symbol(rows, group), outline.within(start, end))


def _symbol(rows: Rows, group: _Group) -> str:
    """The class whose header it is; or the block that is most of the group; or the scope; or the first name."""
    scope, total = group[0].scope, rows.size(group[0].start, group[-1].end)
    if group[0].header:
        return scope
    for name, blocks in groupby(group, key=_name):
        if 2 * sum(rows.size(block.start, block.end) for block in blocks) > total:
            return name
    return scope or next((block.name for block in group if block.name), "")


def _name(block: Block) -> str:
    return block.name
