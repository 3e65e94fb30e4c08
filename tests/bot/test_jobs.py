"""Jobs through the real DBOS, on SQLite and on PostgreSQL; what a crash does is in `github/test_chaos.py` as well."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from bot.jobs import Jobs
from bot.ledger import Ledger
from bot.seats import FileSeats, PostgresSeats, Seats
from bot.steps import Steps
from bot.worker import Worker

PATIENCE_S = 20.0
CRASHING = """
import anyio, os, sys
from pathlib import Path
from bot.jobs import Jobs
from bot.seats import FileSeats, PostgresSeats
url, folder = sys.argv[1], Path(sys.argv[2])
async def note(name):
    with (folder / "steps").open("a") as file:
        file.write(name + "\\n")
    return name
async def work(steps, key):
    await steps.run("one", note, "one")
    await steps.run("two", note, "two")
    os._exit(9)
async def main():
    seats = FileSeats(folder / "seats") if url.startswith("sqlite") else PostgresSeats(url)
    jobs = Jobs(url, seats, 4)
    jobs.define("work", work)
    await jobs.start()
    await jobs.add("work", "key", "1")
    await anyio.sleep(20)
anyio.run(main)
"""


def seats(url: str, folder: Path) -> Seats:
    return FileSeats(folder / "seats") if url.startswith("sqlite") else PostgresSeats(url)


@asynccontextmanager
async def started(url: str, folder: Path, work: Callable[[Steps, str], Awaitable[None]]) -> AsyncIterator[Jobs]:
    jobs = Jobs(url, seats(url, folder), 4)
    jobs.define("work", work)  # type: ignore[arg-type]
    await jobs.start()
    try:
        yield jobs
    finally:
        await jobs.stop()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    with anyio.fail_after(PATIENCE_S):
        while not await condition():
            await anyio.sleep(0.02)


async def idle(jobs: Jobs) -> None:
    async def nothing() -> bool:
        return sum((await jobs.under_way()).values()) == 0

    await until(nothing)


def test_once_for_a_key_and_an_occasion(database_url: str, tmp_path: Path) -> None:
    done: list[str] = []

    async def work(steps: Steps, key: str) -> None:
        async def note() -> str:
            done.append(key)
            return key

        assert await steps.run("note", note) == key

    async def main() -> None:
        async with started(database_url, tmp_path, work) as jobs:
            for key, occasion in (("a", "1"), ("a", "1"), ("b", "1"), ("a", "2")):
                await jobs.add("work", key, occasion)
            await idle(jobs)
        async with started(database_url, tmp_path, work) as jobs:
            await jobs.add("work", "a", "1")  # after a restart too
            await idle(jobs)

    anyio.run(main)
    assert sorted(done) == ["a", "a", "b"]


def test_of_one_key_one_at_a_time(database_url: str, tmp_path: Path) -> None:
    running: dict[str, int] = {}
    most: dict[str, int] = {}

    async def work(steps: Steps, key: str) -> None:
        running[key] = running.get(key, 0) + 1
        most["all"] = max(most.get("all", 0), sum(running.values()))
        most[key] = max(most.get(key, 0), running[key])
        await anyio.sleep(0.3)
        running[key] -= 1

    async def main() -> None:
        async with started(database_url, tmp_path, work) as jobs:
            for key, occasion in (("a", "1"), ("a", "2"), ("b", "1"), ("c", "1")):
                await jobs.add("work", key, occasion)
            await idle(jobs)

    anyio.run(main)
    assert most["a"] == 1 and most["all"] > 1


def test_a_failure_is_told(database_url: str, tmp_path: Path) -> None:
    async def work(steps: Steps, key: str) -> None:
        raise ValueError("no such thing")

    async def main() -> None:
        async with started(database_url, tmp_path, work) as jobs:
            await jobs.add("work", "a", "1")
            await idle(jobs)
            assert await jobs.failed("work", "a", "1") == "ValueError: no such thing"
            assert await jobs.failed("work", "a", "2") is None

    anyio.run(main)


def test_a_crash_is_taken_up_after_the_last_step(database_url: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", CRASHING, database_url, str(tmp_path)]
    assert subprocess.run(command, check=False, timeout=60).returncode == 9
    assert (tmp_path / "steps").read_text() == "one\ntwo\n"
    told: list[str] = []

    async def work(steps: Steps, key: str) -> None:
        async def never() -> str:
            raise AssertionError("a step that had ended ran again")

        async def note(name: str) -> str:
            told.append(name)
            return name

        assert [await steps.run("one", never), await steps.run("two", never)] == ["one", "two"]
        await steps.run("three", note, "three")

    async def main() -> None:
        async with started(database_url, tmp_path, work) as jobs:
            await idle(jobs)

    anyio.run(main)
    assert told == ["three"]


def test_another_worker_takes_up_what_one_left(database_url: str, tmp_path: Path) -> None:
    """The one that died had the second seat, which nobody takes again."""
    first = seats(database_url, tmp_path)
    assert first.take() == "worker-0"
    command = [sys.executable, "-c", CRASHING, database_url, str(tmp_path)]
    assert subprocess.run(command, check=False, timeout=60).returncode == 9
    first.leave()
    done: list[str] = []

    async def work(steps: Steps, key: str) -> None:
        async def note(name: str) -> str:
            done.append(name)
            return name

        for name in ("one", "two", "three"):
            await steps.run(name, note, name)

    async def main() -> None:
        async with started(database_url, tmp_path, work) as jobs:
            await idle(jobs)

    anyio.run(main)
    assert done == ["three"]


def test_the_sweep_queues_what_was_only_noted_and_sets_aside_what_failed(database_url: str, tmp_path: Path) -> None:
    ledger = Ledger(database_url)
    for key in ("work:good", "work:bad"):
        ledger.note(key, "acme/engine", "ada", "2026-01-05T10:00:00Z", "why?", {"text": "why?"})

    async def work(steps: Steps, key: str) -> None:
        if key == "work:bad":
            raise ValueError("no such thing")
        ledger.settle(key, 1, None, None)

    async def main() -> None:
        jobs = Jobs(database_url, seats(database_url, tmp_path), 4)
        jobs.define("work", work)
        worker = Worker(jobs, ledger, sweep_s=0.1)
        async with worker.running():

            async def aside() -> bool:
                return (await worker.counts())["set_aside"] == 1

            await until(aside)

    anyio.run(main)
    again = Ledger(database_url)
    assert [(s.key, s.reason) for s in again.put_aside()] == [("work:bad", "ValueError: no such thing")]
    assert again.open() == []
    again.close()
    ledger.close()


@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_sleep_is_for_so_long(database_url: str, tmp_path: Path, seconds: float) -> None:
    took: list[float] = []

    async def work(steps: Steps, key: str) -> None:
        start = anyio.current_time()
        await steps.sleep(seconds)
        took.append(anyio.current_time() - start)

    async def main() -> None:
        async with started(database_url, tmp_path, work) as jobs:
            await jobs.add("work", "a", "1")
            await idle(jobs)

    anyio.run(main)
    assert took[0] >= seconds
