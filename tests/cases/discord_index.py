"""The small repository that section C asks about, with a document that says what the scripted model says.

What a model says and no source carries is left out of an answer; these cases are about how an answer is delivered.
"""

from __future__ import annotations

import itertools
import re
import shutil
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from cases.demo_index import FILES
from cases.github_index import NAME
from cases.program import CannotRunError, Program
from cases.repository import Repository

SAID = "docs/notes.md"
_CITED = re.compile(r"\s*\[\d+\]")


class DiscordIndexes:
    """Data folders that hold the index, each a copy of the one that was made for the same words."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._command, self._folder = command, folder
        self._lock, self._numbers = threading.Lock(), itertools.count()
        self._homes: dict[str, Path] = {}

    def program(self, said: str) -> Program:
        """The program in a folder of its own, over a repository in which `said` is written. Raises CannotRunError."""
        folder = self._folder / f"discord-{next(self._numbers)}"
        (folder / "logs").mkdir(parents=True)
        with self._lock:
            if said not in self._homes:
                self._homes[said] = self._made(said)
            shutil.copytree(self._homes[said], folder / "home")
        return Program(self._command, folder, {"REPOPILOT_HOME": str(folder / "home")})

    def _made(self, said: str) -> Path:
        folder = self._folder / f"index-{len(self._homes)}"
        repository = Repository.created(folder / "repo")
        for path, text in files(said).items():
            (repository.path / path).parent.mkdir(exist_ok=True)
            (repository.path / path).write_text(text)
        repository.commit_all("first")
        program = Program(self._command, folder, {"REPOPILOT_HOME": str(folder / "home")})
        run = program.run("index", str(repository.path), "--repository", NAME, "--json")
        if run.exit_code != 0:
            raise CannotRunError(f"the demo repository cannot be indexed: {run.stderr.strip()[-300:]}")
        return folder / "home"


def files(said: str) -> Mapping[str, str]:
    """The demo repository's files, with a document of these words when there are any."""
    told = _CITED.sub("", said).strip()
    return {**FILES, SAID: f"# Notes on the block size\n\n{told}\n"} if told else FILES
