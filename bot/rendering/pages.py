"""Blocks become messages of a limited length and number, the last of which ends with the sources."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from bot.markdown import Node, plain
from bot.rendering.chat_markdown import chat_markdown
from bot.rendering.cutting import Cutter
from bot.rendering.sources import paragraph

# https://discord.com/developers/docs/resources/message#create-message, in UTF-16 units: the stricter way to count.
LONGEST_MESSAGE: Final = 2_000
MOST_MESSAGES: Final = 10
SHORTENED: Final = "Shortened: the rest of this answer was cut off, since it takes more than {most} messages."

_SEPARATOR: Final = "\n\n"
# A block that would have to be torn goes to a message of its own when the one before is at least half full.
_FULL_ENOUGH: Final = LONGEST_MESSAGE // 2
# Less room than this is not worth filling.
_LEAST_ROOM: Final = 120
# How much of an answer's end is taken along to its sources, and how finely a block is parted for that.
_WORTH_MOVING: Final = 200
_STEP: Final = 25

Page = list[Node]


def paged(body: Sequence[Node], tail: Sequence[Node], cut_before: bool) -> list[str]:
    """The messages that say the body, then the tail with the end of it. What takes too many, or was cut before, is
    shortened, with a note that says so."""
    pages, rest = _packed(body, LONGEST_MESSAGE, MOST_MESSAGES)
    ended = _with_tail(pages, tail)
    if rest or cut_before or len(ended) > MOST_MESSAGES:
        ended = _cut_short(pages, rest, tail)
    return [_written(page) for page in ended]


def _packed(blocks: Sequence[Node], room: int, most: int) -> tuple[list[Page], list[Node]]:
    """The blocks in as many pages as they need, or at most so many, and what is left."""
    waiting, pages = deque(blocks), [Page()]
    cutter = Cutter(_size, room)
    while waiting:
        block, page = waiting.popleft(), pages[-1]
        left = room - _length(page) - (len(_SEPARATOR) if page else 0)
        piece, rest = cutter.split(block, left) if _may_begin(block, left, room) else (None, (block,))
        if piece is None and not page:
            piece, rest = cutter.forced(block, left)
        page += [piece] if piece else []
        waiting.extendleft(reversed(rest))
        if rest and len(pages) == most:
            break
        if rest:
            pages.append([page.pop()] if piece is None and _goes_along(page, [block], room) else [])
    return pages, list(waiting)


def _may_begin(block: Node, left: int, room: int) -> bool:
    """Whether a block is begun here, and not on a page of its own."""
    size = _size(block)
    if size <= left or left < _LEAST_ROOM:
        return size <= left
    if size > room or block.kind in ("bullet_list", "ordered_list"):
        return True
    return block.kind != "fence" and room - left < _FULL_ENOUGH


def _goes_along(page: Page, blocks: Sequence[Node], room: int) -> bool:
    """Whether the last block of a page announces those that begin the next page, and fits there too."""
    last = page[-1] if len(page) > 1 else None
    if last is None or _length([last, *blocks]) > room:
        return False
    return last.kind == "heading" or (last.kind == "paragraph" and plain(last.children).endswith((":", "：")))


def _with_tail(pages: list[Page], tail: Sequence[Node]) -> list[Page]:
    """The pages with the tail behind the last one's blocks; if it does not fit there, it takes their end along."""
    *before, last = pages
    if _length([*last, *tail]) <= LONGEST_MESSAGE:
        return [*before, [*last, *tail]]
    together = LONGEST_MESSAGE - _length(tail) - len(_SEPARATOR)
    if together < _LEAST_ROOM:  # so many sources that they need a page of their own
        return [*before, *_packed([*last, *tail], LONGEST_MESSAGE, MOST_MESSAGES)[0]]
    kept, moved = _parted(last, together)
    return [*before, *([kept] if kept else []), [*moved, *tail]]


def _parted(page: Page, room: int) -> tuple[Page, Page]:
    """A page in two, of which the second, never empty, is a little that fits into the room."""
    kept, moved = list(page), Page()
    while kept and _length([kept[-1], *moved]) <= room and _length(moved) < _WORTH_MOVING:
        moved.insert(0, kept.pop())
    if moved:
        moved = [kept.pop(), *moved] if _goes_along(kept, moved, room) else moved
        return kept, moved
    whole = kept.pop()
    for share in range(max(1, _size(whole) - room), _size(whole), _STEP):
        head, rest = Cutter(_size, LONGEST_MESSAGE).split(whole, share)
        if head and rest and _length(rest) <= room:
            return [*kept, head], list(rest)
    return page, Page()


def _cut_short(pages: list[Page], rest: Sequence[Node], tail: Sequence[Node]) -> list[Page]:
    """As much as fits, with a note that says so above the tail."""
    note = paragraph(Node("em", (Node("text", text=SHORTENED.format(most=MOST_MESSAGES)),)))
    closing, _ = _packed([note, *tail], LONGEST_MESSAGE, MOST_MESSAGES)
    full = pages[: MOST_MESSAGES - len(closing)]
    left = [*(block for page in pages[len(full) :] for block in page), *rest]
    room = LONGEST_MESSAGE - _length(closing[0]) - len(_SEPARATOR)
    ending = _packed(left, room, 1)[0][0] if left and room >= _LEAST_ROOM else []
    return [*full, [*ending, *closing[0]], *closing[1:]]


def _written(page: Sequence[Node]) -> str:
    return _SEPARATOR.join(map(chat_markdown, page))


def _size(block: Node) -> int:
    return units(chat_markdown(block))


def _length(page: Sequence[Node]) -> int:
    return units(_written(page))


def units(text: str) -> int:
    """UTF-16 units: an emoji counts as two."""
    return len(text) + sum(char > "\uffff" for char in text)
