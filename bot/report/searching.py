"""Unresolved questions become topics, each with the documents that should have answered it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from itertools import chain
from typing import Final, TypeVar

import numpy as np

from bot.evidence import LEAST_CONFIDENCE
from bot.report.documentation import Documentation
from bot.report.privacy import shortened
from bot.report.report import Document, Example, Topic
from bot.report.topics import Matrix, grouped, names_of, nearest
from bot.report.unresolved import Unresolved, main_version
from bot.types import Passage
from indexer.embedding import Embedder
from indexer.errors import RepoPilotError

# Different questions that are searched for, most asked first: some forty milliseconds each on vLLM.
MOST_SEARCHED: Final = 150
# Further ones that join the groups of those by their vectors alone.
MOST_JOINING: Final = 3_000
# Of a topic, so many questions are weighed against what was found for them.
MOST_WEIGHED: Final = 5
MOST_TOPICS: Final = 12
MOST_EXAMPLES: Final = 3
MOST_COMMENTS: Final = 3
MOST_DOCUMENTS: Final = 3
MOST_NAMES: Final = 3
# Of what was found for a question, that is as near as the best which scores at least this much of it.
_AS_NEAR: Final = 0.8
# Two questions whose letters agree as much are one example.
_ALIKE: Final = 0.8
_COMPARED: Final = 200
# So much of a passage says what it is about.
_LEADING: Final = 600


@dataclass(frozen=True, slots=True)
class Looked:
    """A question with what is found for it in the documents, None where they could not be searched; so many of it are
    `telling` what the question is about."""

    question: Unresolved
    passages: list[Passage] | None = None
    telling: int = 0

    @property
    def words(self) -> str:
        found = (f"{p.path} {p.symbol} {p.text[:_LEADING]}" for p in (self.passages or ())[: self.telling])
        return " ".join((self.question.text, *found))


@dataclass(frozen=True, slots=True)
class Searched:
    """The largest topics; how many questions are in all others, of which `strays` are like no other; and what could
    not be done."""

    topics: tuple[Topic, ...]
    further: int
    strays: tuple[Unresolved, ...]
    note: str | None


Group = list[Looked]
T = TypeVar("T")


def search(questions: Sequence[Unresolved], documentation: Documentation, embedder: Callable[[], Embedder]) -> Searched:
    """Topics of questions, most asked first."""
    searcher = _Searcher(documentation)
    groups = [group for part in _by_repository(questions) for group in _groups(part, searcher, embedder)]
    groups.sort(key=_count, reverse=True)
    names = names_of([[each.question.text for each in group] for group in groups])
    shown = [at for at, group in enumerate(groups) if _count(group) > 1][:MOST_TOPICS]
    others = [group for at, group in enumerate(groups) if at not in shown]
    strays = tuple(group[0].question for group in others if _count(group) == 1)
    topics = tuple(_topic(names[at], groups[at], searcher) for at in shown)
    return Searched(topics, sum(map(_count, others)), strays, searcher.note)


@dataclass(slots=True)
class _Searcher:
    """Searches the documents until that fails, which it notes."""

    documentation: Documentation
    note: str | None = None

    def looked(self, question: Unresolved) -> Looked:
        version = main_version([question])
        passages = self._try(partial(self.documentation.near, question.text, version))
        return Looked(question, passages, self._try(partial(self.documentation.telling, version)) or 0)

    def unknown(self, group: Group) -> tuple[str, ...]:
        """Names that several askers wrote and that exist nowhere, the most written first."""
        askers = Counter[str]()
        for question in (looked.question for looked in group[:MOST_WEIGHED]):
            names = self._try(partial(self.documentation.unknown, question.text, main_version([question])))
            askers.update(dict.fromkeys(names or (), question.count))
        return tuple(name for name, count in askers.most_common(MOST_NAMES) if count > 1)

    def is_near(self, looked: Looked) -> bool:
        """Whether what was found for a question may prove an answer."""
        passages, version = looked.passages, main_version([looked.question])
        if not passages:
            return False
        confidence = self._try(partial(self.documentation.confidence, looked.question.text, passages, version))
        return (confidence or 0.0) >= LEAST_CONFIDENCE

    def _try(self, act: Callable[[], T]) -> T | None:
        if self.note:
            return None
        try:
            return act()
        except RepoPilotError as error:
            self.note = str(error)
            return None


def _by_repository(questions: Sequence[Unresolved]) -> Iterable[list[Unresolved]]:
    """The questions about each repository; those about nobody knows which are with the one that most are about."""
    main = main_version(questions)
    parts: dict[str | None, list[Unresolved]] = defaultdict(list)
    for question in questions:
        version = main_version([question]) or main
        parts[version[0] if version else None].append(question)
    return parts.values()


def _groups(questions: Sequence[Unresolved], searcher: _Searcher, embedder: Callable[[], Embedder]) -> Iterable[Group]:
    """Questions about one thing each; what was not searched for stands behind."""
    first = [searcher.looked(question) for question in questions[:MOST_SEARCHED]]
    rest = [Looked(question) for question in questions[MOST_SEARCHED:]]
    joining = rest[:MOST_JOINING]
    vectors = _vectors([each.question.text for each in (*first, *joining)], embedder)
    known = vectors[: len(first)]
    groups: dict[int, Group] = defaultdict(list)
    labels = grouped(known, [each.words for each in first])
    for label, each in zip(labels, first, strict=True):
        groups[label].append(each)
    alone: list[Group] = [[each] for each in rest[MOST_JOINING:]]
    for at, each in zip(nearest(vectors[len(first) :], known), joining, strict=True):
        alone.append([each]) if at is None else groups[labels[at]].append(each)
    return chain(groups.values(), alone)


def _vectors(texts: Sequence[str], embedder: Callable[[], Embedder]) -> Matrix:
    """A row for each text; without columns where there is no embedder at hand, so that words alone decide."""
    try:
        return embedder().embed(texts).astype(np.float64) if texts else np.zeros((0, 0))
    except RepoPilotError:
        return np.zeros((len(texts), 0))


def _count(group: Group) -> int:
    return sum(each.question.count for each in group)


def _topic(name: str, group: Group, searcher: _Searcher) -> Topic:
    questions = [each.question for each in group]
    fates = sum((each.fates for each in questions), Counter())
    comments = dict.fromkeys(shortened(comment) for each in questions for comment in each.comments)
    version = main_version(questions)
    return Topic(
        name=name,
        questions=fates.total(),
        declined=fates["declined"],
        failed=fates["failed"],
        voted_down=fates["voted down"],
        examples=examples_of(questions),
        comments=tuple(comments)[:MOST_COMMENTS],
        documents=_documents(group, searcher),
        unknown_names=searcher.unknown(group),
        repository=version[0] if version else None,
    )


def examples_of(questions: Iterable[Unresolved], most: int = MOST_EXAMPLES) -> tuple[Example, ...]:
    """The first questions that are not nearly the same as one before."""
    chosen: list[Unresolved] = []
    for each in questions:
        if len(chosen) < most and not any(_alike(each.text, other.text) for other in chosen):
            chosen.append(each)
    return tuple(Example(shortened(each.text), each.count) for each in chosen)


def _alike(one: str, other: str) -> bool:
    shorter, longer = sorted((one.casefold(), other.casefold()), key=len)
    return shorter in longer or SequenceMatcher(None, shorter[:_COMPARED], longer[:_COMPARED]).ratio() >= _ALIKE


def _documents(group: Group, searcher: _Searcher) -> tuple[Document, ...] | None:
    """The documents that were found for most askers, where something near was found for half of them."""
    weighed = [each for each in group[:MOST_WEIGHED] if each.passages is not None]
    if not weighed:
        return None
    near = [each for each in weighed if searcher.is_near(each)]
    if _count(near) * 2 < _count(weighed):
        return ()
    found, best = Counter[str](), dict[str, Passage]()
    for each in near:
        passages = _as_near(each.passages or ())
        for passage in passages:
            best[passage.path] = max(best.get(passage.path, passage), passage, key=lambda one: one.score)
        found.update(dict.fromkeys({passage.path for passage in passages}, each.question.count))
    ranked = sorted(best, key=lambda path: (-found[path], -best[path].score))
    shown = [path for path in ranked if found[path] * 2 >= _count(near)] or ranked[:1]
    cited = sum((each.question.cited for each in group), Counter[str]())
    return tuple(Document(path, best[path].symbol, best[path].url, cited[path]) for path in shown[:MOST_DOCUMENTS])


def _as_near(passages: Sequence[Passage]) -> list[Passage]:
    return [passage for passage in passages if passage.score >= passages[0].score * _AS_NEAR]
