"""The real program as a subprocess: one finished command, or a server that runs for as long as it is needed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

COMMAND_LIMIT_S = 300.0
START_LIMIT_S = 60.0
STOP_LIMIT_S = 10.0
POLL_S = 0.02


class CannotRunError(Exception):
    """The machine, not the program, keeps this case from being tried; it fails with these words."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that ended. A negative exit code is the signal that ended it, as in `subprocess`."""

    exit_code: int
    stdout: str
    stderr: str
    seconds: float
    peak_rss_mb: float

    @property
    def report(self) -> Any:
        """The JSON document on stdout, or None when there is none."""
        try:
            return json.loads(self.stdout)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Program:
    """How the program is called: its command line, the environment it sees, and where it stands."""

    command: Sequence[str]
    folder: Path
    settings: Mapping[str, str]

    @property
    def environment(self) -> dict[str, str]:
        """The driver's own environment without any setting of the program, so that a case is alone with its own."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("REPOPILOT_")}
        return inherited | {"HOME": str(self.folder)} | dict(self.settings)

    def start(self, *arguments: str, log: Path) -> subprocess.Popen[bytes]:
        """Start a command whose output goes to `log`.out and `log`.err."""
        log.parent.mkdir(exist_ok=True)
        with log.with_suffix(".out").open("wb") as out, log.with_suffix(".err").open("wb") as err:
            return subprocess.Popen(
                [*self.command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=self.folder,
                env=self.environment,
                start_new_session=True,
            )

    def run(self, *arguments: str, kill_after_s: float | None = None) -> Finished:
        """Run a command to its end, or to its SIGKILL when `kill_after_s` comes first."""
        log = self.folder / "logs" / f"{time.monotonic_ns()}"
        started = time.monotonic()
        process = self.start(*arguments, log=log)
        peak = _wait(process, started + (COMMAND_LIMIT_S if kill_after_s is None else kill_after_s))
        out, err = (log.with_suffix(end).read_text("utf-8", "replace") for end in (".out", ".err"))
        return Finished(process.returncode, out, err, time.monotonic() - started, peak)


def _wait(process: subprocess.Popen[bytes], deadline: float) -> float:
    """Reap the process, by force after the deadline; returns the MiB its memory peaked at, which only wait4 tells."""
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_maxrss / 1024
        if time.monotonic() > deadline:
            kill(process)
            deadline = float("inf")
        time.sleep(POLL_S)


def kill(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL a started command and whatever it started."""
    os.killpg(process.pid, signal.SIGKILL)


@dataclass(slots=True)
class Server:
    """A running `repopilot serve`, or one that refused to start (`exit_code` is set then)."""

    process: subprocess.Popen[bytes]
    url: str
    log_file: Path

    @property
    def exit_code(self) -> int | None:
        return self.process.poll()

    @property
    def log(self) -> str:
        """Everything the server has written on stderr and stdout so far."""
        files = [self.log_file.with_suffix(end) for end in (".err", ".out")]
        return "".join(file.read_text("utf-8", "replace") for file in files)

    def wait_until_ready(self) -> None:
        """Return when it answers over HTTP or has ended; raises CannotRunError when neither comes in time."""
        deadline = time.monotonic() + START_LIMIT_S
        while self.exit_code is None:
            try:
                httpx.get(f"{self.url}/healthz", timeout=5)
                return
            except httpx.TransportError:
                time.sleep(POLL_S * 5)
            if time.monotonic() > deadline:
                raise CannotRunError(f"the server did not answer within {START_LIMIT_S:.0f} s: {self.log[-300:]}")

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            kill(self.process)
            self.process.wait()


@contextmanager
def serving(program: Program, host: str = "127.0.0.1") -> Iterator[Server]:
    """A server on a free port, stopped at the end."""
    port = free_port()
    log = program.folder / "logs" / "serve"
    process = program.start("serve", "--host", host, "--port", str(port), log=log)
    server = Server(process, f"http://127.0.0.1:{port}", log)
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def closed_port() -> Iterator[int]:
    """A port that refuses connections for as long as it is held: bound, so nobody else takes it, but not listening."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def unprivileged(program: Program) -> Program:
    """The same program run by `nobody` when we are root; raises CannotRunError when it cannot start so."""
    if os.geteuid() != 0:
        return program
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise CannotRunError("cannot run here: setpriv is needed to leave root")
    for path in (program.folder, *program.folder.rglob("*")):
        os.lchown(path, 65534, 65534)
    prefix = (setpriv, "--reuid=65534", "--regid=65534", "--clear-groups")
    lowered = Program([*prefix, *program.command], program.folder, program.settings)
    if lowered.run("--help").exit_code != 0:
        raise CannotRunError("cannot run here: the program does not start without root's rights")
    return lowered
