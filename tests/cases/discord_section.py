"""Section C: what happens on Discord, each case with its own process, data folder, Discord and model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cases import answer_operators, discord_operators, http_operators
from cases.case import Case
from cases.discord_bench import bench
from cases.discord_index import DiscordIndexes
from cases.discord_observation import DiscordObservation
from cases.discord_play import Play
from cases.discord_steps import refusal, scripts, steps
from cases.expectations import Difference, Operators
from cases.program import CannotRunError
from cases.rendering_section import add_rendering
from cases.report import Result
from cases.repository import SetupError
from fakes.discord.adopting import prepare
from fakes.discord.server import DiscordServer
from fakes.openai_script import ScriptError

GIVEN = frozenset("bot events llm discord config note".split())
MODEL_NEEDED = ("llm_", "prompt_", "question")
AT_ONCE = 4  # most of them wait most of the time
STARTING = frozenset({"process"})
"""What only a process of its own can show: the server goes on when Discord does not let it in."""


OPERATORS = Operators[DiscordObservation]().include(discord_operators.OPERATORS)
OPERATORS.include(http_operators.OPERATORS, answer_operators.OPERATORS)  # type: ignore[arg-type]
add_rendering(OPERATORS, "discord", lambda seen: seen.texts)


class DiscordSection:
    """Runs the cases of section C with one command line of the program."""

    operators = OPERATORS

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._indexes = DiscordIndexes(command, folder)

    def jobs(self, cases: Sequence[Case]) -> list[list[Case]]:
        """All in one, which has several threads of its own."""
        return [list(cases)]

    def run(self, job: Sequence[Case]) -> Iterator[Result]:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(self._result, job)

    def _result(self, case: Case) -> Result:
        try:
            return Result(case.id, case.title, self._differences(case))
        except (CannotRunError, SetupError, ScriptError, OSError, LookupError, ValueError) as error:
            return Result(case.id, case.title, [Difference("run", f"{type(error).__name__}: {error}")])

    def _differences(self, case: Case) -> list[Difference]:
        """What differed, judged while the process still runs."""
        given, llm = case.given, case.given.get("llm")
        if unknown := sorted(given.keys() - GIVEN):
            raise CannotRunError(f"unknown given {unknown[0]}")
        planned, refused = steps(given), isinstance(llm, Mapping) and llm.get("behavior") == "connection_refused"
        model = llm is not None or any(name.startswith(MODEL_NEEDED) for name in demands(case))
        alone = bool(STARTING & demands(case))
        program = self._indexes.program(said(llm))
        with DiscordServer() as discord:
            prepare(discord, given.get("bot") or {}, given["events"])
            discord.play(scripts(given.get("discord")))
            discord.gateway.refuse = refusal(planned)
            config, verb = given.get("config") or {}, "discord" if alone else "serve"
            with bench(program, discord, config, model=model, refused=refused, verb=verb) as made:  # type: ignore[arg-type]
                seen = Play(made, said(llm)).observed(case, planned)
                return OPERATORS.differences(seen, case.expect)


def demands(case: Case) -> set[str]:
    """The names of everything that the case expects."""
    return {*case.expect, *(check["op"] for check in case.expect.get("checks") or ())}


def said(llm: object) -> str:
    """The words that a case's model says, whatever else it does."""
    if isinstance(llm, list):
        return "\n\n".join(filter(None, map(said, llm)))
    if not isinstance(llm, Mapping):
        return ""
    return said(llm["sequence"]) if "sequence" in llm else str(llm.get("answer") or "")
