"""The files of a source as a git repository, in which some can be changed."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from indexer.rules import Rules
from indexer.selection import select
from indexer.sources import open_source
from indexer.types import Entry, SourceFile

GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")


@dataclass(frozen=True, slots=True)
class Checkout:
    folder: Path

    def commit(self) -> None:
        for arguments in (("add", "--all"), ("commit", "--quiet", "--message", "benchmark")):
            subprocess.run([*GIT, "-C", str(self.folder), *arguments], check=True, stdout=subprocess.DEVNULL)

    def change(self, count: int) -> None:
        """Add a function to that many Python files, and commit."""
        files = sorted(self.folder.rglob("*.py"))
        for file in random.Random(0).sample([file for file in files if file.stat().st_size > 1_000], count):
            file.write_text(file.read_text("utf-8", "replace") + "\n\ndef changed():\n    return 1\n", "utf-8")
        self.commit()


def selected(source: str, cache: Path, share: float = 1.0) -> Iterator[SourceFile]:
    """That share of the files of a source that would be read, chosen at random, in their order."""
    opened = open_source(source, ref=None, repository=None, cache=cache)
    entries = [e for e in opened.entries() if isinstance(e, Entry) and select(e, Rules()) is None]
    chosen = sorted(random.Random(0).sample(range(len(entries)), round(share * len(entries))))
    return opened.read([entries[number] for number in chosen])


def make(source: str, cache: Path, folder: Path, share: float = 1.0) -> Checkout:
    """Write that share of the files that would be indexed, chosen at random, into a new repository."""
    folder.mkdir(parents=True)
    subprocess.run([*GIT, "init", "--quiet", "--initial-branch", "bench", str(folder)], check=True)
    for file in selected(source, cache, share):
        (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.path).write_bytes(file.data)
    checkout = Checkout(folder)
    checkout.commit()
    return checkout
