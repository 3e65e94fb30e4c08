"""A small git repository, and the installed program run as people run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BLOCKS = '''"""Blocks of the cache."""

BLOCK_SIZE = 16


def allocate(tokens: int) -> int:
    """Return how many blocks hold the tokens."""
    return -(-tokens // BLOCK_SIZE)
'''
GUIDE = """# Guide

## Cache

A block of the cache holds sixteen tokens; `allocate` rounds up to whole blocks.

## Colours

The parrot on the sign is green.
"""
FILES = {"src/blocks.py": BLOCKS, "docs/Größe guide.md": GUIDE, "logo.bin": "\0\1\2"}
# No prompts, no configuration of whoever runs the tests.
GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")


@dataclass(frozen=True)
class Checkout:
    folder: Path

    @classmethod
    def new(cls, folder: Path, files: Mapping[str, str] = FILES) -> Checkout:
        checkout = cls(folder)
        folder.mkdir(parents=True)
        checkout.git("init", "--quiet", "--initial-branch", "main")
        checkout.git("remote", "add", "origin", "git@github.com:acme/demo.git")
        checkout.commit(files)
        return checkout

    def git(self, *arguments: str) -> str:
        done = subprocess.run([*GIT, *arguments], cwd=self.folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, files: Mapping[str, str]) -> str:
        """Write and commit; returns the commit."""
        for path, text in files.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text, encoding="utf-8", newline="")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "change")
        return self.git("rev-parse", "HEAD")


INSTALLED = Path(sys.executable).with_name("repopilot")


@dataclass(frozen=True)
class Program:
    """`repopilot` with a home of its own, and no settings but those given."""

    home: Path
    executable: Path = INSTALLED

    @classmethod
    def with_index(cls, home: Path, checkout: Checkout) -> Program:
        """A home in which the checkout is indexed."""
        program = cls(home)
        program.json("index", str(checkout.folder))
        return program

    def environment(self, settings: Mapping[str, str]) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("REPOPILOT_")}
        return inherited | {"REPOPILOT_HOME": str(self.home)} | dict(settings)

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.executable, *arguments],
            cwd=self.home.parent,  # a .env file of the checkout must not be read
            env=self.environment(settings),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    def json(self, *arguments: str, **settings: str) -> Any:
        """What a verb prints with `--json`, which must be all that it prints."""
        done = self.run(*arguments, "--json", **settings)
        assert (done.returncode, done.stderr) == (0, ""), done
        assert done.stdout.count("\n") == 1
        return json.loads(done.stdout)
