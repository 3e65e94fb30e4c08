"""A real git repository that is written and indexed in the test's own process, with a fixed author and date."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from indexer.sources import open_source
from indexer.types import Source

REPOSITORY = "acme/engine"
WHO = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", "2026-01-01T00:00:00Z"))
}


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        command = ("git", "-C", str(self.folder), *arguments)
        return subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | WHO).stdout.strip()

    def commit(self, files: Mapping[str, str | bytes | None], branch: str | None = None) -> str:
        """Write these files (None: delete) and commit them, on a new branch if it is named; returns the SHA."""
        if branch:
            self.git("switch", "-q", "-c", branch)
        for path, content in files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                file.unlink()
            else:
                file.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "-A")
        self.git("commit", "-qm", "a commit", "--allow-empty")
        return self.git("rev-parse", "HEAD")

    def source(self, ref: str | None = None) -> Source:
        return open_source(str(self.folder), ref=ref, repository=REPOSITORY, cache=self.folder.parent / "cache")
