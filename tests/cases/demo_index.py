"""The small indexed repository that section G asks about, made once; each server gets a copy of its index."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from cases.program import CannotRunError
from cases.workspace import Workspace

FILES = {
    "README.md": "# Demo engine\n\nA small inference engine with a paged KV cache.\n",
    "engine/config.py": (
        '"""Settings of the engine."""\n\nfrom dataclasses import dataclass\n\n\n@dataclass\nclass CacheConfig:\n'
        '    """How the KV cache is laid out."""\n\n    block_size: int = 16\n'
        '    """Size of a KV cache block in tokens."""\n'
        "    swap_space_gib: float = 4.0\n"
    ),
    "engine/blocks.py": (
        "from engine.config import CacheConfig\n\n\ndef blocks_needed(tokens: int, config: CacheConfig) -> int:\n"
        '    """How many KV blocks hold this many tokens."""\n    return -(-tokens // config.block_size)\n'
    ),
    "docs/kv_cache.md": (
        "# KV cache\n\n## Block size\n\nThe KV block size is 16 tokens by default; set `block_size` to change it.\n\n"
        "## Eviction\n\nBlocks without a reader are evicted in the order of their last use.\n"
    ),
}
SECOND_COMMIT = "printf '\\n## Sharing\\n\\nEqual prefixes share their KV blocks.\\n' >> docs/kv_cache.md"
SQLITE_MAGIC = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class DemoIndex:
    """The program's data folder at the first and at the second commit of the repository."""

    first: Path
    second: Path
    commits: frozenset[str]

    @classmethod
    def made(cls, folder: Path, command: Sequence[str]) -> DemoIndex:
        workspace = Workspace.created(folder / "demo", command)
        for path, text in FILES.items():
            (workspace.repository.path / path).parent.mkdir(exist_ok=True)
            (workspace.repository.path / path).write_text(text)
        workspace.repository.commit_all("first")
        commits = [workspace.repository.revision("HEAD")]
        _index(workspace)
        shutil.copytree(workspace.home, folder / "first")
        workspace.repository.bash(SECOND_COMMIT)
        workspace.repository.commit_all("second")
        _index(workspace)
        commits.append(workspace.repository.revision("HEAD"))
        return cls(folder / "first", workspace.home, frozenset(commits))


def _index(workspace: Workspace) -> None:
    run = workspace.index()
    if run.exit_code != 0:
        raise CannotRunError(f"the demo repository cannot be indexed: {run.stderr.strip()[-300:]}")


@contextmanager
def store(state: str | None, demo: DemoIndex, home: Path) -> Iterator[Callable[[], None]]:
    """The data folder `home` in the state that a case asks for; yields what is to happen between two requests."""
    if state != "missing":
        shutil.copytree(demo.first, home)
    home.mkdir(exist_ok=True)
    with ExitStack() as held:
        if state == "locked":
            _lock(home, held)
        if state == "corrupt":
            _overwrite(home)
        if state not in (None, "ok", "missing", "locked", "corrupt", "swap_between_requests"):
            raise CannotRunError(f"unknown store state {state}")
        yield (lambda: _swap(demo, home)) if state == "swap_between_requests" else (lambda: None)


def _swap(demo: DemoIndex, home: Path) -> None:
    """Put a newer index in the place of the old one as an operator would: by two renames."""
    fresh = home.with_name(f"{home.name}-new")
    shutil.copytree(demo.second, fresh)
    home.rename(home.with_name(f"{home.name}-old"))
    fresh.rename(home)


def _lock(home: Path, held: ExitStack) -> None:
    """Hold every SQLite file as another process in the middle of a write does."""
    for file in _databases(home):
        connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        held.callback(connection.close)
        connection.execute("BEGIN EXCLUSIVE")


def _overwrite(home: Path) -> None:
    for file in _databases(home):
        file.write_bytes(SQLITE_MAGIC + b"\xff" * 4096)


def _databases(home: Path) -> list[Path]:
    return [file for file in home.rglob("*") if file.is_file() and _begins(file, SQLITE_MAGIC)]


def _begins(file: Path, magic: bytes) -> bool:
    with file.open("rb") as opened:
        return opened.read(len(magic)) == magic
