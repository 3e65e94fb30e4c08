"""A report becomes Markdown that can be posted anywhere: what people wrote pings nobody and links nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.markdown import Node, markdown
from bot.report.figures import Figures
from bot.report.nodes import Inline, bullets, code, heading, link, listed, paragraph, quoted, said, strong, table
from bot.report.report import Beyond, CitedFile, Document, Example, Report, Span, Topic

TITLE: Final = "RepoPilot report, {period}"
NOTHING: Final = "Nothing was asked in this time."
ALL_ANSWERED: Final = "Every question was answered, and nobody voted an answer down."
NOTHING_NEAR: Final = "Nothing in the documentation comes near."
TO_WRITE: Final = " A page to write?"
MOST_VERSIONS: Final = 5

_SURFACES: Final = {
    "github": "on GitHub",
    "discord": "on Discord",
    "page": "on the web page",
    "http": "over HTTP",
    "openai": "over the OpenAI API",
    "mcp": "over MCP",
}


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks below a heading; the first one has none."""

    title: str
    blocks: tuple[Node, ...]

    @property
    def markdown(self) -> str:
        title = (heading(2, said(self.title)),) if self.title else ()
        return markdown(Node("document", (*title, *self.blocks)))


def markdown_of(report: Report) -> str:
    title = markdown(heading(1, said(title_of(report))))
    return "\n\n".join((title, *(section.markdown for section in sections(report)))) + "\n"


def title_of(report: Report) -> str:
    return TITLE.format(period=report.period.name)


def sections(report: Report) -> tuple[Section, ...]:
    """What the report says, in the order in which maintainers want it."""
    if not report.figures.questions:
        return (Section("", (paragraph(_nothing(report)),)),)
    found = (
        Section("", tuple(_summary(report))),
        Section("Not answered", tuple(_unanswered(report))),
        Section("What answers cite", tuple(_cited(report))),
        Section(f"By {report.period.unit}", (_spans(report.spans),)),
    )
    return tuple(section for section in found if section.blocks)


def seconds(value: float | None) -> str:
    """A time in words: 60 ms, 1.2 s."""
    if value is None:
        return "–"
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"


def percent(share: float) -> str:
    return f"{share:.0%}".replace("%", "\u00a0%")


def _nothing(report: Report) -> Inline:
    earlier = f" In the {_days(report)} before, {_count(report.before.questions, 'question')} came."
    return said(NOTHING + (earlier if report.before.questions else ""))


def _summary(report: Report) -> Iterator[Node]:
    now, before = report.figures, report.before
    parts = (_asked(report), _became(now, before), _voted(now, before), _took(now, before), _about(now))
    yield paragraph(listed([part for part in parts if part], " "))
    if report.note:
        yield paragraph(said("The documentation could not be searched: "), quoted(report.note))


def _asked(report: Report) -> Inline:
    now, before = report.figures, report.before
    change = f", {now.questions / before.questions - 1:+.0%}".replace("%", "\u00a0%") if before.questions else ""
    surfaces = ", ".join(f"{count} {_SURFACES.get(name, f'by {name}')}" for name, count in now.surfaces.items())
    rest = f" in {_days(report)} ({before.questions} in as many before{change}): {surfaces}."
    return (*strong(_count(now.questions, "question")), *said(rest))


def _became(now: Figures, before: Figures) -> Inline:
    def of(count: int, count_before: int) -> str:
        then = f", before {percent(before.share(count_before))}" if before.questions else ""
        return f"({percent(now.share(count))}{then})"

    failures = f": {', '.join(f'{count} {name}' for name, count in now.failures.items())}" if now.failures else ""
    left = f"; {now.abandoned} askers did not wait" if now.abandoned else ""
    return (
        *strong(f"{now.answered} answered"),
        *said(f" {of(now.answered, before.answered)}, "),
        *strong(f"{now.declined} declined"),
        *said(f" {of(now.declined, before.declined)}, "),
        *strong(f"{now.failed} failed"),
        *said(f" {of(now.failed, before.failed)[:-1]}{failures}){left}."),
    )


def _voted(now: Figures, before: Figures) -> Inline:
    then = f" (before {before.votes_up} and {before.votes_down})" if before.questions else ""
    return (*strong(f"{now.votes_up} 👍 and {now.votes_down} 👎"), *said(f"{then}."))


def _took(now: Figures, before: Figures) -> Inline:
    if now.median_s is None:
        return ()
    slowest = f", 95\u00a0% within {seconds(now.p95_s)}" if now.p95_s is not None else ""
    then = (seconds(value) for value in (before.median_s, before.p95_s) if value is not None)
    compared = f" (before {', '.join(then)})" if before.median_s is not None else ""
    return said(f"Half of the answers came within {seconds(now.median_s)}{slowest}{compared}.")


