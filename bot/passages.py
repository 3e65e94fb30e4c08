"""Ranked chunks become passages: cut to what was asked for by name, joined where they stand together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, replace

from bot.types import Passage
from indexer.permalink import permalink
from indexer.records import Snapshot, StoredChunk
from indexer.types import Chunk, Origin

# Chunks of a file with no more lines than this between them are one passage, up to so many lines.
JOINED_GAP = 40
LONGEST_JOINED = 120
MOST_OF_ONE_FILE = 3

_NAME_JOINT = re.compile(r"\.|::")
_COMMENT = ("//", "/*", "*", "#[", "@")

Ranked = Iterable[tuple[int, float]]
"""(chunk id, score), best first."""


@dataclass(slots=True)
class _Stretch:
    """Lines of a file that were found, with the best chunk among them."""

    best: StoredChunk
    score: float
    start_line: int
    end_line: int
    whole: bool
    """Whether no part of it was cut away: what was asked for by name stays alone."""


def passages(
    ranked: Ranked,
    chunks: Mapping[int, StoredChunk],
    asked: Set[str],
    limit: int,
    snapshot: Snapshot,
    text_of: Callable[[str], str | None],
) -> tuple[Passage, ...]:
    """The best passages, at most `limit` and few of one file. `asked` are the names in the question, `text_of` gives a
    file's text by its path."""
    stretches = _stretches(ranked, chunks, asked, limit)
    return tuple(passage_of(snapshot, _joined(stretch, text_of), stretch.score) for stretch in stretches)


def _stretches(ranked: Ranked, chunks: Mapping[int, StoredChunk], asked: Set[str], limit: int) -> list[_Stretch]:
    found: list[_Stretch] = []
    of_file: Counter[str] = Counter()
    for chunk_id, score in ranked:
        stored = chunks[chunk_id]
        cut = narrowed(stored, asked)
        next_one = _Stretch(cut, score, cut.chunk.start_line, cut.chunk.end_line, cut is stored)
        near = next((stretch for stretch in found if _stand_together(stretch, next_one)), None)
        if near:
            near.start_line = min(near.start_line, next_one.start_line)
            near.end_line = max(near.end_line, next_one.end_line)
        elif len(found) == limit:
            break
        elif of_file[stored.path] < MOST_OF_ONE_FILE:
            of_file[stored.path] += 1
            found.append(next_one)
    return found


def _stand_together(one: _Stretch, other: _Stretch) -> bool:
    if one.best.path != other.best.path or not (one.whole and other.whole) or one.best.language == "notebook":
        return False
    start, end = min(one.start_line, other.start_line), max(one.end_line, other.end_line)
    gap = max(one.start_line, other.start_line) - min(one.end_line, other.end_line) - 1
    return gap <= JOINED_GAP and end - start < LONGEST_JOINED


def _joined(stretch: _Stretch, text_of: Callable[[str], str | None]) -> StoredChunk:
    """The best chunk with all lines of its stretch."""
    chunk = stretch.best.chunk
    if (stretch.start_line, stretch.end_line) == (chunk.start_line, chunk.end_line):
        return stretch.best
    text = text_of(stretch.best.path)
    if text is None:  # another process has just replaced this version
        return stretch.best
    lines = text.split("\n")[stretch.start_line - 1 : stretch.end_line]
    joined = replace(chunk, start_line=stretch.start_line, end_line=stretch.end_line, text="\n".join(lines))
    return replace(stretch.best, chunk=joined)


def narrowed(stored: StoredChunk, asked: Set[str]) -> StoredChunk:
    """The chunk cut to the one function or class in it that the question names. A field needs what is around it."""
    found = [
        d for d in stored.chunk.definitions if _NAME_JOINT.split(d.name)[-1] in asked and d.end_line > d.start_line
    ]
    if len(found) != 1 or stored.kind == "docs" or stored.language == "notebook":  # a cell's rows are not the file's
        return stored
    lines = stored.chunk.text.split("\n")
    first, last = found[0].start_line - stored.chunk.start_line, found[0].end_line - stored.chunk.start_line
    while first and stored.language != "python" and lines[first - 1].lstrip().startswith(_COMMENT):
        first -= 1  # where there are no docstrings, the comment above documents
    if (first, last) == (0, len(lines) - 1):
        return stored
    start = stored.chunk.start_line + first
    text = "\n".join(lines[first : last + 1])
    return replace(stored, chunk=Chunk(start, found[0].end_line, text, found[0].name, (found[0],)))


def overlap(one: Passage, other: Passage) -> bool:
    """Whether two passages share lines of a file."""
    return one.path == other.path and one.start_line <= other.end_line and other.start_line <= one.end_line


def cut(passage: Passage, start_line: int, end_line: int, origin: Origin) -> Passage:
    """The passage cut to these lines of its file, which are among its own; a notebook's cell stays whole, since its
    rows are not the file's."""
    if passage.language == "notebook" or (start_line, end_line) == (passage.start_line, passage.end_line):
        return passage
    lines = passage.text.split("\n")[start_line - passage.start_line : end_line - passage.start_line + 1]
    url = permalink(origin, passage.path, start_line, end_line)
    return replace(passage, start_line=start_line, end_line=end_line, text="\n".join(lines), url=url)


def passage_of(snapshot: Snapshot, stored: StoredChunk, score: float) -> Passage:
    """A stored chunk as a passage of a version."""
    chunk = stored.chunk
    return Passage(
        stored.path,
        chunk.start_line,
        chunk.end_line,
        chunk.symbol,
        stored.kind,
        stored.language,
        score,
        chunk.text,
        permalink(snapshot.origin, stored.path, chunk.start_line, chunk.end_line),
    )
