"""Seats are let go when their process ends, on files and on PostgreSQL alike."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.seats import MOST, PATIENCE_S, FileSeats, NoSeat, PostgresSeats, Seats

Making = Callable[..., Seats]
HOLD = "import sys; from bot.seats import *; seats = {made}; print(seats.take(), flush=True); sys.stdin.read()"


@pytest.fixture
def made(database_url: str, tmp_path: Path) -> str:
    """How to make seats, in Python."""
    if database_url.startswith("sqlite"):
        return f"FileSeats(__import__('pathlib').Path({str(tmp_path)!r}))"
    return f"PostgresSeats({database_url!r})"


@pytest.fixture
def making(database_url: str, tmp_path: Path) -> Iterator[Making]:
    seats: list[Seats] = []

    def make(patience_s: float = PATIENCE_S) -> Seats:
        on_file, how = database_url.startswith("sqlite"), ("worker", patience_s)
        seats.append(FileSeats(tmp_path, *how) if on_file else PostgresSeats(database_url, *how))
        return seats[-1]

    yield make
    for one in seats:
        one.leave()


def test_each_has_its_own_and_the_first_that_is_free(making: Making) -> None:
    first, second = making(), making()
    assert [first.take(), second.take()] == ["worker-0", "worker-1"]
    first.leave()
    assert making().take() == "worker-0"


def test_one_that_died_leaves_its_seat_to_others(making: Making, made: str) -> None:
    seats = making()
    other = subprocess.Popen([sys.executable, "-c", HOLD.format(made=made)], stdin=-1, stdout=-1, text=True)
    assert other.stdout and other.stdout.readline() == "worker-0\n"
    assert seats.take() == "worker-1"
    assert "worker-0" not in seats.vacant()
    other.kill()
    other.wait()
    vacant = seats.vacant()
    assert "worker-0" in vacant and "worker-1" not in vacant
    assert "worker-0" not in making().vacant()  # it is being seen after
    for seat in vacant:
        seats.give_back(seat)
    assert making().take() == "worker-0"


def test_one_that_starts_while_another_sees_after_the_seats_waits(making: Making) -> None:
    first = making()
    assert first.take() == "worker-0"
    others = [making() for _ in range(MOST - 1)]
    assert [other.take() for other in others] == [f"worker-{number}" for number in range(1, MOST)]
    with pytest.raises(NoSeat, match="64 workers share this queue already"):
        making(0).take()
    timer = threading.Timer(0.3, others[4].leave)
    timer.start()
    assert making().take() == "worker-5"
    timer.join()
