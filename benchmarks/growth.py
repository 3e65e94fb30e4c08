"""How cost grows with the number of files: a quarter, a half and all of a source."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks import checkout
from benchmarks.runs import Program, Run
from benchmarks.table import Row

SHARES = (0.25, 0.5, 1.0)


def rows(source: str, cache: Path, home: Path) -> list[Row]:
    measured = [(share, *_index(source, cache, home / f"{share:.0%}", share)) for share in SHARES]
    return list(_rows(measured))


def _index(source: str, cache: Path, home: Path, share: float) -> tuple[Run, float]:
    repository = checkout.make(source, cache, home / "checkout", share)
    program = Program(home / "index", cache)
    return program.index(str(repository.folder)), program.disk_mib()


def _rows(measured: list[tuple[float, Run, float]]) -> Iterator[Row]:
    _, first, first_disk = measured[0]
    for share, run, disk in measured:
        files, times = f"{run.files:,} files", f"{share / SHARES[0]:g} × the files"
        yield Row(f"{files}: time", run.seconds, "s", times).beside(first.seconds)
        yield Row(f"{files}: peak memory", run.peak_mib, "MiB", times).beside(first.peak_mib)
        yield Row(f"{files}: disk", disk, "MiB", times).beside(first_disk)
