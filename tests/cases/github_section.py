"""Section A: deliveries to the real server, each case with its own data folder, GitHub and model."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from cases import answer_operators, github_operators, http_operators
from cases.builders import body_bytes
from cases.case import Case
from cases.expectations import Difference, Operators
from cases.github_bench import MEGABYTE_KB, SECRET, Bench, bench, demand_running, variable
from cases.github_index import Engines
from cases.github_observation import GitHubObservation, Signed, question_in
from cases.github_remote import Remote
from cases.github_requests import SIGNATURE, Request, header, payload_of, sent, steps
from cases.http_observation import ModelCall
from cases.program import CannotRunError
from cases.rendering_section import add_rendering
from cases.report import Result
from cases.repository import SetupError
from fakes.github.adopting import adopt
from fakes.openai_script import ScriptError

GIVEN = frozenset("config requests action github llm store mutate inspect note concurrent repeat".split())
MODEL_NEEDED = ("llm_", "prompt_", "question")
HURRY_S = 15.0
AT_ONCE = 4  # most of them wait most of the time
COMMENTING = "addDiscussionComment"
LATER = "@RepoPilot how is the KV cache block size chosen?"


OPERATORS = Operators[GitHubObservation]().include(github_operators.OPERATORS)
OPERATORS.include(http_operators.OPERATORS, answer_operators.OPERATORS)  # type: ignore[arg-type]
add_rendering(OPERATORS, "github", lambda seen: seen.replies)


class GitHubSection:
    """Runs the cases of section A with one command line of the program."""

    operators = OPERATORS

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._engines = Engines(command, folder)

    def jobs(self, cases: Sequence[Case]) -> list[list[Case]]:
        """All in one, which has several threads of its own after those that need the machine for themselves."""
        return [list(cases)]

    def run(self, job: Sequence[Case]) -> Iterator[Result]:
        for case in filter(hurried, job):
            yield self._result(case)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(self._result, itertools.filterfalse(hurried, job))

    def _result(self, case: Case) -> Result:
        try:
            return Result(case.id, case.title, OPERATORS.differences(self._observed(case), case.expect))
        except (CannotRunError, SetupError, ScriptError, OSError) as error:
            return Result(case.id, case.title, [Difference("run", str(error))])

    def _observed(self, case: Case) -> GitHubObservation:
        given, llm = case.given, case.given.get("llm")
        if unknown := sorted(given.keys() - GIVEN):
            raise CannotRunError(f"unknown given {unknown[0]}")
        if given.get("action", "start") != "start":
            raise CannotRunError(f"unknown action {given['action']}")
        store, config = (given.get("store") or {}).get("state"), given.get("config") or {}
        if store not in (None, "ok", "missing"):
            raise CannotRunError(f"unknown store state {store}")
        model = llm is not None or any(name.startswith(MODEL_NEEDED) for name in demands(case))
        with ExitStack() as held:
            counted = any(name.startswith("index_jobs") for name in demands(case))
            program, remote = (
                held.enter_context(self._engines.fetching())
                if counted
                else (self._engines.program(store != "missing"), None)
            )
            made = held.enter_context(bench(program, config, model=model, refused=refused(given)))
            return observed(case, made, remote)


def hurried(case: Case) -> bool:
    """Whether we have to answer within the few seconds between two requests."""
    return any(0 < request.get("delay_s", 0) <= HURRY_S for request in case.given.get("requests") or ())


def refused(given: Mapping[str, Any]) -> bool:
    """Whether no model listens at its address."""
    llm = given.get("llm")
    return isinstance(llm, Mapping) and llm.get("behavior") == "connection_refused"


def demands(case: Case) -> set[str]:
    """The names of everything that the case expects."""
    return {*case.expect, *(check["op"] for check in case.expect.get("checks") or ())}


def observed(case: Case, made: Bench, remote: Remote | None = None) -> GitHubObservation:
    """Send what the case sends, wait until everything is done, and collect what it left.

    A job that brings the index up to date reads from the remote.
    """
    given, wanted = case.given, demands(case)
    missing = [variable(name) for name, value in (given.get("config") or {}).items() if not value]
    if given.get("action") == "start":
        return GitHubObservation(log=made.log, exit_code=made.server.exit_code, settings_missing=missing)
    demand_running(made)
    made.llm.play("ok" if refused(given) else given.get("llm"))
    made.github.play({_named(name, script): script for name, script in (given.get("github") or {}).items()})
    secret = str((given.get("config") or {}).get("webhook_secret") or SECRET)
    used_kb = made.forget_peak()
    exchanges, signed = [], None
    for step in steps(given, secret):
        time.sleep(step.delay_s)
        act(made, step.action)
        exchanges += sent(made.server.url, step.requests, lambda request: _adopted(made, request))
        signed = signed or next((_signed(secret, request) for request in step.requests), None)
    made.start_again()
    made.wait_until_idle()
    demand_running(made)
    growth = (made.memory_kb("VmHWM") - used_kb) / MEGABYTE_KB
    said = given.get("llm") or {}
    return gathered(
        made,
        exchanges=exchanges,
        signed=signed,
        peak_growth_mb=growth,
        said=str(said.get("answer", "")) if isinstance(said, Mapping) else "",
        index_jobs=remote.jobs if remote else None,
        later="worker" in wanted,
    )


def act(made: Bench, action: str) -> None:
    """What happens to the process in place of a request. One that is gone is there again for the next request."""
    match action:
        case "kill":
            made.stop(by_force=True)
        case "stop":
            made.stop()
        case "restart":
            made.stop()
            made.start_again()
        case _:
            made.start_again()


def gathered(made: Bench, *, later: bool = False, since: int = 0, **more: Any) -> GitHubObservation:
    """What the bench shows now, of the changes from the `since`-th on; `later` asks a further question after that."""
    own = made.github.world.app.bot
    changes = [change for change in list(made.github.world.changes)[since:] if change.by is own]
    records = list(made.llm.records)
    asked = [text for record in records if (text := question_in(record.body.get("messages", ())))]
    found: dict[str, Any] = {
        deed: [change for change in changes if change.deed == deed]
        for deed in ("created", "edited", "deleted", "minimized", "reacted")
    }
    shown: dict[str, Any] = {
        "log": made.log,
        "calls": [ModelCall(record.prompt, record.outcome) for record in records],
        "llm_concurrency": made.llm.concurrency_max,
        "api": list(made.github.calls),
        "questions": asked[-1:],
        "exit_code": made.server.exit_code,
        "status_of": made.status_of,
    }
    alive = _answers_later(made) if later else None
    return GitHubObservation(**{"worker_alive": alive, **shown, **found, **more})


def _named(name: str, script: Any) -> str:
    """A case that scripts GraphQL means the comment, not the reaction or what is read before it."""
    if name != "POST /graphql":
        return name
    answer = script["sequence"][-1] if isinstance(script, Mapping) and "sequence" in script else script
    data = ((answer.get("json") or {}).get("data") or {}) if isinstance(answer, Mapping) else {}
    return f"{name} query" if {"node", "repository", "viewer"} & data.keys() else f"{name} {COMMENTING}"


def _adopted(made: Bench, request: Request) -> None:
    if payload := payload_of(request):
        adopt(made.github.world, payload)


def _signed(secret: str, request: Request) -> Signed:
    return Signed(secret, body_bytes(request) or b"", header(request, SIGNATURE))


def _answers_later(made: Bench) -> bool:
    """Whether somebody else's question below another issue is answered."""
    made.llm.play("ok")
    issue = made.github.world.issue("Another question", "It is another one.", "erin-dev")
    made.github.deliver(made.github.world.comment(issue, LATER, "erin-dev"))
    made.wait_until_idle()
    return any(getattr(change.post, "issue", None) is issue for change in made.github.replies)
