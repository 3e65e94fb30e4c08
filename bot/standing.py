"""The words around a release say whether the asker runs it, ran it once, or only speaks of it. Pure functions.

The words are few and plain on purpose: what they do not tell stays NAMED, and a bare number that they do not make a
release of the project is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Final


class Standing(IntEnum):
    """What a message says of a release that it names, the surest last."""

    ELSEWHERE = 1
    """Where it works, its documentation, a link: of use when nothing else is named."""
    NAMED = 2
    FAILED = 3
    """"Broken in", "since"."""
    RUN = 4
    """"Running", "upgraded to"."""
    REPORTED = 5
    """A tool printed it, or it fills a form."""


class Surety(IntEnum):
    """How surely a number without a name is a release of the project."""

    NONE = 0
    LIKELY = 1
    CLEAR = 2


Words = Sequence[str]
"""The words of a clause before a number, nearest first; PROJECT is the project's name, NUMBER another number."""

PROJECT: Final = "§"
NUMBER: Final = "#"
# So much of a message before a number is read.
CHARACTERS: Final = 120

_WORD: Final = re.compile(r"[a-z][\w'+-]*(?:\.\w+)*|->|→|[#§=:(|/~]")
_CLAUSE_END: Final = re.compile(r"[.,;!?)](?=\s|$)|\n\s*\n|\n[ \t]*(?:[-*+•]|\d+[.)])[ \t]")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LABELS: Final = _set("version versions release tag ver v")
_FILLING: Final = _LABELS | _set("the a an our my this that image build docker only exactly is are at = : ( | § ~ of")
_JOINTS: Final = _set("and or vs versus between both / , ( to -> →")
_PLACES: Final = _set("in on with since from under using for at by to until as of")
_RUNNING: Final = _set(
    "running run runs use uses using installed install have serving tried try trying testing test pinned deployed now"
    " currently still"
)
_MOVES: Final = _set(
    "upgrade upgraded upgrading update updated updating downgrade downgraded downgrading move moved moving switch"
    " switched switching migrate migrated migrating bump bumped bumping roll rolled rolling revert reverted reverting"
    " go went going jump jumped come came coming change changed"
)
_MOVED: Final = _set("it us everything all things back over from § # our the up today yesterday recently")
_CHANGES: Final = _set(
    "fixed added introduced removed deprecated renamed changed merged dropped landed planned scheduled coming"
    " backported appeared gone"
)
_THERE: Final = _set("available exists existed there supported present possible default documented")
_EARLIER: Final = _set("before until till prior than previous previously formerly earlier old older ancient")
_STILL_EARLIER: Final = _set("previous earlier old older ancient")
_WORKED: Final = _set("worked had ran")
_WORKS: Final = _set("works working ok okay fine")
_BROKEN: Final = _set(
    "broke broken breaks fail fails failed failing crash crashes crashed crashing regressed regression error errors"
    " stopped hang hangs hanging bug slower wrong happens happening affects reproduce reproduced not cannot never"
    " doesn't don't isn't won't can't didn't longer"
)
_BEING: Final = _set("am i'm im are we're they're is still stuck currently based stay stayed staying be")
_WERE: Final = _set("was were been")
_DOCUMENTS: Final = _set("doc docs documentation changelog notes blog")
_TELLING: Final = _PLACES | _RUNNING | _EARLIER | _WORKED
# What may stand before a bare number of the project, before its label, and before "upgraded to" with one.
_CLOSED: Final = (
    (_PLACES - {"to", "from"})
    | _RUNNING
    | _MOVED
    | _EARLIER
    | _WERE
    | _WORKED
    | _DOCUMENTS
    | _set(
        "i we you they im i'm i've we've ve has had been just after when while then but also so if latest current same"
        " newer newest stable which what did do does can could should and or see seeing get got checkout out source"
    )
)
_PAST_AFTER: Final = re.compile(
    r"\s+(?:days|era|was(?!\s+(?:installed|built|deployed))|did|had|(?:\w+\s+)?worked)\b|\s*(?:->|→|=>)", re.IGNORECASE
)
_ELSEWHERE_AFTER: Final = re.compile(
    r"(?:['’]s)?\s+(?:\w+\s+)?(?:docs?|documentation|changelog|release\s+notes|works|is\s+(?:fine|ok|okay))\b",
    re.IGNORECASE,
)
_TO_NEXT: Final = re.compile(rf"\s+(?:up\s+)?to\s+(?:\w+\s+)?{NUMBER}", re.IGNORECASE)


