"""A real git repository in a case's folder, made and changed by the case's own bash."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SETUP_LIMIT_S = 120
ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,  # nobody's own settings change what a case means
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_DATE": "2026-01-05T10:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-05T10:00:00Z",
}


class SetupError(Exception):
    """The case's own script failed, so there is nothing to judge."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository by its working tree."""

    path: Path

    @classmethod
    def created(cls, path: Path) -> Repository:
        """An empty repository on branch `main` with a user set."""
        path.mkdir(parents=True)
        repository = cls(path)
        repository.bash("git init -q -b main; git config user.name Case; git config user.email case@example.org")
        return repository

    def bash(self, script: str) -> str:
        """What the script printed; raises SetupError with its stderr when it failed."""
        return self._run("bash", "-c", script).decode("utf-8", "surrogateescape")

    def _run(self, *command: str) -> bytes:
        settings: dict[str, Any] = {"cwd": self.path, "env": os.environ | ENVIRONMENT, "timeout": SETUP_LIMIT_S}
        try:
            printed: bytes = subprocess.run(command, capture_output=True, check=True, **settings).stdout
        except subprocess.CalledProcessError as error:
            words = error.stderr.decode("utf-8", "replace").strip()[-300:]
            raise SetupError(f"setup failed: {words}") from error
        except subprocess.TimeoutExpired as error:
            raise SetupError(f"setup took longer than {SETUP_LIMIT_S} s") from error
        return printed

    def commit_all(self, message: str = "case") -> None:
        """Commit whatever changed; nothing to commit is no error."""
        self.bash(f"git add -A; git diff --cached --quiet || git commit -qm '{message}'")

    def revision(self, rev: str) -> str:
        """The full SHA a revision means, or "" when there is none."""
        try:
            return self.bash(f"git rev-parse --verify -q '{rev}'").strip()
        except SetupError:
            return ""

    def text(self, path: str) -> str:
        """The committed text of a file, as it is in HEAD: line ends kept, a byte order mark dropped."""
        data = self._run("git", "-c", f"safe.directory={self.path}", "cat-file", "blob", f"HEAD:{path}")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return data.decode("latin-1")
