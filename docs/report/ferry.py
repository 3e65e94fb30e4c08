"""An invented repository, and what people ask about it in two weeks: enough for an example of a report."""

from __future__ import annotations

from typing import Final

REPOSITORY: Final = "example-org/ferry"

FILES: Final = {
    "README.md": """# Ferry

Ferry carries jobs from your program to workers on other machines. A job is a Python function with its arguments; a
queue keeps it until a worker has done it.

## Quick start

Install it with `pip install ferry-jobs`, start a worker with `ferry worker`, and send a job with `ferry send`.
""",
    "docs/install.md": """# Installing

## Requirements

Ferry needs Python 3.11 or newer, on Linux or macOS. Windows works inside WSL only.

## From the package index

Run `pip install ferry-jobs`. For the Redis store add the extra: `pip install "ferry-jobs[redis]"`.

## From source

Clone the repository and run `pip install --editable .` in it. A Rust compiler is needed for the codec.
""",
    "docs/queues.md": """# Queues

## Choosing a queue

`ferry send --queue NAME` puts a job into a named queue. A worker takes jobs from those that `ferry worker --queues`
lists, the first of them first.

## Priorities

Jobs have a priority from 0 to 9, by default 5. Jobs of a higher priority are taken first; equal ones in the order in
which they came.

## Delayed jobs

`ferry send --delay SECONDS` keeps a job back for some seconds.
""",
    "docs/retries.md": """# Retries

## How often a job is tried

A job that raises is tried again up to `max_attempts` times, by default 3. The pause doubles each time and begins with
`backoff_s`, 2 seconds.

## Dead letters

A job that failed the last time goes to the dead-letter queue. `ferry dead list` shows them and `ferry dead retry` sends
them again.
""",
    "docs/workers.md": """# Workers

## Concurrency

`ferry worker --threads N` runs so many jobs at once in one process; the default is 4.

## Stopping a worker

On SIGTERM a worker takes no new jobs, finishes those that it has begun within `grace_s` (30 seconds), and exits.

## Memory

A worker restarts itself after `max_jobs` jobs, which keeps leaks in jobs from growing.
""",
    "docs/metrics.md": """# Metrics

`ferry worker --metrics-port PORT` serves Prometheus metrics: `ferry_jobs_total` by queue and outcome,
`ferry_job_seconds`, and `ferry_queue_length`.
""",
    "docs/docker.md": """# Docker

The image `example-org/ferry` runs a worker. Pass the address of the store in `FERRY_STORE`, such as
`redis://store:6379/0`. The image runs as user 1000 and writes nothing outside `/tmp`.
""",
    "docs/stores.md": """# Stores

## Redis

The default for several machines. `FERRY_STORE=redis://host:6379/0`. Redis 7 or newer.

## SQLite

For one machine: `FERRY_STORE=sqlite:///jobs.sqlite`. Workers on other machines cannot use it.
""",
    "ferry/retry.py": '''"""When a failed job is tried again."""

MAX_ATTEMPTS = 3
BACKOFF_S = 2.0


def pause_before(attempt: int, backoff_s: float = BACKOFF_S) -> float:
    """Seconds to wait before an attempt: the pause doubles with each."""
    return backoff_s * 2 ** (attempt - 2) if attempt > 1 else 0.0


def is_dead(attempt: int, max_attempts: int = MAX_ATTEMPTS) -> bool:
    """Whether a job that failed at this attempt goes to the dead-letter queue."""
    return attempt >= max_attempts
''',
    "ferry/worker.py": '''"""A worker takes jobs from queues and does them in threads."""

import signal
import threading

THREADS = 4
GRACE_S = 30.0


class Worker:
    """Runs jobs until it is told to stop."""

    def __init__(self, queues: list[str], threads: int = THREADS, grace_s: float = GRACE_S) -> None:
        self.queues = queues
        self.threads = threads
        self.grace_s = grace_s
        self.stopping = threading.Event()

    def listen(self) -> None:
        """Stop gracefully on SIGTERM."""
        signal.signal(signal.SIGTERM, lambda *_: self.stopping.set())

    def should_restart(self, jobs_done: int, max_jobs: int) -> bool:
        """Whether so many jobs are enough for one process."""
        return 0 < max_jobs <= jobs_done
''',
    "ferry/cli.py": '''"""The command line: ferry send, ferry worker, ferry dead."""

import argparse


def parser() -> argparse.ArgumentParser:
    """The arguments of every command."""
    made = argparse.ArgumentParser("ferry")
    commands = made.add_subparsers()
    send = commands.add_parser("send", help="put a job into a queue")
    send.add_argument("--queue", default="default")
    send.add_argument("--delay", type=float, default=0.0)
    send.add_argument("--priority", type=int, default=5)
    worker = commands.add_parser("worker", help="do jobs")
    worker.add_argument("--queues", default="default")
    worker.add_argument("--threads", type=int, default=4)
    worker.add_argument("--metrics-port", type=int)
    return made
''',
}

# How often each is asked in two weeks.
QUESTIONS: Final = {
    "How do I install ferry with the redis store?": 14,
    "Which python version is needed?": 12,
    "does it run on windows?": 8,
    "How often is a failed job tried again?": 16,
    "what is the default of max_attempts": 9,
    "how do I see jobs in the dead letter queue?": 11,
    "How many threads does a worker use by default?": 15,
    "what happens to running jobs when a worker gets SIGTERM?": 12,
    "How do I delay a job?": 11,
    "how to give a job a higher priority": 9,
    "Which prometheus metrics does a worker have?": 13,
    "does the docker image run as root?": 8,
    "Can two machines share the SQLite store?": 8,
    "how do I pass the address of the store to docker": 7,
    "Can I run a job every night, like cron?": 8,
    "cron schedule for jobs, e.g. every monday at 6": 6,
    "is there a periodic or scheduled job feature?": 4,
    "recurring jobs?": 3,
    "Is there a web dashboard for the queues?": 6,
    "web interface to look at failed jobs": 4,
    "admin page with login for the dashboard": 2,
    "Does it support PostgreSQL as a store?": 6,
    "postgres store, planned?": 3,
    "can I use RabbitMQ instead of redis": 3,
    "How do I encrypt the arguments of a job? My key is api_key=s3cr3t-Value-99": 2,
    "what does --auto-scale do?": 5,
    "ferry worker --auto-scale is not recognised": 2,
    "limit a queue to 10 jobs per minute": 3,
    "rate limit per queue?": 3,
    "job ran twice, is delivery exactly once? please mail me at kim@example.org": 4,
    "How do I cancel a job that is running?": 5,
    "kill a job that hangs": 3,
    "Wie installiere ich das unter Windows?": 2,
    "tell me a joke": 2,
    "hi": 2,
    "@example-org/maintainers please close this, fixes #12. Does ferry dead retry keep the priority?": 2,
}
COMMENTS: Final = {
    "Can I run a job every night, like cron?": "I need a schedule, not a delay.",
    "Does it support PostgreSQL as a store?": "It lists Redis and SQLite, so the answer is no. Say so!",
    "How do I cancel a job that is running?": "This is about stopping the worker, not a job.",
    "job ran twice, is delivery exactly once? please mail me at kim@example.org": "Nothing about delivery guarantees.",
    "how to give a job a higher priority": "Which flag?",
}
