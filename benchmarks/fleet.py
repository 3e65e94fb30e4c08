"""`python -m benchmarks.fleet`: many small repositories in one home, and what a service over all of them costs.

    python -m benchmarks.fleet [--repositories 200] [--files 20] [--chroma-url URL] [--workers N]

Each repository is a folder of files drawn at random from the Python packages that are installed here.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click
import httpx

from benchmarks.load.__main__ import Service, served
from benchmarks.runs import resident_mib
from benchmarks.table import Row, table
from bot.app import App
from bot.settings import load
from indexer.types import Address

SUFFIXES = (".py", ".md", ".rst")
SIZES = range(1_000, 30_000)
"""Bytes of the files that are drawn."""
QUERIES = ("how are errors handled?", "where is the configuration read?", "what does the main function return?")


@dataclass
class Fleet:
    """The repositories, and what indexing each of them took (seconds)."""

    folder: Path
    names: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    chunks: int = 0
    text_bytes: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fleet", description=__doc__)
    parser.add_argument("--repositories", type=int, default=200)
    parser.add_argument("--files", type=int, default=20, help="in each of them")
    parser.add_argument("--chroma-url", help="a Chroma server for the vectors, in place of folders")
    parser.add_argument("--workers", type=int, help="processes that parse; default: as `repopilot index` does")
    chosen = parser.parse_args()
    settings = {"chroma_url": chosen.chroma_url, "workers": chosen.workers}
    with tempfile.TemporaryDirectory() as name:
        app = App(load(home=str(Path(name, "home")), **{k: v for k, v in settings.items() if v is not None}))
        fleet = made(Path(name, "repositories"), chosen.repositories, chosen.files)
        index(app, fleet)
        title = f"{chosen.repositories:,} repositories of {chosen.files} files, {fleet.chunks:,} chunks"
        click.echo(table(title, list(indexing_rows(app, fleet))))
        app.stores.catalog.close()
        environment = {"REPOPILOT_CHROMA_URL": chosen.chroma_url} if chosen.chroma_url else {}
        with served(Path(name), environment) as service:
            click.echo(table("A service over all of them", list(serving_rows(service, fleet))))


def made(folder: Path, repositories: int, files: int) -> Fleet:
    """Folders with files, the same ones wherever the same packages are installed."""
    installed, fleet, chosen = Path(sysconfig.get_path("purelib")), Fleet(folder), random.Random(0)
    pool = sorted(p for p in installed.rglob("*") if p.suffix in SUFFIXES and p.stat().st_size in SIZES)
    for number in range(repositories):
        repository = folder / f"r{number:04}"
        fleet.names.append(f"fleet/{repository.name}")
        for file in chosen.sample(pool, files):
            target = repository / "src" / file.relative_to(installed)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
            fleet.text_bytes += file.stat().st_size
    return fleet


def index(app: App, fleet: Fleet) -> None:
    for name in fleet.names:
        started = time.perf_counter()
        report = app.index(Address(str(fleet.folder / name.rpartition("/")[2]), None, name))
        fleet.seconds.append(time.perf_counter() - started)
        fleet.chunks += report.snapshot.chunks


def indexing_rows(app: App, fleet: Fleet) -> Iterator[Row]:
    some, home = max(1, len(fleet.names) // 10), app.stores.home
    first = statistics.median(fleet.seconds[:some])
    yield Row("index, all", sum(fleet.seconds), "s")
    yield Row("index, median of the first tenth", first * 1_000, "ms")
    last = statistics.median(fleet.seconds[-some:])
    yield Row("index, median of the last tenth", last * 1_000, "ms", "first tenth").beside(first * 1_000)
    again = Fleet(fleet.folder, fleet.names)
    index(app, again)
    yield Row("looked at again, nothing changed", sum(again.seconds), "s", "index, all").beside(sum(fleet.seconds))
    text = fleet.text_bytes / (1 << 20)
    for name, size in {"catalog": mib(home, "catalog*"), "terms": mib(home, "lexical/**/*")}.items():
        yield Row(f"on disk, {name}", size, "MiB", "the text").beside(text)
    yield Row("on disk, vectors", mib(home, "vectors/**/*"), "MiB", "the text").beside(text)


def serving_rows(service: Service, fleet: Fleet) -> Iterator[Row]:
    with httpx.Client(base_url=service.url, timeout=60, trust_env=False) as client:
        before = held(service)
        for path in ("/status", "/v1/models", "/metrics"):
            yield Row(f"GET {path}", 1_000 * statistics.median(get(client, path) for _ in range(5)), "ms")
            yield Row(f"GET {path}", len(client.get(path).content) / 1_024, "KiB")
        cold, first = searched(client, fleet.names, QUERIES[0]), held(service)
        warm = searched(client, fleet.names, QUERIES[1])
        yield Row("search, its repository for the first time, p50", cold[0], "ms")
        yield Row("search, its repository for the first time, p95", cold[1], "ms")
        yield Row("search, again, p50", warm[0], "ms", "the first time").beside(cold[0])
        yield Row("search, again, p95", warm[1], "ms", "the first time").beside(cold[1])
        one = searched(client, fleet.names[:1] * len(fleet.names), QUERIES[2])
        yield Row("search, always the same repository, p50", one[0], "ms", "again").beside(warm[0])
        kinds = ("memory, MiB", "open files", "threads")
        for what, then, once, now in zip(kinds, before, first, held(service), strict=True):
            yield Row(f"{what}, after the first of each", once, "", "before").beside(then)
            yield Row(f"{what}, after all", now, "", "after the first of each").beside(once)


def get(client: httpx.Client, path: str) -> float:
    started = time.perf_counter()
    client.get(path).raise_for_status()
    return time.perf_counter() - started


def searched(client: httpx.Client, names: Sequence[str], query: str) -> tuple[float, float]:
    """Milliseconds of half of the searches, and of 95 %, one in each repository."""
    times = []
    for name in names:
        started = time.perf_counter()
        client.post("/search", json={"query": query, "repository": name}).raise_for_status()
        times.append(1_000 * (time.perf_counter() - started))
    found = statistics.quantiles(times, n=20, method="inclusive")
    return found[9], found[18]


def held(service: Service) -> tuple[float, int, int]:
    """Resident memory (MiB), open files and threads of a service now."""
    files, threads = (len(list(Path(f"/proc/{service.process.pid}/{kind}").iterdir())) for kind in ("fd", "task"))
    return resident_mib(service.process.pid), files, threads


def mib(home: Path, pattern: str) -> float:
    return sum(path.stat().st_size for path in home.glob(pattern) if path.is_file()) / (1 << 20)


if __name__ == "__main__":
    main()
