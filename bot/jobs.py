"""Durable jobs, through DBOS on SQLite or PostgreSQL: what is added runs to its end once, whatever is killed meanwhile.

A job is a function of steps. A step that has ended is never run again: after a crash the job takes up at the next. What
lies between the steps must depend on nothing but their results.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar

from anyio.to_thread import run_sync
from dbos import DBOS, DBOSConfig, SetEnqueueOptions, SetWorkflowID

from bot.job import MOST_CRASHES, job_id, why_failed
from bot.seats import Seats
from bot.steps import Steps

log = logging.getLogger(__name__)

T = TypeVar("T")

# Which jobs a worker may take up that another version of the program left: raise it when the steps of a job change.
STEPS_VERSION: Final = "1"
POLL_S: Final = 0.2
ENDED: Final = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
MOST_FORGOTTEN: Final = 500


Work = Callable[[Steps, str], Coroutine[Any, Any, None]]
"""A job: its steps, and the key of what it is about."""


class Jobs:
    """The queue and its workers in this process. One at a time in a process: DBOS keeps its state in the module."""

    def __init__(self, url: str, seats: Seats, concurrency: int) -> None:
        self._url = url
        self._seats = seats
        self._concurrency = concurrency
        self._kinds: dict[str, Work] = {}

    def define(self, kind: str, work: Work) -> None:
        """Say what a kind of job does; before `start`."""
        self._kinds[kind] = work

    async def start(self) -> None:
        """Begin to work, and take up what this worker, or one that is gone, had begun."""
        seat = await run_sync(self._seats.take)
        logging.getLogger("dbos").setLevel(logging.WARNING)
        config = DBOSConfig(
            name="repopilot",
            system_database_url=self._url,
            application_version=STEPS_VERSION,
            executor_id=seat,
            log_level="WARNING",
        )
        DBOS(config=config)
        self._workflows = {kind: _workflow(kind, work) for kind, work in self._kinds.items()}
        DBOS.listen_queues([_queue(kind) for kind in self._kinds])  # what others do is not for us
        DBOS.launch()
        for kind in self._kinds:
            await DBOS.register_queue_async(
                _queue(kind),
                worker_concurrency=self._concurrency,
                partition_concurrency=1,
                polling_interval_sec=POLL_S,
            )
        await self.take_over()

    async def stop(self, patience_s: int = 0) -> None:
        """Stop after so many seconds at most; what is under way is taken up at the next start."""
        await run_sync(lambda: DBOS.destroy(workflow_completion_timeout_sec=patience_s, destroy_registry=True))
        await run_sync(self._seats.leave)

    async def add(self, kind: str, key: str, occasion: str) -> None:
        """See to it that a job runs once for a key and an occasion, after those of the same key that came before."""
        with SetWorkflowID(job_id(kind, key, occasion)), SetEnqueueOptions(queue_partition_key=f"{kind}:{key}"[:255]):
            await DBOS.enqueue_workflow_async(_queue(kind), self._workflows[kind], key)

    async def take_over(self) -> None:
        """Take up what workers had begun that are gone."""
        for seat in await run_sync(self._seats.vacant):
            await run_sync(DBOS._recover_pending_workflows, [seat])
            await run_sync(self._seats.give_back, seat)

    async def failed(self, kind: str, key: str, occasion: str) -> str | None:
        """Why a job will not go on: it raised, or its process died too often. None when it has not failed."""
        found = await DBOS.get_workflow_status_async(job_id(kind, key, occasion))
        return why_failed(found.status, found.error) if found else None

    async def under_way(self) -> dict[str, int]:
        """How many jobs are queued and running."""
        states = await DBOS.list_workflows_async(
            status=["ENQUEUED", "DELAYED", "PENDING"], load_input=False, load_output=False
        )
        running = sum(found.status == "PENDING" for found in states)
        return {"queued": len(states) - running, "running": running}

    def forget(self, days: float) -> None:
        """Delete what is left of jobs that ended more than so many days ago: the results of their steps, the words of
        questions and answers among them."""
        before = (datetime.now(UTC) - timedelta(days=days)).isoformat()
        while True:
            ended = DBOS.list_workflows(
                status=list(ENDED), completed_before=before, limit=MOST_FORGOTTEN, load_input=False, load_output=False
            )
            DBOS.delete_workflows([job.workflow_id for job in ended])
            if len(ended) < MOST_FORGOTTEN:
                return


def _queue(kind: str) -> str:
    return f"repopilot-{kind}"


class _Steps:
    async def run(self, name: str, act: Callable[..., Awaitable[T]], *arguments: Any) -> T:
        done: T = await DBOS.run_step_async({"name": name}, act, *arguments)  # type: ignore[call-overload]
        return done

    async def sleep(self, seconds: float) -> None:
        await DBOS.sleep_async(seconds)


def _workflow(kind: str, work: Work) -> Callable[[str], Coroutine[Any, Any, None]]:
    async def job(key: str) -> None:
        await work(_Steps(), key)

    return DBOS.workflow(name=kind, max_recovery_attempts=MOST_CRASHES)(job)