def _about(now: Figures) -> Inline:
    if not now.versions:
        return ()
    shown = list(now.versions.items())[:MOST_VERSIONS]
    more = len(now.versions) - len(shown)
    named = [(*code(name), *said(f" ({count})")) for name, count in shown]
    return (*said("Versions read: "), *listed(named), *said(f" and {more} more." if more else "."))


def _unanswered(report: Report) -> Iterator[Node]:
    if not (report.topics or report.further or report.beyond.questions):
        yield paragraph(said(ALL_ANSWERED))
        return
    several = len({topic.repository for topic in report.topics if topic.repository}) > 1
    for number, topic in enumerate(report.topics, start=1):
        yield from _topic(number, topic, several)
    if report.further:
        yield heading(3, said(f"{report.further} more{', each like few others' if report.further > 1 else ''}"))
        yield bullets(map(_example, report.strays))
    if report.beyond.questions:
        yield paragraph(*_elsewhere(report.beyond))


def _topic(number: int, topic: Topic, several: bool) -> Iterator[Node]:
    yield heading(3, (*said(f"{number}. "), *quoted(topic.name)))
    yield paragraph(
        _fates(topic), (*said(" About "), *code(topic.repository), *said(".")) if several and topic.repository else ()
    )
    yield bullets(map(_example, topic.examples))
    if topic.comments:
        comments = [(*said("“"), *quoted(comment), *said("”")) for comment in topic.comments]
        yield paragraph(said("Said with a 👎: "), listed(comments, " · "))
    if topic.unknown_names:
        are = "is" if len(topic.unknown_names) == 1 else "are"
        names = listed([code(name) for name in topic.unknown_names])
        yield paragraph(names, said(f" {are} nowhere in the repository."))
    if topic.documents:
        yield paragraph(said("Should have answered:"))
        yield bullets(_document(document, topic) for document in topic.documents)
    elif topic.documents is not None:
        yield paragraph(strong(NOTHING_NEAR + ("" if topic.unknown_names else TO_WRITE)))


def _fates(topic: Topic) -> Inline:
    counts = {"declined": topic.declined, "answered and voted down": topic.voted_down, "failed": topic.failed}
    fates = ", ".join(f"{count} {fate}" for fate, count in counts.items() if count)
    return said(f"{_count(topic.questions, 'question')}: {fates}.")


def _document(document: Document, topic: Topic) -> Inline:
    below = document.heading.rpartition(" > ")[2]
    shown = (*code(document.path), *(said(f" › {below}") if below else ()))
    answers = f"{topic.voted_down} answers" if topic.voted_down > 1 else "answer"
    if not topic.voted_down:
        state = "it exists" + (", and was not enough to answer from" if topic.declined else "")
    elif not document.cited:
        state = f"it exists, and {'none of the' if topic.voted_down > 1 else 'the'} {answers} cited it"
    else:
        of = f"{document.cited} of the {answers}" if topic.voted_down > 1 else "the answer"
        state = f"cited by {of} that {'were' if topic.voted_down > 1 else 'was'} voted down"
    return (*link(shown, document.url), *said(f": {state}"))


def _elsewhere(beyond: Beyond) -> Iterator[Inline]:
    yield said(f"{_count(beyond.questions, 'question')} about something else, such as ")
    yield listed([(*said("“"), *quoted(each.text), *said("”")) for each in beyond.examples])
    yield said(".")


def _example(example: Example) -> Inline:
    return (*quoted(example.text), *(said(f" (×{example.count})") if example.count > 1 else ()))


def _cited(report: Report) -> Iterator[Node]:
    several = len({file.repository for file in report.cited}) > 1
    if report.cited:
        rows = [(_file(file, several), said(str(file.answers))) for file in report.cited]
        yield table(("Most cited", "Answers"), rows)
    if report.doubted:
        yield paragraph(said("Voted down more often than others are the answers that cite:"))
        doubted = [
            (_file(file, several), said(str(file.answers)), said(str(file.voted_down))) for file in report.doubted
        ]
        yield table(("File", "Answers", "Voted down"), doubted)


def _file(file: CitedFile, several: bool) -> Inline:
    return link((*(said(f"{file.repository}: ") if several else ()), *code(file.path)), file.url)


def _spans(spans: Sequence[Span]) -> Node:
    heads = (spans[-1].period.unit_of_row, "Questions", "Declined", "Voted down", "Failed", "Median")
    return table(heads, [tuple(map(said, cells_of(span))) for span in spans])


def cells_of(span: Span) -> tuple[str, ...]:
    """A row of the table of days or weeks."""
    figures = span.figures
    shares = (figures.declined, figures.voted_down, figures.failed)
    shown = (percent(figures.share(count)) if figures.questions else "–" for count in shares)
    return (span.period.short_name, str(figures.questions), *shown, seconds(figures.median_s))


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _days(report: Report) -> str:
    return _count(report.period.days, "day")
