"""Section G: requests to the real server, with a scripted model behind it and a small index under it."""

from __future__ import annotations

import itertools
import json
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cases import answer_operators, http_operators
from cases.bench import Bench
from cases.case import Case
from cases.demo_index import DemoIndex, store
from cases.expectations import Difference, Operators
from cases.http_observation import HttpObservation
from cases.program import CannotRunError, Program, closed_port, serving
from cases.report import Result
from cases.repository import SetupError
from fakes.openai_script import ScriptError
from fakes.openai_server import OpenAIServer

OPERATORS = Operators[HttpObservation]().include(http_operators.OPERATORS, answer_operators.OPERATORS)
OWN_SERVER = frozenset({"repeat", "concurrency", "concurrent", "action"})
UNHURRIED = {"REPOPILOT_PER_CLIENT_PER_MINUTE": "100000"}  # cases that share a server must not share a budget
MODEL_NEEDED = ("llm_", "prompt_")


@dataclass(frozen=True, slots=True)
class Setting:
    """What a server is started with; cases with an equal setting may ask the same server."""

    config: str
    model: bool = False
    refused: bool = False
    state: str | None = None
    alone: str = ""

    @classmethod
    def of(cls, case: Case) -> Setting:
        given, llm = case.given, case.given.get("llm")
        config = {**(given.get("config") or {}), **(given.get("override") or {})}
        state = (given.get("store") or {}).get("state")
        alone = "override" in given or state or OWN_SERVER & given["request"].keys()
        refused = isinstance(llm, Mapping) and llm.get("behavior") == "connection_refused"
        model = llm is not None or any(name.startswith(MODEL_NEEDED) for name in _demands(case))
        return cls(json.dumps(config, sort_keys=True), model, refused, state, case.id if alone else "")

    @property
    def host(self) -> str:
        return str(json.loads(self.config).get("host") or "127.0.0.1")

    @property
    def variables(self) -> dict[str, str]:
        """The settings as the program reads them; null leaves one unset."""
        values = {name: value for name, value in json.loads(self.config).items() if name != "host"}
        named = {f"REPOPILOT_{name.upper()}": str(value) for name, value in values.items() if value is not None}
        return named if self.alone else UNHURRIED | named


class HttpSection:
    """Runs the cases of section G with one command line of the program."""

    operators = OPERATORS

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._command, self._folder = command, folder
        self._lock, self._numbers = threading.Lock(), itertools.count()

    def jobs(self, cases: Sequence[Case]) -> list[list[Case]]:
        """The cases of one server together, the longest first so that it does not end last."""
        groups: dict[Setting, list[Case]] = defaultdict(list)
        for case in cases:
            groups[Setting.of(case)].append(case)
        return sorted(groups.values(), key=len, reverse=True)

    def run(self, job: Sequence[Case]) -> Iterator[Result]:
        try:
            with ExitStack() as held:
                bench = self._bench(Setting.of(job[0]), held)
                for case in job:
                    yield _result(bench, case)
        except (CannotRunError, SetupError, OSError) as error:
            for case in job:
                yield Result(case.id, case.title, [Difference("run", str(error))])

    def _bench(self, setting: Setting, held: ExitStack) -> Bench:
        folder = self._folder / f"serve-{next(self._numbers)}"
        folder.mkdir()
        with self._lock:
            demo = self._demo
        between = held.enter_context(store(setting.state, demo, folder / "home"))
        llm = held.enter_context(OpenAIServer())
        url = f"http://127.0.0.1:{held.enter_context(closed_port())}/v1" if setting.refused else llm.url
        model = {"REPOPILOT_LLM_URL": url, "REPOPILOT_LLM_MODEL": llm.model} if setting.model else {}
        variables = {"REPOPILOT_HOME": str(folder / "home")} | model | setting.variables
        program = Program(self._command, folder, variables)
        return Bench(held.enter_context(serving(program, setting.host)), llm, between, demo.commits)

    @cached_property
    def _demo(self) -> DemoIndex:
        return DemoIndex.made(self._folder, self._command)


def _result(bench: Bench, case: Case) -> Result:
    try:
        return Result(case.id, case.title, OPERATORS.differences(bench.observe(case), case.expect))
    except (CannotRunError, ScriptError) as error:
        return Result(case.id, case.title, [Difference("run", str(error))])


def _demands(case: Case) -> list[str]:
    return [*case.expect, *(check["op"] for check in case.expect.get("checks") or ())]
