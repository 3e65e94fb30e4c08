"""What is deleted after its time, and what never is; on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
import sqlalchemy as sa

from bot.app import App
from bot.history import Record
from bot.jobs import Jobs
from bot.ledger import FOR_GOOD, Ledger
from bot.retention import Retention
from bot.seats import FileSeats, PostgresSeats
from bot.settings import load
from bot.steps import Steps

OLD = Record("old", "2020-01-05T10:00:00+00:00", "http", None, "why?", None, "Busy")
PATIENCE_S = 20.0


async def until(condition: Callable[[], bool]) -> None:
    with anyio.fail_after(PATIENCE_S):
        while not condition():
            await anyio.sleep(0.02)


def test_the_ledger_forgets_what_is_settled_and_nothing_else(database_url: str) -> None:
    ledger = Ledger(database_url)
    for key in ("github:settled", "github:open", "github:aside", "github:again"):
        ledger.note(key, "acme/engine", "ada", "2026-01-05T10:00:00Z", "why?", {})
    ledger.settle("github:settled", 1, {"id": 1}, "a1")
    ledger.settle("github:again", 1, {"id": 2}, "a2")
    ledger.note("github:again", "acme/engine", "ada", "2026-01-05T10:05:00Z", "why not?", {})
    ledger.set_aside("github:aside", 1, "forbidden")
    for kept in ("discord:config:7", "discord:latest:7"):
        ledger.keep(kept, "something")
    assert ledger.forget(1) == 0 and ledger.subject("github:settled") and ledger.kept("discord:latest:7")
    assert ledger.forget(0) == 1
    assert ledger.subject("github:settled") is None and ledger.kept("discord:latest:7") is None
    assert ledger.counts() == {"open": 2, "set_aside": 1}
    assert ledger.kept("discord:config:7") == "something"
    ledger.close()


def test_what_is_left_of_jobs_goes_and_those_under_way_go_on(database_url: str, tmp_path: Path) -> None:
    lite, done = database_url.startswith("sqlite"), anyio.Event()
    seats = FileSeats(tmp_path / "seats") if lite else PostgresSeats(database_url)
    jobs = Jobs(database_url, seats, 4)

    async def answer(steps: Steps, key: str) -> None:
        async def draft() -> str:
            return f"the zebra of {key}"

        async def wait() -> None:
            await done.wait()

        await steps.run("draft", draft)
        if key == "slow":
            await steps.run("wait", wait)

    def remembered() -> set[str]:
        """The jobs whose steps' results are stored."""
        engine = sa.create_engine(database_url)
        with engine.connect() as connection:
            table = "operation_outputs" if lite else "dbos.operation_outputs"
            found = set(connection.execute(sa.text(f"SELECT workflow_uuid FROM {table}")).scalars())
        engine.dispose()
        return found

    async def main() -> None:
        jobs.define("work", answer)
        await jobs.start()
        try:
            for key in ("quick", "slow"):
                await jobs.add("work", key, "1")
            await until(lambda: remembered() == {"work:quick#1", "work:slow#1"})
            while (await jobs.under_way())["running"] != 1:
                await anyio.sleep(0.05)
            await anyio.to_thread.run_sync(jobs.forget, 1)
            assert len(remembered()) == 2
            await anyio.to_thread.run_sync(jobs.forget, 0)
            assert remembered() == {"work:slow#1"}
            done.set()
            while (await jobs.under_way())["running"]:
                await anyio.sleep(0.05)
            assert await jobs.failed("work", "slow", "1") is None
        finally:
            await jobs.stop()

    anyio.run(main)


def test_a_store_that_fails_keeps_no_other_from_forgetting(caplog: pytest.LogCaptureFixture) -> None:
    asked: list[float] = []

    def broken(days: float) -> None:
        raise OSError("no connection")

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Retention(90, [broken, asked.append], every_s=0.01).keep)
            await until(lambda: len(asked) > 1)
            tasks.cancel_scope.cancel()

    anyio.run(main)
    assert asked[0] == 90 and "no connection" in caplog.text


@pytest.mark.parametrize("with_jobs", [False, True])
def test_a_service_forgets_when_it_starts(tmp_path: Path, with_jobs: bool) -> None:
    """Also where no surface makes jobs."""
    github = {"github_webhook_secret": "hook-secret-42", "github_token": "ghp_none", "github_url": "http://127.0.0.1:9"}
    app = App(load(home=str(tmp_path), **(github if with_jobs else {})))
    app.history.record(OLD)
    service = app.http()
    assert (app.worker is not None) == with_jobs

    async def main() -> None:
        async with service.router.lifespan_context(service):
            await until(lambda: not list(app.history.records("", FOR_GOOD)))

    anyio.run(main)
