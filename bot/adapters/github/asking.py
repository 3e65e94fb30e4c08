"""A thread becomes the question that its last message asks, with what was said before as the conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final

from bot.adapters.github.courtesy import says_nothing
from bot.adapters.github.cuts import line_spans, without
from bot.adapters.github.excerpt import excerpt
from bot.adapters.github.mentions import LONGEST_READ, question_in, unaddressed
from bot.adapters.github.template import without_kind, without_noise
from bot.adapters.github.types import Hunk, Message, Thread
from bot.markdown.lines import blocks_of, quoted_lines, with_line_feeds
from bot.types import Question, Turn
from indexer.terms import written_names

# Characters. A question that is longer is mostly a log, and what it asks drowns in what the log says.
LONGEST_QUESTION: Final = 4_000
# A thread gets a quarter of what the rules leave of a model's context (`bot.chat.budget`): about 1,700 tokens of the
# default 8,192, at 3.5 characters a token. What a thread is about takes a third of it at most.
LONGEST_THREAD: Final = 6_000
LONGEST_OPENING: Final = 2_000
LONGEST_MESSAGE: Final = 1_500
# Of which more is not looked at: its start says what it is about, and each of many costs time.
LONGEST_READ_OF_MESSAGE: Final = 8_000
LONGEST_QUOTATION: Final = 300
LONGEST_DIFF: Final = 1_200
LONGEST_LINE: Final = 300
MOST_NAMES: Final = 8

# What `bot.rendering.github` puts below an answer.
_SOURCES: Final = ("**Sources**", "**Nearest places**")
_ABOUT: Final = "*This answer is automated"
_CITED: Final = re.compile(r"\[(\[\d{1,3}\])\]\([^()\s]*\)")


def asked(thread: Thread, handle: str, unasked: bool = False) -> Question | None:
    """What the last message of a thread asks whoever has the handle; None when it is our own, or does not mention it
    and is not to be answered `unasked`.

    In the opening text, or with nothing but the mention, it is the issue itself that asks.
    """
    *before, asking = (thread.opening, *thread.messages)
    titled = None if thread.messages else question_in(thread.title, handle)
    said = question_in(asking.text, handle)
    if asking.own or (said is None and titled is None and not unasked):
        return None
    project = thread.repository.rpartition("/")[2]
    question = without_noise(said or "")
    question = "" if says_nothing(question) else question
    quoted = _quoted(asking.text) if before else ""
    if not question and quoted:
        question, quoted = re.sub(r"^[ \t]*>[ \t]?", "", quoted, flags=re.MULTILINE), ""
    whole = not before or not question
    place = f"About {_place(thread.hunk)}." if thread.hunk else ""
    text = "\n\n".join(filter(None, (_issue(thread, handle) if whole else question, place)))
    opening = _opening(thread, handle, whole, project)
    referred = [Turn("user", excerpt(quoted, LONGEST_QUOTATION, project))] if quoted else []
    room = LONGEST_THREAD - sum(len(turn.content) for turn in (*opening, *referred))
    history = (*opening, *_latest(before[1:], room, handle, project), *referred)
    return Question(excerpt(text, LONGEST_QUESTION, project), history, thread.repository)


def _issue(thread: Thread, handle: str) -> str:
    title = without_kind(unaddressed(thread.title, handle))
    body = without_noise(unaddressed(thread.opening.text, handle))
    return "\n\n".join(filter(None, (title, body)))


def _opening(thread: Thread, handle: str, asks: bool, project: str) -> list[Turn]:
    """What the thread is about, unless that is asked: the title, labels, the lines of a file, the text."""
    body = "" if asks else excerpt(_issue(thread, handle), LONGEST_OPENING, project)
    title, _, text = body.partition("\n\n")
    labels = f"Labels: {', '.join(thread.labels)}" if thread.labels else ""
    place, diff = (_changes(thread.hunk), _diff(thread.hunk)) if thread.hunk else ("", "")
    content = "\n\n".join(filter(None, (title, labels, place, text, diff)))
    return [Turn("user", content, thread.opening.author)] if content else []


def _place(hunk: Hunk) -> str:
    """The lines of a file that a review comment is about."""
    first, last = hunk.start_line or hunk.end_line, hunk.end_line
    lines = "" if last is None else f" line {last}" if first == last else f" lines {first}-{last}"
    return f"`{hunk.path}`{lines}"


def _changes(hunk: Hunk) -> str:
    """The lines that a review comment is about with the names in them, changed and last ones first. These are no part
    of the question: what a pull request adds is in no index, and would be said not to exist."""
    lines = [line[:LONGEST_LINE] for line in reversed(hunk.diff[-LONGEST_DIFF:].split("\n")) if line[:2] != "@@"]
    changed = [line for line in lines if line[:1] in ("+", "-")]
    names = written_names("\n".join(line[1:] for line in (*changed, *lines)))[:MOST_NAMES]
    return f"{_place(hunk)}: {', '.join(f'`{name}`' for name in names)}" if names else _place(hunk)


def _diff(hunk: Hunk) -> str:
    """The end of the hunk, where the comment stands, as a fence."""
    kept = hunk.diff[-LONGEST_DIFF:]
    kept = kept.partition("\n")[2] if len(hunk.diff) > LONGEST_DIFF else kept
    ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", kept)), default=0))
    return f"{ticks}diff\n{kept}\n{ticks}" if kept else ""


def _latest(messages: Sequence[Message], room: int, handle: str, project: str) -> list[Turn]:
    """As many of the latest messages as there is room for, oldest first."""
    kept: list[Turn] = []
    for message in reversed(messages):
        turn = _turn(replace(message, text=message.text[:LONGEST_READ_OF_MESSAGE]), handle, project)
        room -= len(turn.content)
        if room < 0:
            break
        kept += [turn] if turn.content else []
    return kept[::-1]


def _turn(message: Message, handle: str, project: str) -> Turn:
    if message.own:
        return Turn("assistant", excerpt(own_answer(message.text), LONGEST_MESSAGE, project))
    said = _with_short_quotations(unaddressed(message.text, handle))
    return Turn("user", excerpt(said, LONGEST_MESSAGE, project), message.author)


def own_answer(comment: str) -> str:
    """What an answer of ours says: without its warnings, sources, last line, marker, and addresses."""
    text = with_line_feeds(comment)
    blocks = [block for block in blocks_of(text) if block.depth == 0]
    gone: set[int] = set()
    for block in blocks:
        source = block.text.strip()
        if block.kind == "paragraph" and (source in _SOURCES or source.startswith(_ABOUT)):
            gone |= set(range(block.start, text.count("\n") + 1))
        elif block.kind == "blockquote" and text.split("\n")[block.start].startswith("> ⚠"):
            gone |= set(range(block.start, block.end))
    return _CITED.sub(r"\1", without_noise(without(text, line_spans(text, gone))))


def _quoted(text: str) -> str:
    """What a message quotes, with its marks."""
    lines = with_line_feeds(text[:LONGEST_READ]).split("\n")
    return "\n".join(lines[at] for at in sorted(quoted_lines(blocks_of("\n".join(lines)))))


def _with_short_quotations(text: str) -> str:
    """What a message says, with only the beginning of each quotation."""
    text = without_noise(text)
    lines, gone = text.split("\n"), set[int]()
    for block in blocks_of(text):
        if block.kind == "blockquote" and block.depth == 0:
            quoted = range(block.start, block.end)
            lengths = accumulate(len(lines[at]) for at in quoted)
            gone |= {at for at, length in zip(quoted[1:], [*lengths][1:], strict=True) if length > LONGEST_QUOTATION}
    return without(text, line_spans(text, gone))
