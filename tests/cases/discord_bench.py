"""The program as a Discord bot: started, killed and started again, between a loopback Discord and a model."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx

from cases.program import CannotRunError, Program, Server, closed_port, free_port, kill
from fakes.discord.server import DiscordServer
from fakes.openai_server import OpenAIServer

SHARED_SETTINGS = frozenset({"per_user_per_minute", "jobs_concurrency", "database_url", "repository", "ref"})
CONNECT_LIMIT_S = 30.0
IDLE_LIMIT_S = 240.0
POLL_S = 0.1
QUIET_S = 1.0
"""Without a job, a question to the model or a call for so long, nothing more is coming."""
QUIET_WITHOUT_COUNTS_S = 3.0
EXIT_LIMIT_S = 30.0
LOOK_LIMIT_S = 10.0
Verb = Literal["serve", "discord"]


def variable(name: str) -> str:
    """The setting of the program that a case's `config` means."""
    shared = name in SHARED_SETTINGS or name.startswith("llm_")
    return f"REPOPILOT_{'' if shared else 'DISCORD_'}{name.upper()}"


def written(value: object) -> str:
    """A value as the environment has it."""
    if isinstance(value, list):
        return ",".join(map(written, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def settings(config: Mapping[str, Any], discord: DiscordServer) -> dict[str, str]:
    """The environment of a bot; what a case sets to null is left out."""
    chosen = {"token": discord.token, "url": discord.url} | dict(config)
    return {variable(name): written(value) for name, value in chosen.items() if value is not None}


@dataclass(slots=True)
class DiscordBench:
    """One process with its own data folder. `logs` is what earlier lives of it wrote."""

    program: Program
    discord: DiscordServer
    llm: OpenAIServer
    verb: Verb = "serve"
    port: int = field(default_factory=free_port)
    server: Server = field(init=False)
    logs: str = ""
    lives: int = 0

    def start(self) -> None:
        """Start, and wait until the gateway has let it in, refused it, or it has ended."""
        log = self.program.folder / "logs" / f"{self.verb}-{self.lives}"
        self.lives += 1
        begun = self.discord.gateway.identified
        arguments = ("serve", "--port", str(self.port)) if self.verb == "serve" else ("discord",)
        process = self.program.start(*arguments, log=log)
        self.server = Server(process, f"http://127.0.0.1:{self.port}", log)
        if self.verb == "serve":
            self.server.wait_until_ready()
        gateway = self.discord.gateway
        deadline = time.monotonic() + CONNECT_LIMIT_S
        while self.server.exit_code is None and time.monotonic() < deadline:
            if gateway.identified > begun and (gateway.ready or gateway.refuse):
                return
            time.sleep(POLL_S)

    def stop(self, by_force: bool = False) -> None:
        """End the process, by SIGKILL or as an operator does."""
        if self.server.exit_code is None and by_force:
            kill(self.server.process)
            self.server.process.wait()
        elif self.server.exit_code is None:
            self.server.stop()

    def start_again(self, by_force: bool = False) -> None:
        self.stop(by_force)
        self.logs += self.server.log
        self.start()

    @property
    def log(self) -> str:
        return self.logs + self.server.log

    @property
    def connected(self) -> bool:
        """Whether the bot listens, or is not let in."""
        return self.discord.gateway.ready or self.discord.gateway.refuse is not None

    def wait_for_exit(self) -> int | None:
        """How the process ended; None when it did not in time."""
        deadline = time.monotonic() + EXIT_LIMIT_S
        while self.server.exit_code is None and time.monotonic() < deadline:
            time.sleep(POLL_S)
        return self.server.exit_code

    def wait_until_idle(self, seconds: float = IDLE_LIMIT_S) -> bool:
        """Whether everything came to its end in that time: no job, no question at the model, no call for a while."""
        deadline, busy_at = time.monotonic() + seconds, time.monotonic()
        while time.monotonic() < deadline:
            if self.server.exit_code is not None:
                return False
            jobs, calls = self._jobs(), list(self.discord.calls)
            busy = self.llm.in_flight or any(call.status is None for call in calls) or any(jobs or ())
            if busy or not self.connected:
                busy_at = time.monotonic()
            last = max([busy_at, *(call.at + call.seconds for call in calls[-1:])])
            if time.monotonic() - last > (QUIET_WITHOUT_COUNTS_S if jobs is None else QUIET_S):
                return True
            time.sleep(POLL_S)
        return False

    def _jobs(self) -> tuple[int, int] | None:
        """How many jobs are queued and running; None where nobody counts them."""
        if self.verb != "serve":
            return None
        try:
            said = httpx.get(f"{self.server.url}/status", timeout=LOOK_LIMIT_S, trust_env=False).json()
        except (httpx.HTTPError, ValueError):
            return None
        counts = said.get("jobs") if isinstance(said, dict) else None
        return (counts["queued"], counts["running"]) if counts else None

    def status_of(self, path: str) -> int:
        """The status of a GET without credentials, 0 when nothing answers."""
        try:
            return httpx.get(self.server.url + path, timeout=LOOK_LIMIT_S, trust_env=False).status_code
        except httpx.HTTPError:
            return 0


@contextmanager
def bench(
    program: Program,
    discord: DiscordServer,
    config: Mapping[str, Any],
    *,
    model: bool,
    refused: bool = False,
    verb: Verb = "serve",
) -> Iterator[DiscordBench]:
    """A started process with a model where the case needs one (or an address where none listens)."""
    with ExitStack() as held:
        llm = held.enter_context(OpenAIServer())
        url = f"http://127.0.0.1:{held.enter_context(closed_port())}/v1" if refused else llm.url
        models = {"REPOPILOT_LLM_URL": url, "REPOPILOT_LLM_MODEL": llm.model} if model or refused else {}
        environment = {**program.settings, **settings(config, discord), **models}
        made = DiscordBench(Program(program.command, program.folder, environment), discord, llm, verb)
        held.callback(lambda: made.stop() if made.lives else None)
        made.start()
        yield made


def demand_connected(made: DiscordBench) -> None:
    """Raise CannotRunError when the process is not connected, and nobody keeps it from that."""
    if made.connected:
        return
    ended = made.server.exit_code
    how = "is not connected" if ended is None else f"ended with exit {ended}"
    raise CannotRunError(f"the bot {how}: {made.log.strip()[-300:]}")
