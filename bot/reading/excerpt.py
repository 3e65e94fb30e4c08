"""A passage becomes an excerpt: the few of its own words that address a question, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from bot.reading.interest import Interest
from bot.reading.markup import Unit, titled, units
from bot.reading.quotation import fence, quote, span, words
from bot.reading.window import PROSE, Window, windows
from bot.types import Passage
from indexer.chunking.headings import SEPARATOR

# A heading path is cut to its innermost titles: the file's name says the rest.
HEADINGS_SHOWN: Final = 3
# A unit this long is no sentence, and would fill the answer by itself.
LONGEST_UNIT: Final = 700
# What a character of prose must bring in, as a share of the question's whole weight.
CHARACTER_COST: Final = 0.00012

_BLOCK_START: Final = re.compile(r"(?:[-+#>=~]|\d+[.)](?=\s))")


@dataclass(frozen=True, slots=True)
class Room:
    """How much of one passage is shown."""

    lines: int
    characters: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is shown of a passage: an introduction without its number, and the Markdown below it."""

    introduction: str
    body: str


def excerpt_of(passage: Passage, interest: Interest, room: Room) -> Excerpt | None:
    """The part of a passage that addresses the question, or None when none of its words does."""
    if passage.language in PROSE:
        return _prose(passage, interest, room)
    return _code(passage, interest, room)


def _code(passage: Passage, interest: Interest, room: Room) -> Excerpt | None:
    lines = passage.text.split("\n")
    chosen = windows(lines, passage.language, interest, room.lines)
    if not chosen:
        return None
    body = "\n\n…\n\n".join(fence(lines[w.start : w.end], passage.language) for w in chosen)
    return Excerpt(_code_introduction(passage), body)


def _code_introduction(passage: Passage) -> str:
    """What is shown, and of which file; which lines, the citation says."""
    where = span(passage.path)
    return f"{span(passage.symbol)} in {where}" if passage.symbol.strip() else where


def _prose(passage: Passage, interest: Interest, room: Room) -> Excerpt | None:
    sections = _sections(units(passage.text, passage.language, passage.start_line))
    runs = [(value, run) for value, run in (_best(section, interest, room) for section in sections) if run]
    if not runs:
        return None
    _, run = max(runs, key=lambda scored: scored[0])
    return Excerpt(_prose_introduction(passage), "\n\n".join(_rendered(run, interest, room)))


def _prose_introduction(passage: Passage) -> str:
    parts = [words(part) for part in passage.symbol.split(SEPARATOR) if part.strip()]
    title = " › ".join(" ".join(part.split()) for part in parts[-HEADINGS_SHOWN:])
    return f"From *{title}* ({span(passage.path)})" if title else f"From {span(passage.path)}"


def _sections(all_units: Sequence[Unit]) -> Iterator[list[Unit]]:
    """The units below each heading; the first one is found by the heading's words too."""
    heading: Unit | None = None
    section: list[Unit] = []
    for unit in all_units:
        if unit.kind == "heading":
            yield section
            heading, section = unit, []
        elif len(unit.text) <= LONGEST_UNIT:
            section.append(titled(unit, heading) if heading and not section else unit)
    yield section


def _best(section: Sequence[Unit], interest: Interest, room: Room) -> tuple[float, list[Unit]]:
    """The run of neighbouring units worth most, with what introduces it and what it announces."""
    best, place = 0.0, (0, 0)
    hits = [interest.hits(unit.plain) for unit in section]
    sizes = [_size(unit, room) for unit in section]
    cost = CHARACTER_COST * sum(interest.weights.values())
    for start in (at for at in range(len(section)) if hits[at]):
        counts: dict[str, int] = {}
        value, size = 0.0, 0
        for end in range(start, len(section)):
            size += sizes[end]
            if size > room.characters and end > start:
                break
            value += interest.gain(hits[end], counts) - cost * sizes[end]
            if value > best or place == (0, 0):
                best, place = value, (start, end + 1)
    return best, _completed(section, *place, sizes, room) if place[1] else []


