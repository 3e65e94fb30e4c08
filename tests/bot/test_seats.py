"""Seats are let go when their process ends, on files and on PostgreSQL alike."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.seats import FileSeats, PostgresSeats, Seats

Making = Callable[[], Seats]
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

    def make() -> Seats:
        on_file = database_url.startswith("sqlite")
        seats.append(FileSeats(tmp_path) if on_file else PostgresSeats(database_url))
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
