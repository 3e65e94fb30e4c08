"""A message becomes what it asks us, or nothing when it does not mention us where GitHub would link the mention.

GitHub renders the Markdown and looks for mentions in what text there is outside code and links; so is it done here, and
quotations are left out as well. What is asked is the source without the mentions, not a text that was written again.
"""

from __future__ import annotations

import re
from typing import Final

from bot.adapters.github.courtesy import is_thanks, says_nothing
from bot.adapters.github.cuts import Span, line_spans, without
from bot.adapters.github.mail import mail_lines
from bot.adapters.github.places import NUMBER, comments, in_text
from bot.markdown.lines import blocks_of, code_lines, quoted_lines, with_line_feeds

__all__ = ["LONGEST_READ", "is_thanks", "newly_mentions", "question_in", "unaddressed"]

# As many characters as GitHub's longest text has; what is longer was not written there, and is read so far.
LONGEST_READ: Final = 65_536
# An escaped or encoded sign is a mention on GitHub as well.
_AT: Final = r"(?:\\?@|&#0*64;|&#[xX]0*40;|&commat;)()"
_BEFORE: Final = r"(?<![A-Za-z0-9_])@"
# https://github.com/gjtorikian/html-pipeline, whose mention filter is GitHub's: ASCII letters go on with a name.
_AFTER: Final = r"(?![A-Za-z0-9_/-]|\.[A-Za-z0-9_])"
_WRAPPING: Final = {("*", "*"), ("_", "_"), ("~", "~"), ("(", ")"), ("[", "]"), ("（", "）")}
_LINE_START: Final = re.compile(r"(?:[ \t]|[-*+>#|]|\d{1,9}[.)]|\[[ xX]\])*\Z")
_BEHIND: Final = re.compile(r"[ \t]*(?:[,:;!，：；！、]|[.。](?=\s|\Z)|[-–—](?=\s))*[ \t]*")
_BETWEEN: Final = re.compile(r"[ \t]*[,，、]?")
_OF_IT: Final = re.compile(r"(?:['’]s\b)?")
_ENDED: Final = re.compile(r"[?.!。？！]|[ \t]*(?:\n|\Z)")


def question_in(text: str, handle: str) -> str | None:
    """What a message asks whoever has the handle (without the `@`): its Markdown without mentions of it, quotations,
    HTML comments and what e-mail programs add. None when it does not mention it; empty when nothing is said but that.

    Logins are compared without case; an App's may end with `[bot]`. Of a text that is longer than LONGEST_READ, the
    start is read.
    """
    text = with_line_feeds(text[:LONGEST_READ])
    found = _mentions(text, handle)
    others = line_spans(text, _lines_of_others(text)) if found else []
    own = [span for span in found if not any(start <= span[0] < end for start, end in others)]
    if not own:
        return None
    asked = without(text, (*others, *comments(text), *(_with_its_own(text, span) for span in own)))
    return "" if says_nothing(asked) else asked


def unaddressed(text: str, handle: str) -> str:
    """The text without mentions of the handle, with line feeds."""
    text = with_line_feeds(text[:LONGEST_READ])
    found = _mentions(text, handle)
    return without(text, (_with_its_own(text, span) for span in found)) if found else text


def newly_mentions(text: str, previous: str, handle: str) -> bool:
    """Whether a text that was edited mentions the handle, and did not before."""
    return question_in(text, handle) is not None and question_in(previous, handle) is None


def _mentions(text: str, handle: str) -> list[Span]:
    name = re.escape(handle)
    if not re.search(name, text, re.IGNORECASE):
        return []
    candidate = re.compile(rf"{_AT}{name}(?:\[bot\])?", re.IGNORECASE)
    return in_text(text, candidate, f"{_BEFORE}{NUMBER}{name}{_AFTER}")


def _lines_of_others(text: str) -> set[int]:
    blocks, lines = blocks_of(text), text.split("\n")
    quoted = quoted_lines(blocks)
    return quoted | mail_lines(lines, code_lines(blocks), quoted)


def _with_its_own(text: str, span: Span) -> Span:
    """A mention with the emphasis or brackets around it alone, and the comma, colon or blank that belongs to it."""
    start, end = span
    while (text[start - 1 : start], text[end : end + 1]) in _WRAPPING:
        start, end = start - 1, end + 1
    end = _end(_OF_IT, text, end)
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if _LINE_START.fullmatch(line):
        return start, _end(_BEHIND, text, end)
    start -= len(line) - len(line.rstrip(" \t"))
    if text[start - 1] in ",:，：":
        # "how do I …, @us?", and "well, @us, how …"
        return (start - 1, end) if _ENDED.match(text, end) else (start, _end(_BETWEEN, text, end))
    return start, end


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
