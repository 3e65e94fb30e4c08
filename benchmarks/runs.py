"""The installed program, run as people run it, with its time and the memory of all its processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class Run:
    """What `index --json` reported, the seconds of the whole process, and its peak memory with its children's."""

    report: dict[str, Any]
    seconds: float
    peak_mib: float

    def __getattr__(self, name: str) -> Any:
        return self.report[name]


class Program:
    """`repopilot` with a home of its own; downloads lie in `sources`."""

    def __init__(self, home: Path, sources: Path) -> None:
        self.home = home
        home.mkdir(parents=True)
        sources.mkdir(parents=True, exist_ok=True)
        (home / "sources").symlink_to(sources)

    def index(self, source: str, *arguments: str) -> Run:
        return self._run("index", source, *arguments)

    def remove(self, repository: str, ref: str) -> None:
        self._run("remove", repository, "--ref", ref)

    def disk_mib(self) -> float:
        files = (path for path in self.home.rglob("*") if path.is_file() and not path.is_symlink())
        return sum(file.stat().st_size for file in files if "sources" not in file.parts) / (1 << 20)

    def _run(self, *arguments: str) -> Run:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("REPOPILOT_")}
        command = [str(Path(sys.executable).with_name("repopilot")), *arguments, "--json"]
        started, peak = time.perf_counter(), 0.0
        with subprocess.Popen(
            command, env=environment | {"REPOPILOT_HOME": str(self.home)}, stdout=subprocess.PIPE, cwd=self.home
        ) as running:
            while running.poll() is None:
                peak = max(peak, resident_mib(running.pid))
                time.sleep(POLL_S)
            seconds = time.perf_counter() - started
            assert running.stdout
            printed = running.stdout.read()
        if running.returncode:
            raise SystemExit(f"`repopilot {' '.join(arguments)}` ended with exit code {running.returncode}")
        return Run(json.loads(printed), seconds, peak)


def resident_mib(pid: int) -> float:
    """Resident memory of a process and its descendants; pages that they share are counted for each."""
    try:
        own = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
        tasks = Path(f"/proc/{pid}/task").glob("*/children")
        return own + sum(resident_mib(int(child)) for task in tasks for child in task.read_text("ascii").split())
    except OSError:  # it has just ended
        return 0.0
