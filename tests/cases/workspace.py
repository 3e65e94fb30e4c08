"""The folder of one indexer case: its repository, the program's own data, and the verbs that look into an index.

The index is seen through the program's public commands only, so that its stores may change without the cases.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cases.program import CannotRunError, Finished, Program, kill
from cases.repository import Repository

WEB_NAME = "acme/demo"  # gives links a code host
SEARCH_LIMIT = 10
KILL_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Workspace:
    """One case's own folder; nothing outside it is written."""

    folder: Path
    program: Program

    @classmethod
    def created(cls, folder: Path, command: Sequence[str]) -> Workspace:
        Repository.created(folder / "repo")
        return cls.at(folder, command)

    @classmethod
    def at(cls, folder: Path, command: Sequence[str]) -> Workspace:
        (folder / "home").mkdir(exist_ok=True)
        (folder / "logs").mkdir(exist_ok=True)
        return cls(folder, Program(command, folder, {"REPOPILOT_HOME": str(folder / "home")}))

    @property
    def repository(self) -> Repository:
        return Repository(self.folder / "repo")

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def fork(self, name: str) -> Workspace:
        """A copy of repository and index in which an experiment may change things."""
        copy = self.folder.parent / f"{self.folder.name}-{name}"
        shutil.copytree(self.folder, copy, symlinks=True)
        return Workspace.at(copy, self.program.command)

    def index(self, kill_after_s: float | None = None) -> Finished:
        arguments = ("index", str(self.repository.path), "--repository", WEB_NAME, "--json")
        return self.program.run(*arguments, kill_after_s=kill_after_s)

    def chunks(self) -> list[dict[str, Any]]:
        """Every stored chunk; none when the program has no index to show."""
        report = self.program.run("chunks", "--json").report
        return report if isinstance(report, list) else []

    def search(self, query: str) -> Mapping[str, Any]:
        """What `POST /search` would answer, or an empty mapping when the command failed."""
        done = self.program.run("search", "--limit", str(SEARCH_LIMIT), "--json", "--", query)
        return done.report if done.exit_code == 0 and isinstance(done.report, dict) else {}

    def index_killed(self, delay_s: float) -> None:
        """Begin the first indexing and SIGKILL it; when it is done sooner, begin afresh and kill earlier."""
        for _ in range(KILL_ATTEMPTS):
            run = self.index(kill_after_s=delay_s)
            if run.exit_code < 0:
                return
            delay_s = min(delay_s, run.seconds) * 0.75
            shutil.rmtree(self.home)
            self.home.mkdir()
        raise CannotRunError(f"indexing ended before each of {KILL_ATTEMPTS} kills")

    def searches_around_a_killed_update(self, query: str, delay_s: float) -> list[Mapping[str, Any]]:
        """What is found while every file is indexed anew, and after that update was killed."""
        fork = self.fork("update")
        fork.repository.bash('git ls-files -z | xargs -0 -I{} sh -c \'echo "# changed" >> "{}"\'')
        fork.repository.commit_all("change every file")
        arguments = ("index", str(fork.repository.path), "--repository", WEB_NAME, "--json")
        update = fork.program.start(*arguments, log=fork.folder / "logs" / "update")
        time.sleep(delay_s)
        meanwhile = fork.search(query)
        if update.poll() is None:
            kill(update)
        update.wait()
        return [meanwhile, fork.search(query)]
