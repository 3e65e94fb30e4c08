"""The real `repopilot serve` over an index of a small repository; it can be killed, and started again on its port."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import httpx

from fakes.repository import Repository

FILES = {
    "engine/cache.py": (
        '"""The KV cache."""\n\n\nclass CacheConfig:\n    """How the KV cache is laid out."""\n\n'
        "    block_size: int = 16\n\n\ndef blocks_needed(tokens: int, config: CacheConfig) -> int:\n"
        '    """How many KV blocks hold so many tokens."""\n    return -(-tokens // config.block_size)\n'
    ),
    "docs/cache.md": (
        "# KV cache\n\n## Block size\n\nThe KV block size is 16 tokens by default; set `block_size` to change it.\n\n"
        "## Eviction\n\nBlocks without a reader are evicted in the order of their last use.\n"
    ),
}
PATIENCE_S = 60.0


class Running:
    """The program over a data folder. `url` stays the same over restarts."""

    def __init__(self, folder: Path, port: int, settings: Mapping[str, str], repository: str) -> None:
        self.folder = folder
        self.url = f"http://127.0.0.1:{port}"
        self._port = port
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("REPOPILOT_")}
        self._environment = {**inherited, "REPOPILOT_HOME": str(folder / "home"), **settings}
        token = settings.get("REPOPILOT_API_TOKEN")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._process: subprocess.Popen[bytes] | None = None
        if not (folder / "repository").exists():
            source = Repository(folder / "repository")
            source.commit(FILES)
            self.run("index", str(source.folder), "--repository", repository)

    def run(self, *arguments: str) -> str:
        """A command of the program to its end: what it printed."""
        command = (sys.executable, "-m", "bot.cli", *arguments)
        return subprocess.run(
            command, env=self._environment, cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout

    def start(self, **settings: str) -> None:
        """Start, and wait until it answers."""
        command = (sys.executable, "-m", "bot.cli", "serve", "--port", str(self._port))
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, env=self._environment | settings, cwd=self.folder, stdout=log, stderr=log
            )
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                httpx.get(f"{self.url}/healthz")
                return
            except httpx.TransportError:
                assert self._process.poll() is None and time.monotonic() < deadline, self.log
                time.sleep(0.05)

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")

    def kill(self) -> None:
        """SIGKILL, at once."""
        if self._process:
            self._process.send_signal(signal.SIGKILL)

    def wait_for_death(self) -> None:
        assert self._process
        self._process.wait(PATIENCE_S)

    def stop(self) -> None:
        if self._process and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(PATIENCE_S)

    def jobs(self) -> dict[str, int]:
        found: dict[str, int] = httpx.get(f"{self.url}/status", headers=self._headers).json()["jobs"]
        return found

    def wait_until_idle(self, seconds: float = PATIENCE_S) -> None:
        """Return when no job is queued or running."""
        deadline = time.monotonic() + seconds
        while (found := self.jobs())["queued"] + found["running"]:
            assert time.monotonic() < deadline, f"{found}\n{self.log[-3_000:]}"
            time.sleep(0.1)

    def __enter__(self) -> Running:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        if self._process:
            self._process.wait()