def words_before(text: str, at: int) -> Words:
    """The words of the clause that ends at a place in a text whose names and numbers are already signs."""
    piece = text[max(0, at - CHARACTERS) : at].replace("’", "'").lower()
    return _WORD.findall(_CLAUSE_END.split(piece)[-1])[::-1]


def standing(before: Words, after: str) -> Standing | None:
    """How the asker stands to a release, by the words around it; None for what they ran once, or what changed in it."""
    if _PAST_AFTER.match(after):
        return None
    found = _standing(before, after)
    return Standing.ELSEWHERE if found and _ELSEWHERE_AFTER.match(after) else found


def _standing(before: Words, after: str) -> Standing | None:
    _, core, joint = _core(before)
    if joint in ("to", "->", "→"):
        return Standing.RUN
    if not core or core[0] not in _TELLING:
        return Standing.ELSEWHERE if core and core[0] in _DOCUMENTS else Standing.NAMED
    last, rest = core[0], _until_number(core[1:])
    if last in _EARLIER:
        still = last in _STILL_EARLIER and _standing(core[1:], after) == Standing.RUN
        return Standing.RUN if still else None
    if last in _WORKED or last in _RUNNING:
        return None if last in _WORKED or not _WERE.isdisjoint(rest[:1]) else Standing.RUN
    if last in ("to", "from") and not _MOVES.isdisjoint(rest[:4]):
        return Standing.RUN if last == "to" else None
    return None if last == "from" and _TO_NEXT.match(after) else _in_place(last, rest)


def _in_place(last: str, rest: Words) -> Standing | None:
    """What `fixed in`, `worked with`, `broken since` and their like say."""
    near, words = set(rest[:3]), set(rest[:6])
    if near & _CHANGES or rest[:1] == ["new"] or (last == "since" and near & _THERE):
        return None
    if words & _BROKEN or last == "since":
        return Standing.FAILED
    if words & _WORKED or {"used", "to"} <= words or near & _WERE:
        return None
    if words & _WORKS or near & _DOCUMENTS:
        return Standing.ELSEWHERE
    run = near & _RUNNING or (last in ("on", "at") and near & _BEING)
    return Standing.RUN if run else Standing.NAMED


def surety(before: Words) -> Surety:
    """How surely a number with these words before it, and no name, is a release of the project."""
    labelled, core, _ = _core(before)
    if not core:
        return Surety.CLEAR if labelled else Surety.LIKELY
    last, rest = core[0], core[1:]
    if last in ("to", "from"):
        return Surety.CLEAR if _moves(rest) else Surety.NONE
    if last not in _CLOSED:
        return Surety.NONE
    clear = labelled or last == "running" or (last == "on" and not _BEING.isdisjoint(rest[:2]))
    return Surety.CLEAR if clear else Surety.LIKELY


def _moves(words: Words) -> bool:
    """Whether these, nearest first, are a move of the project itself: `I upgraded`, not `torch was upgraded`."""
    at = next((at for at, word in enumerate(words) if word not in _MOVED), len(words))
    if at == len(words) or words[at] not in _MOVES:
        return False
    return at + 1 == len(words) or words[at + 1] in _CLOSED - _WERE


def _core(before: Words) -> tuple[bool, Words, str]:
    """Whether the number has a label, the words before that, and what joins it to a number before it."""
    labelled, joint, at = False, "", 0
    while at < len(before):
        word = before[at]
        if word in _JOINTS and NUMBER in before[at + 1 : at + 2]:
            joint, at = joint or word, at + 2
        elif word in _FILLING:
            labelled, at = labelled or word in _LABELS, at + 1
        else:
            break
    return labelled, before[at:], joint


def _until_number(words: Words) -> Words:
    return words[: words.index(NUMBER)] if NUMBER in words else words
