"""The passages that an answer cites become the places where its documents and its code disagree. Pure functions.

Of two kinds: a default of one name, for which a document gives one plain value and code another; and an option that a
document has an entry for and no code. What is not plain is not said: a false alarm embarrasses more than a missed one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final

from bot.disagreement.code import coded
from bot.disagreement.documents import documented, entries
from bot.disagreement.literals import same
from bot.disagreement.statement import Statement
from bot.types import Passage
from indexer.terms import plain_name

# Code whose defaults count: examples and tests set what they need.
_KINDS: Final = ("code", "config")
_ASIDE: Final = re.compile(r"(?:^|/)(?:tests?|testing|examples?)/")
# Other entries of a document that tell whether it is about this program's options.
MOST_NEIGHBOURS: Final = 8
# Documents that tell what once was.
_PAST: Final = re.compile(
    r"(?:^|/)[\w-]*(?:change_?logs?|changes|history|news|releases?(?:[-_]?notes?)?|whats_?new|migrat\w*|upgrad\w*)(?:/|$|\.)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What a document and code give as the default of one name."""

    documented: Statement
    coded: Statement

    @property
    def name(self) -> str:
        return self.documented.name


@dataclass(frozen=True, slots=True)
class Undeclared:
    """An option that a document has an entry for, in lines of the passage with this index (from 0), and no code has."""

    name: str
    passage: int
    start_line: int
    end_line: int


def disagreements(
    passages: Sequence[Passage],
    declared: Callable[[str], bool],
    elsewhere: Callable[[str], Iterable[Passage]] = lambda name: (),
    about: Set[str] | None = None,
) -> list[Disagreement | Undeclared]:
    """Where the cited documents and the cited code of one version say different things, in the documents' order.

    `about` are the plain names to look at, such as those of the question and its answer; None for all. `declared` says
    whether a name is anywhere in the version's code. `elsewhere` gives other code that writes a name, which may have
    several owners: it is passed over when any of them gives another value, or one to be computed. Both are asked for
    few names.
    """
    documents = [(at, p) for at, p in enumerate(passages) if p.kind == "docs" and not _PAST.search(p.path)]
    said = _by_name(one for at, passage in documents for one in documented(passage, at))
    given = _by_name(one for at, p in enumerate(passages) if _is_code(p) for one in coded(p, at))
    prose = "\n".join(passage.text for _, passage in documents)
    keys = [key for key in said.keys() & given.keys() if about is None or key[0] in about]
    defaults = (_disagreement(said[key], _known(given[key], prose)) for key in keys)
    unique = (d for d in defaults if d and _nobody_else(d, elsewhere(d.name), prose))
    unknown = [one for at, passage in documents for one in _undeclared(passage, at, declared, about)]
    first = {plain_name(one.name): one for one in reversed(unknown)}
    return sorted((*unique, *first.values()), key=_place)


def _disagreement(said: Sequence[Statement], given: Sequence[Statement]) -> Disagreement | None:
    document, code = _agreed(said), _agreed(given)
    if document is None or code is None or document.value is None or code.value is None:
        return None
    return Disagreement(document, code) if same(document.value, code.value) is False else None


def _nobody_else(found: Disagreement, others: Iterable[Passage], prose: str) -> bool:
    """Whether all code that gives the name a default gives it this one."""
    given = [one for p in others if _is_code(p) for one in coded(p, found.coded.passage)]
    same_name = [one for one in _known(given, prose) if one.key == found.coded.key]
    return _agreed([found.coded, *same_name]) is not None


def _undeclared(
    passage: Passage, index: int, declared: Callable[[str], bool], about: Set[str] | None
) -> Iterator[Undeclared]:
    """Entries for options that are nowhere. A list that is not mostly of known ones is about another program."""
    listed = entries(passage)
    for name, (first, last) in listed:
        if (about is None or plain_name(name) in about) and not _is_known(name, declared):
            others = list(dict.fromkeys(other for other, _ in listed if other != name))[:MOST_NEIGHBOURS]
            if 2 * sum(_is_known(other, declared) for other in others) > len(others):
                yield Undeclared(name, index, passage.start_line + first, passage.start_line + last)


def _is_known(name: str, declared: Callable[[str], bool]) -> bool:
    """As it is written, or without the `no` by which many parsers make a second flag."""
    return declared(name) or (name.startswith("--no-") and declared(f"--{name[5:]}"))


def _is_code(passage: Passage) -> bool:
    return passage.kind in _KINDS and not _ASIDE.search(passage.path)


def _by_name(found: Iterable[Statement]) -> dict[tuple[str, bool], list[Statement]]:
    named = defaultdict[tuple[str, bool], list[Statement]](list)
    for statement in found:
        named[statement.key].append(statement)
    return named


def _known(given: Iterable[Statement], prose: str) -> list[Statement]:
    """Without arguments of functions that no document names."""
    return [one for one in given if not one.argument or (one.owner and re.search(rf"\b{one.owner}\b", prose))]


def _agreed(statements: Sequence[Statement]) -> Statement | None:
    """The first statement of a default when all say the same."""
    first = next((one for one in statements if not one.fallback), None)
    value = first.value if first else None
    agree = value is not None and all(one.value is not None and same(value, one.value) for one in statements)
    return first if agree else None


def _place(found: Disagreement | Undeclared) -> tuple[int, int]:
    said = found if isinstance(found, Undeclared) else found.documented
    return said.passage, said.start_line


def sentence(found: Disagreement | Undeclared) -> str:
    """What to tell the reader, with the numbers of the citations, which are the passages in order."""
    if isinstance(found, Undeclared):
        return (
            f"The documentation describes `{found.name}` [{found.passage + 1}], but nothing in the code has that name."
        )
    said, given = found.documented, found.coded
    where = f" (`{given.owner}`)" if given.owner else ""
    return (
        f"The documentation gives `{_shown(said)}` as the default of `{said.name}` [{said.passage + 1}], "
        f"the code `{_shown(given)}`{where} [{given.passage + 1}]."
    )


def _shown(statement: Statement) -> str:
    return statement.literal.strip("\"'")
