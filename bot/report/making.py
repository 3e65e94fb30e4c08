"""A history becomes a report: one pass over its records, then searches for what was not answered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from bot.history import Feedback, History
from bot.ledger import FOR_GOOD
from bot.report.cited import Cited
from bot.report.documentation import Documentation
from bot.report.figures import Tally
from bot.report.period import Period
from bot.report.report import Beyond, Report, Span
from bot.report.searching import examples_of, search
from bot.report.unresolved import Collected
from bot.retrieval import Retriever
from indexer.embedding import Embedder
from indexer.stores import Stores

MOST_STRAYS: Final = 8

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Sources:
    """From what a report is made. `secrets` never get into it."""

    history: History
    stores: Stores
    retriever: Retriever
    embedder: Callable[[], Embedder]
    secrets: Collection[str] = ()


@dataclass(slots=True)
class _Read:
    """What one pass over the records gathers."""

    unresolved: Collected
    spans: dict[Period, Tally]
    now: Tally = field(default_factory=Tally)
    before: Tally = field(default_factory=Tally)
    cited: Cited = field(default_factory=Cited)


def make_report(sources: Sources, period: Period, say: Say = lambda message: None) -> Report:
    """The report of a period. What cannot be searched is left out, with a note that says why."""
    say("Reading the history")
    read = _read(sources, period)
    say("Searching for what was not answered")
    documentation = Documentation(sources.stores, sources.retriever)
    found = search(read.unresolved.questions(), documentation, sources.embedder)
    beyond = read.unresolved.beyond()
    return Report(
        period=period,
        figures=read.now.figures(),
        before=read.before.figures(),
        topics=found.topics,
        further=found.further,
        strays=examples_of(found.strays, MOST_STRAYS),
        beyond=Beyond(sum(each.count for each in beyond), examples_of(beyond)),
        cited=read.cited.most(),
        doubted=read.cited.doubted(),
        spans=tuple(Span(span, tally.figures()) for span, tally in read.spans.items()),
        note=found.note,
    )


def _read(sources: Sources, period: Period) -> _Read:
    # A vote may come at any time after the period.
    votes = _votes(sources.history.feedback(period.before.since, FOR_GOOD))
    read = _Read(Collected(sources.secrets), {span: Tally() for span in period.spans()})
    spans = iter(read.spans.items())
    span, tally = next(spans)
    for record in sources.history.records(period.before.since, period.until):
        about = votes.get(record.id, ())
        if record.at < period.since:
            read.before.add(record, about)
            continue
        while record.at >= span.until:
            span, tally = next(spans)
        tally.add(record, about)
        read.now.add(record, about)
        read.cited.add(record, any(vote.vote == "down" for vote in about))
        read.unresolved.add(record, about)
    return read


def _votes(feedback: Iterable[Feedback]) -> Mapping[str, list[Feedback]]:
    votes: dict[str, list[Feedback]] = defaultdict(list)
    for vote in feedback:
        votes[vote.answer_id].append(vote)
    return votes
