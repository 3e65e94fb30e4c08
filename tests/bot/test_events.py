"""What a log line is about, also where a job's steps are run elsewhere."""

from __future__ import annotations

from pathlib import Path

import anyio

from bot.events import about_event, current_event
from bot.jobs import Jobs
from bot.ledger import Ledger
from bot.seats import FileSeats
from bot.steps import Steps
from bot.subjects import Json, Subjects

KEY = "github:acme/engine:issue:1:2"


def test_an_event_holds_inside_and_in_what_is_started_there() -> None:
    seen: list[str | None] = []

    async def look() -> None:
        seen.append(current_event())
        seen.append(await anyio.to_thread.run_sync(current_event))

    async def work() -> None:
        with about_event("outer"):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(look)
                with about_event("inner"):
                    tasks.start_soon(look)
        seen.append(current_event())

    anyio.run(work)
    assert sorted(map(str, seen)) == ["None", "inner", "inner", "outer", "outer"]


def test_a_job_is_about_its_subject_and_not_about_what_queued_it(tmp_path: Path) -> None:
    url, seen = f"sqlite:///{tmp_path / 'jobs.sqlite'}", list[str | None]()
    ledger = Ledger(url)
    ledger.note(KEY, "acme/engine", "ada", "2026-01-05T10:00:00Z", "why?", {})

    async def act(steps: Steps, subject: Json) -> None:
        async def look() -> None:
            seen.append(current_event())
            seen.append(await anyio.to_thread.run_sync(current_event))

        await steps.run("look", look)

    async def work(steps: Steps, key: str) -> None:
        await Subjects(ledger).bring(steps, key, 0.0, act)

    async def main() -> None:
        jobs = Jobs(url, FileSeats(tmp_path / "seats"), 4)
        jobs.define("github", work)
        await jobs.start()
        try:
            with about_event("delivery-1"):
                await jobs.add("github", KEY, "1")
            with anyio.fail_after(20):
                while len(seen) < 2:
                    await anyio.sleep(0.02)
        finally:
            await jobs.stop()

    anyio.run(main)
    ledger.close()
    assert seen == [KEY, KEY]
