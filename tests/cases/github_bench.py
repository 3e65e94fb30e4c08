"""The program as a GitHub App's server: started, killed and started again, between a loopback GitHub and a model."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from cases.program import CannotRunError, Program, Server, closed_port, free_port, kill
from fakes.github.server import APP_ID, GitHubServer
from fakes.openai_server import OpenAIServer

SECRET = "repopilot-test-secret"
HANDLE = "RepoPilot"
GITHUB_SETTINGS = frozenset(
    "app_id private_key token webhook_secret url handle associations allow deny label drafts".split()
)
IDLE_LIMIT_S = 300.0
POLL_S = 0.15
IDLE_POLLS = 3
WITHOUT_COUNTS_S = 5.0
LOOK_LIMIT_S = 20.0
MEGABYTE_KB = 1_024


def variable(name: str) -> str:
    """The setting of the program that a case's `config` means."""
    return f"REPOPILOT_{'GITHUB_' if name in GITHUB_SETTINGS else ''}{name.upper()}"


def settings(config: Mapping[str, Any], github: GitHubServer) -> dict[str, str]:
    """The environment of an App; what a case sets to null is left out."""
    chosen = {
        "app_id": APP_ID,
        "private_key": github.private_key,
        "webhook_secret": SECRET,
        "url": github.url,
        "handle": HANDLE,
    } | dict(config)
    written = {name: ",".join(map(str, v)) if isinstance(v, list) else v for name, v in chosen.items()}
    return {variable(name): str(value) for name, value in written.items() if value is not None}


@dataclass(slots=True)
class Bench:
    """One server with its own data folder. `logs` is what earlier lives of it wrote."""

    program: Program
    github: GitHubServer
    llm: OpenAIServer
    port: int = field(default_factory=free_port)
    server: Server = field(init=False)
    logs: str = ""
    lives: int = 0
    ended: bool = False

    def start(self) -> None:
        log = self.program.folder / "logs" / f"serve-{self.lives}"
        self.lives += 1
        process = self.program.start("serve", "--port", str(self.port), log=log)
        self.server = Server(process, f"http://127.0.0.1:{self.port}", log)
        self.server.wait_until_ready()
        self.status_of("/readyz")  # as whoever sends it traffic asks first

    def stop(self, by_force: bool = False) -> None:
        """End the process, by SIGKILL or as an operator does."""
        self.ended = True
        if self.server.exit_code is None and by_force:
            kill(self.server.process)
            self.server.process.wait()
        elif self.server.exit_code is None:
            self.server.stop()

    def start_again(self) -> None:
        """Another process on the same data, where we ended the one before: one that dies by itself stays dead."""
        if self.ended:
            self.ended = False
            self.logs += self.server.log
            self.start()

    @property
    def log(self) -> str:
        return self.logs + self.server.log

    def status(self) -> Mapping[str, Any]:
        """What `GET /status` says; empty when it says nothing."""
        try:
            return dict(httpx.get(f"{self.server.url}/status", timeout=LOOK_LIMIT_S, trust_env=False).json())
        except (httpx.HTTPError, ValueError):
            return {}

    def status_of(self, path: str) -> int:
        """The status of a GET without credentials, 0 when nothing answers."""
        try:
            return httpx.get(self.server.url + path, timeout=LOOK_LIMIT_S, trust_env=False).status_code
        except httpx.HTTPError:
            return 0

    def wait_until_idle(self, seconds: float = IDLE_LIMIT_S) -> bool:
        """Whether every job came to its end in that time. Where none are counted, a while has to do."""
        deadline, quiet = time.monotonic() + seconds, 0
        while quiet < IDLE_POLLS and time.monotonic() < deadline:
            if self.server.exit_code is not None:
                return False
            status = self.status()
            if status and not status.get("jobs"):
                time.sleep(WITHOUT_COUNTS_S)
                return True
            jobs = status.get("jobs") or {"running": 1}
            quiet = quiet + 1 if not jobs.get("queued", 0) + jobs.get("running", 0) else 0
            time.sleep(POLL_S)
        return quiet >= IDLE_POLLS

    def memory_kb(self, name: str) -> int:
        """A figure of the process's memory as the kernel has it (VmRSS, VmHWM), in KiB."""
        text = Path(f"/proc/{self.server.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name}:"))

    def forget_peak(self) -> int:
        """Let the kernel measure the peak anew; returns what is used now, in KiB."""
        with contextlib.suppress(OSError):  # then the peak of the start counts, which is stricter
            Path(f"/proc/{self.server.process.pid}/clear_refs").write_text("5")
        return self.memory_kb("VmRSS")


@contextmanager
def bench(
    program: Program, config: Mapping[str, Any], *, model: bool, refused: bool = False, start: bool = True
) -> Iterator[Bench]:
    """A started server with a GitHub and, where the case needs one, a model (or an address where none listens)."""
    with ExitStack() as held:
        github, llm = held.enter_context(GitHubServer()), held.enter_context(OpenAIServer())
        url = f"http://127.0.0.1:{held.enter_context(closed_port())}/v1" if refused else llm.url
        models = {"REPOPILOT_LLM_URL": url, "REPOPILOT_LLM_MODEL": llm.model} if model or refused else {}
        environment = {**program.settings, **settings(config, github), **models}
        made = Bench(Program(program.command, program.folder, environment), github, llm)
        github.world.app.hook_secret = config.get("webhook_secret", SECRET) or ""
        github.world.app.hook_url = f"http://127.0.0.1:{made.port}/webhooks/github"
        if start:
            made.start()
            held.callback(made.stop)
        yield made


def demand_running(made: Bench) -> None:
    """Raise CannotRunError when the server did not start, or has died."""
    if made.server.exit_code is not None:
        raise CannotRunError(f"the server ended with exit {made.server.exit_code}: {made.log.strip()[-300:]}")
