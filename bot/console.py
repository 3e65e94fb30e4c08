"""What a person sees on a terminal: progress, reports, passages with the matching words lit, answers as Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.style import Style
from rich.table import Column, Table
from rich.text import Text

from bot.types import Answer, Citation, Index, Passage
from indexer.errors import RepoPilotError
from indexer.lexical import query_terms
from indexer.terms import COMPOUND, compound_terms

if TYPE_CHECKING:  # what a search need not wait for
    from bot.evaluation.comparison import Difference, Interval
    from bot.retrieval import Found
    from indexer.records import Snapshot, StoredChunk
    from indexer.sync import Report
    from indexer.types import Skipped

EXCERPT_LINES = 6
MOST_REASONS = 8
NO_WRAPPING = 10_000

# All but tab and line end; C1 controls, which some terminals obey, have no pictures.
_PICTURES = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\t\n"}
_PICTURES |= dict.fromkeys(range(0x7F, 0xA0), "\ufffd")

Say = Callable[[str], None]
Step = Callable[[int, int], None]


@contextmanager
def progress_bar(enabled: bool) -> Iterator[tuple[Say, Step]]:
    """(say what is being done, show how far it is); silent when not enabled or stderr is no terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not enabled or not console.is_terminal:
        yield (lambda message: None), (lambda done, total: None)
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None)

        def say(message: str) -> None:
            progress.update(task, description=message)

        def step(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield say, step


def show(output: RenderableType) -> None:
    """Print; what reads our output instead of a person gets every line whole."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = NO_WRAPPING
    console.print(output, crop=False)


def plain(text: str) -> str:
    """Text of a repository or a model, unable to steer the terminal: control characters become their pictures."""
    return text.translate(_PICTURES)


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown, laid out for a person and as it is for a program. HTML in it is text, and its links show where to."""

    text: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not console.is_terminal:
            yield Text(plain(self.text) + "\n")
            return
        from markdown_it import MarkdownIt
        from rich.markdown import Markdown

        markdown = Markdown("", hyperlinks=False)
        parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
        markdown.parsed = parser.parse(plain(self.text))
        yield markdown
        yield Text()


def index_report(report: Report) -> RenderableType:
    changes = f"{report.added} added, {report.updated} updated, {report.removed} removed, {report.unchanged} unchanged"
    warnings = [Text(f"warning: {plain(warning)}", style="yellow") for warning in report.warnings]
    version = _version(report.snapshot, f" ({changes})", f"{report.seconds:.1f} s")
    return Group(version, skipped_summary(report.skipped), *warnings)


def watch_line(source: str, outcome: Report | RepoPilotError) -> str:
    """What a look at a source brought, with the time of day; nothing when the source has not moved on."""
    if isinstance(outcome, RepoPilotError):
        return plain(f"{datetime.now():%H:%M:%S} {source}: {outcome}")
    if not (outcome.added or outcome.updated or outcome.removed):
        return ""
    changes = f"{outcome.added} added, {outcome.updated} updated, {outcome.removed} removed, {outcome.seconds:.1f} s"
    return plain(f"{datetime.now():%H:%M:%S} {_pinned(outcome.snapshot)}: {changes}")


def removal_report(removed: Sequence[Snapshot]) -> RenderableType:
    return Text("\n".join(plain(f"removed {_pinned(snapshot)}") for snapshot in removed))


def status_report(home: Path, versions: Sequence[tuple[Snapshot, Sequence[Skipped]]]) -> RenderableType:
    if not versions:
        return Text("Nothing is indexed yet; run `repopilot index SOURCE` first.")
    parts = [
        part
        for snapshot, skipped in versions
        for part in (_version(snapshot, "", _freshness(snapshot)), skipped_summary(skipped), Text())
    ]
    return Group(*parts, Text(f"stored in {home}", style="dim", overflow="fold"))


def skipped_summary(skipped: Sequence[Skipped]) -> Text:
    """How many paths were left out for which reason, with the first of them; `status --json` lists each."""
    reasons = Counter(_reason(skip) for skip in skipped)
    first = {_reason(skip): skip.path for skip in reversed(skipped)}
    lines = [
        f"{count:>7,} skipped: {reason} ({plain(first[reason])}{', …' if count > 1 else ''})"
        for reason, count in reasons.most_common(MOST_REASONS)
    ]
    if len(reasons) > MOST_REASONS:
        lines.append(f"        and {len(reasons) - MOST_REASONS} more reasons")
    return Text("\n".join(lines), style="dim", no_wrap=True, overflow="ellipsis", end="\n" if lines else "")


def passages_report(query: str, found: Found) -> RenderableType:
    unknown = [_unknown(name, nearest, found.index) for name, nearest in found.unknown_names.items()]
    if not found.passages:
        return Group(Text(f"Nothing found for: {plain(query)}"), *unknown)
    wanted = set(query_terms(query))
    parts = [part for p in found.passages for part in (_place(p), _excerpt(p, wanted), *_link(p), Text())]
    return Group(*parts, *unknown, _read(found.index))


def answer_report(answer: Answer) -> RenderableType:
    parts: list[RenderableType] = [Prose(answer.answer)]
    for citation in answer.citations:
        parts += [Text(f"[{citation.number}] ").append_text(_place(citation)), *_link(citation, indent=4)]
    parts += [Text(f"warning: {plain(warning)}", style="yellow") for warning in answer.warnings]
    return Group(*parts, _read(answer.index))


def evaluation_report(
    figures: Mapping[str, Mapping[str, float]],
    intervals: Mapping[str, Interval] | None = None,
    differences: Sequence[Difference] | None = None,
) -> RenderableType:
    """One row a figure, one column a kind of question; behind ALL its interval; below it how the figures differ from an
    earlier run's, and what each of them means."""
    sure = [Column("95 %", justify="right", no_wrap=True)] if intervals else []
    kinds = [Column(Text(plain(kind)), justify="right") for kind in figures]
    table = Table(Column("", no_wrap=True), *kinds[:1], *sure, *kinds[1:], box=None)
    names = list(dict.fromkeys(name for column in figures.values() for name in column))
    for name in names:
        cells = [f"{column[name]:g}" if name in column else "" for column in figures.values()]
        table.add_row(Text(plain(name)), *cells[:1], *(_range((intervals or {}).get(name)) for _ in sure), *cells[1:])
    parts: list[RenderableType] = [table]
    if differences is not None:
        parts += [Text(), _differences(differences)]
    return Group(*parts, *_meanings(names)) if intervals else Group(*parts)


def _differences(differences: Sequence[Difference]) -> Table:
    """What changed since an earlier run; a difference that is more than chance stands out."""
    heads = (Column(head, justify="right") for head in ("before", "now", "difference", "95 %"))
    table = Table(Column("since the baseline", no_wrap=True), *heads, box=None)
    for one in differences:
        cells = (f"{one.before:g}", f"{one.now:g}", f"{one.now - one.before:+.3g}", _range(one.interval, " … "))
        table.add_row(one.name, *cells, style="bold" if one.certain else "")
    return table


def _meanings(names: Sequence[str]) -> Iterator[RenderableType]:
    from bot.evaluation.figures import known

    meanings = Table(Column(no_wrap=True), Column(), box=None, show_header=False, style="dim")
    for name in names:
        if meaning := known(name).meaning:
            meanings.add_row(Text(plain(name)), Text(meaning))
    yield from (Text(), meanings)


def _range(interval: Interval | None, between: str = "–") -> str:
    return f"{interval[0]:g}{between}{interval[1]:g}" if interval else ""


def chunk_line(stored: StoredChunk) -> str:
    chunk = stored.chunk
    return plain(f"{stored.path}:{chunk.start_line}-{chunk.end_line}\t{stored.kind}\t{chunk.symbol}")


def age(moment: str) -> str:
    """How long ago an ISO time was, in words."""
    seconds = (datetime.now(UTC) - datetime.fromisoformat(moment)).total_seconds()
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {unit}{'s' * (count > 1)} ago"
    return "just now"


def _freshness(snapshot: Snapshot) -> str:
    indexed = f"indexed {age(snapshot.indexed_at)}"
    if snapshot.stale:
        return f"{indexed}, and its source has moved on"
    return indexed if snapshot.checked_at == snapshot.indexed_at else f"{indexed}, checked {age(snapshot.checked_at)}"


def _pinned(snapshot: Snapshot) -> str:
    origin = snapshot.origin
    return f"{origin.repository} at {origin.ref}  {origin.commit}"


def _version(snapshot: Snapshot, changes: str, when: str) -> Text:
    return Text.assemble(
        (f"{snapshot.origin.repository} at {snapshot.origin.ref}", "bold"),
        f"  {snapshot.origin.commit}\n",
        f"{snapshot.files:,} files{changes}, {snapshot.chunks:,} chunks, {when}",
    )


def _reason(skip: Skipped) -> str:
    return re.sub(r"[\d.,]+ (MiB|bytes)", r"… \1", plain(skip.reason))


def _place(cited: Passage | Citation) -> Text:
    link = cited.url if cited.url.startswith("http") else None
    place = f"{plain(cited.path)}:{cited.start_line}-{cited.end_line}"
    symbol = f"  {plain(cited.symbol)}" if cited.symbol else ""
    return Text.assemble((place, Style(bold=True, link=link)), (symbol, "cyan"))


def _link(cited: Passage | Citation, indent: int = 0) -> list[Text]:
    """The permalink, never broken into lines; none where it leads to the HTTP service, for want of a code host."""
    if not cited.url.startswith("http"):
        return []
    return [Text(" " * indent + cited.url, style="dim", no_wrap=True, overflow="ignore")]


def _unknown(name: str, nearest: Sequence[str], index: Index) -> Text:
    hint = f"; nearest: {', '.join(map(plain, nearest))}" if nearest else ""
    return Text(f"{plain(name)} occurs nowhere in {index.repository} at {index.ref}{hint}", style="yellow")


def _excerpt(passage: Passage, wanted: set[str]) -> Text:
    """The few lines of a passage that hold most of the wanted words, numbered, with those words lit."""
    lines = passage.text.split("\n")
    counts = [sum(bool(wanted & set(compound_terms(word))) for word in COMPOUND.findall(line)) for line in lines]
    starts = range(max(1, len(lines) - EXCERPT_LINES + 1))
    start = max(starts, key=lambda row: (sum(counts[row : row + EXCERPT_LINES]), -row))
    shown = [
        Text(f"{number:>6}  ", style="dim").append_text(_lit(plain(line.rstrip("\r")), wanted))
        for number, line in enumerate(lines[start : start + EXCERPT_LINES], start=passage.start_line + start)
    ]
    excerpt = Text("\n").join(shown)
    excerpt.no_wrap, excerpt.overflow = True, "ellipsis"
    return excerpt


def _lit(line: str, wanted: set[str]) -> Text:
    text = Text(line, style="not dim")
    for found in COMPOUND.finditer(line):
        if wanted & set(compound_terms(found[0])):
            text.stylize("bold yellow", *found.span())
    return text


def _read(index: Index) -> Text:
    moved_on = ", whose source has moved on since" if index.stale else ""
    return Text(f"read from {index.repository} at {index.ref}, indexed {age(index.indexed_at)}{moved_on}", style="dim")
