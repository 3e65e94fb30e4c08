"""A long text is made short enough to be asked or remembered: of what was pasted, the lines that tell what happened."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from bot.chat.untrusted import middle_out
from bot.markdown.lines import blocks_of
from bot.releases import mentions

ELLIPSIS: Final = "…"
# Of what is pasted, so many lines stay as they are; of more, so many at its start and its end, and so many that tell.
MOST_PASTED_LINES: Final = 8
EDGE_LINES: Final = 2
MOST_TELLING_LINES: Final = 16
LONGEST_LINE: Final = 300
# Of a text that is still too long, what a reader learns the release from, at most.
LONGEST_RELEASES: Final = 600
# Of an environment's dump, so many lines are fields or packages; and so many name a version, where no heading says so.
FIELDS_OF_DUMP: Final = 0.7
VERSIONS_OF_DUMP: Final = 0.2

_MAY_BE_PASTED: Final = frozenset({"fence", "paragraph", "html_block", "table"})
# A field with its value, a package with its version; no line of a log, which begins with a time or a level.
_FIELD: Final = re.compile(
    r"\s*(?!.{0,30}\d\d:\d\d)(?:\[\w+\]\s*)?(?:[A-Za-z][\w .()/#*|+-]{0,60}(?::|==|=)|[\w.-]+\s{2,}v?\d)", re.ASCII
)
_VERSION: Final = re.compile(r"\d\.\d")
_ENVIRONMENT: Final = re.compile(
    r"\benvironment|\bversions?\b|\bsystem\b|\bsetup\b|\bplatform\b|\bpackages\b|\bcollect_env", re.IGNORECASE
)
_TELLS: Final = re.compile(
    r"(?<![a-z])(?:error|exception|traceback|fatal|critical|panic(?:ked)?|assert(?:ion)?(?:error)?|failed|failure"
    r"|abort(?:ed)?|segmentation fault|killed|out of memory|undefined symbol|not found|no such|unrecognized|invalid"
    r"|unsupported|cannot|could not|denied|refused|timed? ?out)(?![a-z])|\w(?:Error|Exception|Warning|Exit)\b",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(r"\bv\d+\.\d+|\bversion\b.{0,40}\d\.\d|__version__", re.IGNORECASE)
_FRAME: Final = re.compile(r"\s+(?:File \"|at \S+\(|\d+: 0x)")


@dataclass(frozen=True, slots=True)
class _Pasted:
    """Lines, counted from 0, that may have been pasted, and the heading above them."""

    lines: range
    head: str


def excerpt(text: str, longest: int, project: str) -> str:
    """The text in at most so many characters.

    Of a dump of an environment, the lines stay that say which release of the project runs. What fits then stays as it
    is. Else what was pasted is cut to the lines that say what went wrong or name a release; then the whole in its
    middle, and the lines with releases are added at the end.
    """
    lines = text.split("\n")
    dumps = [part.lines for part in _long_parts(text, lines) if _is_dump(part, lines)]
    if not dumps and len(text) <= longest:
        return text
    releases = release_lines(text, project)
    undumped = "\n".join(_each_cut(lines, dumps, lambda part: [at for at in part if at in releases]))
    if len(undumped) <= longest:
        return undumped
    short = _shortened(undumped, project)
    said = dict.fromkeys(lines[at].strip()[:LONGEST_LINE] for at in sorted(releases))
    lost = middle_out("\n".join(line for line in said if line), min(LONGEST_RELEASES, longest // 3))
    if len(short) <= longest or not lost:
        return middle_out(short, longest)
    return f"{middle_out(short, longest - len(lost) - 2)}\n\n{lost}"


def release_lines(text: str, project: str) -> set[int]:
    """The lines of a text, counted from 0, that say which release of a project runs, each with the label above it."""
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    named = {bisect_right(starts, mention.at) - 1 for mention in mentions(text, project, ()) if mention.standing}
    return named | {at - 1 for at in named if at and not _VERSION.search(lines[at - 1])}


def _shortened(text: str, project: str) -> str:
    """The text with all long parts that were pasted cut to the lines that tell."""
    lines, releases = text.split("\n"), release_lines(text, project)
    long = [part.lines for part in _long_parts(text, lines)]
    return "\n".join(_each_cut(lines, long, lambda part: _telling(lines, part, releases)))


def _each_cut(lines: Sequence[str], parts: Iterable[range], keep: Callable[[range], Sequence[int]]) -> Iterator[str]:
    """The lines, of some parts only those that are kept, with an ellipsis wherever others were."""
    at = 0
    for part in parts:
        if part.start < at:
            continue
        yield from lines[at : part.start]
        before = part.start - 1
        for kept in (*keep(part), part.stop):
            if kept > before + 1:
                yield ELLIPSIS
            if kept < part.stop:
                yield middle_out(lines[kept], LONGEST_LINE)
            before = kept
        at = part.stop
    yield from lines[at:]


def _long_parts(text: str, lines: Sequence[str]) -> Iterator[_Pasted]:
    """The long ones of fences, tables, HTML and paragraphs; a long paragraph is a log that has no fence."""
    head = ""
    for block in blocks_of(text):
        start, end = block.start, block.end
        if block.kind == "heading":
            head = block.text
        elif block.kind == "fence" and block.mark:
            closed = end - start > 1 and lines[end - 1].strip(" \t>").startswith(block.mark)
            start, end = start + 1, end - closed
        if block.kind in _MAY_BE_PASTED and end - start > MOST_PASTED_LINES:
            yield _Pasted(range(start, end), head)


def _is_dump(part: _Pasted, lines: Sequence[str]) -> bool:
    """Whether a part is what a tool prints of an environment: fields or packages, with their versions."""
    said = [lines[at][:LONGEST_LINE] for at in part.lines if lines[at].strip()]
    fields, numbered = sum(bool(_FIELD.match(line)) for line in said), sum(bool(_VERSION.search(line)) for line in said)
    of_environment = _ENVIRONMENT.search(part.head) or numbered >= VERSIONS_OF_DUMP * len(said)
    return fields >= FIELDS_OF_DUMP * len(said) and bool(of_environment)


def _telling(lines: Sequence[str], part: range, releases: Set[int]) -> list[int]:
    """The lines of a part that say what went wrong or name a release, and its first and last ones."""
    telling = [at for at in part if _TELLS.search(lines[at][:LONGEST_LINE]) and not _FRAME.match(lines[at])]
    numbered = [at for at in part if at in releases or _NUMBERED.search(lines[at][:LONGEST_LINE])]
    edges = (*part[:EDGE_LINES], *part[-EDGE_LINES:])
    return sorted({*edges, *_ends(telling, MOST_TELLING_LINES), *numbered[:MOST_TELLING_LINES]})


def _ends(numbers: Sequence[int], most: int) -> Sequence[int]:
    """Where errors begin and where they end: what is between repeats them."""
    return numbers if len(numbers) <= most else (*numbers[: most // 2], *numbers[-most // 2 :])
