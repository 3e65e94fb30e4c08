"""Drives a folder of cases against the real program and reports what differed."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from cases.case import Case, cases_of
from cases.discord_section import DiscordSection
from cases.expectations import Difference
from cases.github_section import GitHubSection
from cases.http_section import HttpSection
from cases.indexer_section import IndexerSection
from cases.injection_section import InjectionSection
from cases.mention_section import MentionSection
from cases.rendering_section import RenderingSection
from cases.report import Report, Result, known_failures, unlisted

WORKERS = 2  # a case keeps about one core busy; more would make its time limits lie on a small machine


class Section(Protocol):
    """One letter of cases: how they are grouped into jobs, and how a job is run."""

    def jobs(self, cases: Sequence[Case]) -> list[list[Case]]: ...

    def run(self, job: Sequence[Case]) -> Iterator[Result]: ...


SECTIONS: Mapping[str, Any] = {
    "A": GitHubSection,
    "B": MentionSection,
    "C": DiscordSection,
    "D": RenderingSection,
    "E": InjectionSection,
    "F": IndexerSection,
    "G": HttpSection,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when every case passed or is known to fail, 1 when not, 2 for a wrong call."""
    options = _options(arguments)
    cases = cases_of(options.folder, options.sections, options.only)
    if not cases:
        print(f"no case in {options.folder} for --sections {','.join(options.sections)}", file=sys.stderr)
        return 2
    results = run(cases, options.program, options.workers)
    known = known_failures(options.known)
    report = Report(results, known, str(options.known))
    missing = [] if options.only else [n for n in unlisted(known, results) if n[0] in options.sections]
    print(json.dumps(report.document(), indent=1) if options.json else "\n".join(report.lines()))
    for name in missing:
        print(f"{name} is in {options.known} but no case has this id", file=sys.stderr)
    return 0 if report.good and not missing else 1


def run(cases: Sequence[Case], program: Sequence[str], workers: int = WORKERS) -> list[Result]:
    """The results of the cases in order of id, each tried in its own folder, which is removed afterwards."""
    with ExitStack() as held:
        folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="cases-", ignore_cleanup_errors=True)))
        folder.chmod(0o755)  # a case may run the program as another user
        progress = held.enter_context(_progress())
        bar = progress.add_task("cases", total=len(cases))
        results = []
        with ThreadPoolExecutor(workers) as pool:
            for done in as_completed(_submitted(pool, cases, program, folder)):
                results += done.result()
                progress.advance(bar, len(done.result()))
    return sorted(results, key=lambda result: result.id)


def _submitted(
    pool: ThreadPoolExecutor, cases: Sequence[Case], program: Sequence[str], folder: Path
) -> list[Future[list[Result]]]:
    futures = []
    for letter in sorted({case.section for case in cases}, reverse=True):
        chosen = [case for case in cases if case.section == letter]
        if letter not in SECTIONS:
            futures.append(pool.submit(_undriven, chosen))
            continue
        (folder / letter).mkdir()
        section: Section = SECTIONS[letter](program, folder / letter)
        futures += [pool.submit(_results, section, job) for job in section.jobs(chosen)]
    return futures


def _results(section: Section, job: Sequence[Case]) -> list[Result]:
    return list(section.run(job))


def _undriven(cases: Sequence[Case]) -> list[Result]:
    return [Result(c.id, c.title, [Difference("run", f"section {c.section} has no driver yet")]) for c in cases]


def _progress() -> Progress:
    columns = (TextColumn("cases"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    def listed(text: str) -> list[str]:
        return [part for part in text.split(",") if part]

    beside = Path(sys.executable).with_name("repopilot")
    parser = argparse.ArgumentParser(prog="python tests/cases", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder of JSON files, each an array of cases")
    parser.add_argument("--sections", type=listed, default=list(SECTIONS), help="letters, as F,G")
    parser.add_argument("--only", type=listed, default=[], help="ids, as F-001,G-003")
    parser.add_argument("--known", type=Path, help="a file of ids that are known to fail")
    parser.add_argument("--program", type=str.split, default=[str(beside)], help="the command under test")
    parser.add_argument("--workers", type=int, default=WORKERS)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    return parser.parse_args(arguments)
