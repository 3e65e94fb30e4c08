"""The small repository that sections A and B ask about, indexed as the one that GitHub's deliveries name."""

from __future__ import annotations

import itertools
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from cases.demo_index import FILES
from cases.github_remote import Remote, offered
from cases.program import CannotRunError, Program
from cases.repository import Repository

NAME = "example-org/engine"


class Engines:
    """Data folders that hold the repository's index, each a copy of the one that is made first."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._command, self._folder = command, folder
        self._lock, self._numbers = threading.Lock(), itertools.count()

    def program(self, indexed: bool = True) -> Program:
        """The program in a folder of its own."""
        made = self._program()
        if indexed:
            with self._lock:
                shutil.copytree(self._home, made.folder / "home")
        return made

    @contextmanager
    def fetching(self) -> Iterator[tuple[Program, Remote]]:
        """The same with an index that came from a web server, which counts how often it is read after that."""
        made = self._program()
        offered(_repository(made.folder / "repo"), made.folder / "offered" / f"{NAME}.git")
        with Remote(made.folder / "offered") as remote:
            _index(made, f"{remote.url}/{NAME}.git")
            remote.settle()
            yield made, remote

    def _program(self) -> Program:
        folder = self._folder / f"serve-{next(self._numbers)}"
        (folder / "logs").mkdir(parents=True)
        return Program(self._command, folder, {"REPOPILOT_HOME": str(folder / "home")})

    @cached_property
    def _home(self) -> Path:
        made = self._program()
        _index(made, str(_repository(made.folder / "repo").path))
        return made.folder / "home"


def _repository(folder: Path) -> Repository:
    repository = Repository.created(folder)
    for path, text in FILES.items():
        (repository.path / path).parent.mkdir(exist_ok=True)
        (repository.path / path).write_text(text)
    repository.commit_all("first")
    return repository


def _index(program: Program, source: str) -> None:
    run = program.run("index", source, "--repository", NAME, "--json")
    if run.exit_code != 0:
        raise CannotRunError(f"the demo repository cannot be indexed: {run.stderr.strip()[-300:]}")
