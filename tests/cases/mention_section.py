"""Section B: what counts as a mention, and what was asked. One server takes all cases with the same handle, in turn."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from cases.case import Case
from cases.expectations import Difference
from cases.github_bench import HANDLE, Bench, bench, demand_running
from cases.github_index import Engines
from cases.github_observation import GitHubObservation
from cases.github_remote import Remote
from cases.github_section import OPERATORS, gathered
from cases.mention_deliveries import Delivered, deliveries
from cases.program import CannotRunError
from cases.report import Result
from cases.repository import SetupError

QUEUE = {"jobs_concurrency": 1}
"""One job after the other: what is delivered while the index is brought up to date is queued behind that."""
START_LIMIT_S = 10.0


class MentionSection:
    """Runs the cases of section B with one command line of the program."""

    operators = OPERATORS

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._engines = Engines(command, folder)

    def jobs(self, cases: Sequence[Case]) -> list[list[Case]]:
        groups: dict[str, list[Case]] = defaultdict(list)
        for case in cases:
            groups[case.given.get("handle", HANDLE)].append(case)
        return list(groups.values())

    def run(self, job: Sequence[Case]) -> Iterator[Result]:
        done = 0
        try:
            config = {"handle": job[0].given.get("handle", HANDLE), **QUEUE}
            with self._engines.fetching() as (program, remote), bench(program, config, model=True) as made:
                for case in job:
                    yield _result(made, remote, case)
                    done += 1
        except (CannotRunError, SetupError, OSError) as error:
            yield from (Result(case.id, case.title, [Difference("run", str(error))]) for case in job[done:])


def _result(made: Bench, remote: Remote, case: Case) -> Result:
    demand_running(made)
    try:
        return Result(case.id, case.title, OPERATORS.differences(_observed(made, remote, case.given), case.expect))
    except CannotRunError as error:
        return Result(case.id, case.title, [Difference("run", str(error))])


def _observed(made: Bench, remote: Remote, given: Mapping[str, Any]) -> GitHubObservation:
    """Deliver the text. What was asked is what the model was told; of what it was not asked, what was understood."""
    made.llm.play("ok")
    made.github.calls.clear()
    since = len(made.github.world.changes)
    with _busy(made, remote) if "previous" in given else nullcontext():
        sent = [(*each, made.github.deliveries.send(*each)) for each in deliveries(given, made.github)]
    made.wait_until_idle()
    seen = gathered(made, since=since)
    if seen.questions or not seen.created:
        return seen
    return gathered(made, since=since, questions=[_understood(sent[-1][:2], given.get("handle", HANDLE))])


@contextmanager
def _busy(made: Bench, remote: Remote) -> Iterator[None]:
    """While this lasts, every job but one waits: the one that a push of some new commit began."""
    known, commit = remote.reads, f"{made.github.world.new_id():040x}"
    with remote.holding():
        made.github.deliveries.send(*made.github.payloads.push(made.github.repository, after=commit))
        deadline = time.monotonic() + START_LIMIT_S
        while remote.reads == known and time.monotonic() < deadline:
            time.sleep(0.02)
        if remote.reads == known:
            raise CannotRunError("a push did not make the program look at the repository")
        yield


def _understood(delivered: Delivered, handle: str) -> str:
    """The question that the program reads in a delivery; it declines some before it asks a model."""
    from bot.adapters.github.asking import asked
    from bot.adapters.github.deliveries import read
    from bot.adapters.github.threads import told
    from bot.adapters.github.types import Text

    text = read(*delivered)
    question = asked(told(text), handle) if isinstance(text, Text) else None
    return question.text if question else ""
