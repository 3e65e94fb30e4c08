"""`python -m benchmarks`: what indexing and searching cost, each figure beside a baseline of the same run.

    python -m benchmarks [--source pypi:vllm==0.33.0] [--other pypi:vllm==0.32.0] [--home FOLDER]

The home is a new temporary folder unless one is named; only `sources/` in it (downloads) is used again.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path

import click

from benchmarks import checkout, growth, runs, searches, stages
from benchmarks.table import Row, table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--source", default="pypi:vllm==0.33.0")
    parser.add_argument("--other", default="pypi:vllm==0.32.0", help="another version of the same repository")
    parser.add_argument("--home", type=Path, help="where to index; its `sources/` is kept for the next time")
    arguments = parser.parse_args()
    if arguments.home:
        measure(arguments.source, arguments.other, arguments.home.resolve())
    else:
        with tempfile.TemporaryDirectory() as home:
            measure(arguments.source, arguments.other, Path(home))


def measure(source: str, other: str, home: Path) -> None:
    for made in ("index", "stages", "growth", "checkout"):
        shutil.rmtree(home / made, ignore_errors=True)
    program = runs.Program(home / "index", home / "sources")
    first = program.index(source)
    click.echo(f"{source}: {first.files:,} files, {first.chunks:,} chunks; {os.cpu_count()} cores\n")

    alone = stages.measure(source, home / "sources", home / "stages")
    click.echo(table("Each stage alone", alone.rows()))
    one_version, one = program.disk_mib(), searches.median_ms(program)
    rows = [
        Row("full index", first.seconds, "s", "the stages above, one after the other").beside(alone.total),
        Row("peak memory, all processes", first.peak_mib, "MiB", "the text indexed").beside(alone.text_mib),
        Row("on disk", one_version, "MiB", "the text indexed").beside(alone.text_mib),
        Row("again, nothing changed", program.index(source).seconds, "s", "full index").beside(first.seconds),
    ]
    edited = checkout.make(source, home / "sources", home / "checkout")
    program.index(str(edited.folder), "--repository", first.repository)
    edited.change(20)
    changed = program.index(str(edited.folder), "--repository", first.repository)
    assert changed.updated == 20
    rows.append(Row("again, 20 files changed", changed.seconds, "s", "full index").beside(first.seconds))
    program.remove(first.repository, changed.ref)
    second = program.index(other)
    share = f"full index; {second.embedded / first.chunks:.0%} of its chunks are new"
    rows.append(Row("a second version", second.seconds, "s", share).beside(first.seconds))
    rows.append(Row("on disk, both versions", program.disk_mib(), "MiB", "one version").beside(one_version))
    rows.append(Row("warm search, median, both versions", searches.median_ms(program), "ms", "one version").beside(one))
    click.echo(table("The program, as people run it", rows))
    click.echo(table("Growth with the number of files", growth.rows(source, home / "sources", home / "growth")))


if __name__ == "__main__":
    main()