def _completed(section: Sequence[Unit], start: int, end: int, sizes: Sequence[int], room: Room) -> list[Unit]:
    """The run with the sentence that announces its first unit, and with what its last one announces."""
    size = sum(sizes[start:end])
    if section[start].kind == "sentence":
        start = _paragraph_start(section, start, room.characters - size, sizes)
    else:
        start = _announcement(section, start, room.characters - size, sizes)
    size = sum(sizes[start:end])
    while end < len(section) and size + sizes[end] <= room.characters * 1.3:
        if not (_goes_on(section, start, end) or (size < room.characters / 2 and _same_paragraph(section, end))):
            break
        size += sizes[end]
        end += 1
    if end - start > 1 and section[end - 1].kind == "sentence" and _announces(section[end - 1]):
        end -= 1
    return list(section[start:end])


def _paragraph_start(section: Sequence[Unit], start: int, left: int, sizes: Sequence[int]) -> int:
    """Where the paragraph of a sentence starts, if there is room: what "it" and "then" mean was said before."""
    first = start
    while first and section[first - 1].block == section[start].block and left >= sizes[first - 1]:
        first -= 1
        left -= sizes[first]
    return first if not first or section[first - 1].block != section[start].block else start


def _announcement(section: Sequence[Unit], start: int, left: int, sizes: Sequence[int]) -> int:
    """Where the sentence stands that leads to a list, table or fence: before its first item, if there is room."""
    first = start
    while first and section[first - 1].block == section[start].block:
        first -= 1
    if section[start].kind != "row" and sum(sizes[first:start]) > left:
        return start
    if first and section[first - 1].kind in ("sentence", "item") and _announces(section[first - 1]):
        return first - 1 if section[start].kind != "row" or first == start else start
    return first if section[start].kind == "item" and section[start].ordered else start


def _same_paragraph(section: Sequence[Unit], at: int) -> bool:
    return section[at].kind == "sentence" and section[at].block == section[at - 1].block


def _announces(unit: Unit) -> bool:
    return unit.text.rstrip("*_ ").endswith((":", "："))


def _goes_on(section: Sequence[Unit], start: int, end: int) -> bool:
    last, following = section[end - 1], section[end]
    if _announces(last) or (following.kind == "fence" and last.kind in ("sentence", "item")):
        return True
    same = following.block == last.block
    return same and (last.ordered or (last.kind == "item" and _announces(section[start])))


def _size(unit: Unit, room: Room) -> int:
    """The room that a unit takes: code is read faster than prose, and counts half."""
    if unit.kind == "fence":
        return sum(len(line) + 1 for line in unit.lines[: room.lines]) // 2
    return len(unit.text)


def _rendered(chosen: Sequence[Unit], interest: Interest, room: Room) -> Iterator[str]:
    """Fences as they are, the words between them as quotations."""
    for is_fence, run in groupby(chosen, key=lambda unit: unit.kind == "fence"):
        if is_fence:
            for unit in run:
                yield _fence(unit, interest, room)
        else:
            yield quote(list(_quoted(list(run))))


def _fence(unit: Unit, interest: Interest, room: Room) -> str:
    if len(unit.lines) <= room.lines:
        return fence(unit.lines, unit.language)
    chosen = windows(unit.lines, unit.language, interest, room.lines) or [Window(0, room.lines, 0.0)]
    shown = "\n\n…\n\n".join(fence(unit.lines[w.start : w.end], unit.language) for w in chosen)
    before = "…\n\n" if chosen[0].start else ""
    after = "\n\n…" if chosen[-1].end < len(unit.lines) else ""
    return f"{before}{shown}{after}"


def _quoted(run: Sequence[Unit]) -> Iterator[str]:
    for at, (_, same) in enumerate(groupby(run, key=lambda unit: (unit.block, unit.kind))):
        of_block = list(same)
        if at:
            yield ""
        if of_block[0].kind == "sentence":
            text = " ".join(unit.text for unit in of_block)
            yield "\\" + text if _BLOCK_START.match(text) and not text[0].isdigit() else _unnumbered(text)
        elif of_block[0].kind == "row":
            yield from of_block[0].head.split("\n")
            yield from (unit.text for unit in of_block)
        else:
            outer = min((unit.indent for unit in of_block), key=len)
            yield from (unit.indent[len(outer) :] + unit.text for unit in of_block)


def _unnumbered(text: str) -> str:
    """A sentence that starts with a number and a dot is no list."""
    return re.sub(r"^(\d+)([.)])(?=\s)", r"\1\\\2", text)


def brief(found: Excerpt, number: int) -> str:
    """An excerpt as it stands in the answer."""
    return f"{found.introduction} [{number}]:\n\n{found.body}"
