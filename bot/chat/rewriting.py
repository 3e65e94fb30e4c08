"""A follow-up question as a model rewrote it is taken only if it says nothing that the conversation does not."""

from __future__ import annotations

import re

from bot.chat.untrusted import harmless
from bot.types import Question
from indexer.terms import written_names

# Names in place of pronouns make a question longer, but not by much.
LONGEST = 2.0
LONGEST_MORE = 200
# So many of its words stand in the conversation; the others are such as "of" and "does".
LEAST_KNOWN = 0.6
# So many of the question's own words are still there: what has fewer is an answer, or a turn repeated.
LEAST_KEPT = 0.4
# Enough of a word to know it in another form.
STEM = 5
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]{3,}")
_LABEL = re.compile(r"^(?:\w+ )?(?:question|query|frage|pregunta)\s*[:：]\s*", re.IGNORECASE)
_LINK = re.compile(r"://|\bwww\.", re.IGNORECASE)


def usable(said: str, question: Question) -> str | None:
    """The rewritten question, without what models put around it. None when it is none: when it says what nobody said,
    loses what was asked, or brings nothing from the conversation."""
    line = next(filter(None, map(str.strip, said.split("\n"))), "")
    line = _LABEL.sub("", line.strip('*"“”')).strip('*"“” ')
    if not line or len(line) > LONGEST * len(question.text) + LONGEST_MORE:
        return None
    if _LINK.search(line) or harmless(line) != line or line[0] in "{[<`#|":
        return None
    return line if _follows(line, question) else None


def _follows(line: str, question: Question) -> bool:
    """Whether the line is the question with words of its conversation in it."""
    before = "\n".join(turn.content for turn in question.history)
    lowered = f"{question.text}\n{before}".casefold()
    if any(name.casefold() not in lowered for name in written_names(line)):
        return False
    said, asked, told = (_words(text) for text in (line, question.text, before))
    known, kept = len(said & (asked | told)), len(said & asked)
    brings = bool(said & told - asked)
    return brings and known >= LEAST_KNOWN * len(said) and kept >= LEAST_KEPT * len(asked)


def _words(text: str) -> set[str]:
    return {word[:STEM] for word in _WORD.findall(text.casefold())}
