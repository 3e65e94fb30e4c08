"""A passage becomes the few of its lines that carry a claim or answer a question: what a citation links to."""

from __future__ import annotations

from typing import Final

from bot.passages import cut
from bot.reading.interest import Interest
from bot.reading.window import stretch
from bot.types import Passage
from indexer.types import Origin

# A reader who follows a link sees about so many lines at once; more prove nothing in particular.
LONGEST_CITATION: Final = 40


def narrowed(passage: Passage, interest: Interest, origin: Origin) -> Passage:
    """The passage, or the stretch of at most LONGEST_CITATION lines in it that holds most of what is looked for."""
    lines = passage.text.split("\n")
    if len(lines) <= LONGEST_CITATION:
        return passage
    found = stretch(lines, passage.language, interest, LONGEST_CITATION)
    if found is None:
        return cut(passage, passage.start_line, passage.start_line + LONGEST_CITATION - 1, origin)
    return cut(passage, passage.start_line + found.start, passage.start_line + found.end - 1, origin)
