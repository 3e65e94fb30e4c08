"""Indexing and reading in processes of their own, which can be killed. A fork server has imported Chroma already."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import numpy as np

from fakes.embedder import HashingEmbedder
from indexer.sources import open_source
from indexer.stores import Stores
from indexer.sync import sync
from indexer.vectors import LocalVectorStore


def context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["chromadb", "chromadb.api.rust", "fakes.elsewhere"])
    return context


def elsewhere(function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function returns in another process."""
    with ProcessPoolExecutor(1, mp_context=context()) as pool:
        return pool.submit(function, *arguments).result()


def started(function: Callable[..., None], *arguments: Any) -> multiprocessing.context.ForkServerProcess:
    """The function, running in another process."""
    process = context().Process(target=function, args=arguments, daemon=True)
    process.start()
    return process


def index(folder: Path, home: Path, repository: str) -> None:
    index_with(folder, Stores(home), repository)


def index_with(folder: Path, stores: Stores, repository: str) -> None:
    sync(open_source(str(folder), ref=None, repository=repository, cache=stores.cache), stores, HashingEmbedder())


def index_as(user: int, folder: Path, home: Path, repository: str) -> str:
    """What a user without rights to the home is told."""
    os.setuid(user)
    try:
        index(folder, home, repository)
    except Exception as error:  # noqa: BLE001 - the test asks for the kind
        return f"{type(error).__name__}: {error}"
    return "indexed"


def rewrite(folder: Path, home: Path, repository: str, names: Sequence[str], versions: int) -> None:
    rewrite_with(folder, Stores(home), repository, names, versions)


def rewrite_with(folder: Path, stores: Stores, repository: str, names: Sequence[str], versions: int) -> None:
    """Index version after version of a folder, each of which says its number in every file."""
    for version in range(1, versions + 1):
        write(folder, names, version)
        index_with(folder, stores, repository)


def write(folder: Path, names: Sequence[str], version: int) -> None:
    for name in names:
        (folder / name).write_text(text_of(name, version))


def text_of(name: str, version: int) -> str:
    head = f'def needle_{Path(name).stem}():\n    """A needle in the haystack."""\n'
    return head + f'    return "version {version} of {name}"\n'


def hold(home: Path, ready: Any, done: Any) -> None:
    """Hold the lock until told that it is enough."""
    with Stores(home).locked("holding it"):
        ready.set()
        done.wait(30)


def nearest(root: Path, name: str, vector: np.ndarray, limit: int) -> list[tuple[int, float]]:
    return LocalVectorStore(root).open(name).search(vector, limit)
