"""Which worker a process is: a seat that it holds as long as it lives, so that others see at once when it is gone.

Seats are of a kind: whoever takes up what a worker left must be able to do the same jobs.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Protocol

import sqlalchemy as sa
from filelock import FileLock, Timeout

from indexer.errors import RepoPilotError

# More workers than anybody runs on one queue.
MOST: Final = 64
# Whoever sees after the vacant seats holds all of them meanwhile: some milliseconds each.
PATIENCE_S: Final = 10.0
RETRY_S: Final = 0.1


class NoSeat(RepoPilotError):
    """There are as many workers of a kind as there may be."""


class Seats(Protocol):
    """Numbered seats."""

    def take(self) -> str:
        """The name of ours. Raises NoSeat."""
        ...

    def vacant(self) -> list[str]:
        """The names of seats that nobody holds; they are ours to see after until given back."""
        ...

    def give_back(self, seat: str) -> None: ...

    def leave(self) -> None: ...


class FileSeats:
    """Seats of one machine: locked files in a folder, let go by the system when their process ends."""

    def __init__(self, folder: Path, kind: str = "worker", patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._folder = folder
        self._kind = kind
        self._held: dict[str, FileLock] = {}

    def take(self) -> str:
        self._folder.mkdir(parents=True, exist_ok=True)
        seats = [f"{self._kind}-{number}" for number in range(MOST)]
        return _first(lambda: (seat for seat in seats if self._lock(seat)), self._patience_s)

    def vacant(self) -> list[str]:
        known = sorted(path.stem for path in self._folder.glob(f"{self._kind}-*.lock"))
        return [seat for seat in known if seat not in self._held and self._lock(seat)]

    def give_back(self, seat: str) -> None:
        self._held.pop(seat).release()

    def leave(self) -> None:
        for seat in list(self._held):
            self.give_back(seat)

    def _lock(self, seat: str) -> bool:
        lock = FileLock(self._folder / f"{seat}.lock", thread_local=False)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return False
        self._held[seat] = lock
        return True


class PostgresSeats:
    """Seats of any number of machines: advisory locks, let go by PostgreSQL when their connection ends."""

    def __init__(self, url: str, kind: str = "worker", patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._kind = kind
        self._namespace = zlib.crc32(f"repopilot {kind}".encode()) & 0x7FFF_FFFF  # of all advisory locks there
        self._engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        self._connection: sa.Connection | None = None
        self._held: set[int] = set()

    def take(self) -> str:
        return _first(lambda: (self._name(number) for number in range(MOST) if self._lock(number)), self._patience_s)

    def vacant(self) -> list[str]:
        return [self._name(number) for number in range(MOST) if number not in self._held and self._lock(number)]

    def give_back(self, seat: str) -> None:
        number = int(seat.rpartition("-")[2])
        self._held.discard(number)
        self._open().execute(sa.select(sa.func.pg_advisory_unlock(self._namespace, number)))

    def leave(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None
        self._held.clear()

    def _name(self, number: int) -> str:
        return f"{self._kind}-{number}"

    def _open(self) -> sa.Connection:
        self._connection = self._connection or self._engine.connect()
        return self._connection

    def _lock(self, number: int) -> bool:
        got = bool(self._open().execute(sa.select(sa.func.pg_try_advisory_lock(self._namespace, number))).scalar_one())
        if got:
            self._held.add(number)
        return got


def _first(free: Callable[[], Iterator[str]], patience_s: float) -> str:
    """The first seat that is free, tried again for so many seconds. Raises NoSeat."""
    deadline = time.monotonic() + patience_s
    while (seat := next(free(), None)) is None:
        if time.monotonic() > deadline:
            raise NoSeat(f"{MOST} workers share this queue already; stop one, or give this one another database.")
        time.sleep(RETRY_S)
    return seat
