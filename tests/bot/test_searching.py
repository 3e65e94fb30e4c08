"""Searches take turns: as many at once as there are cores, first come, first served, in each event loop."""

from __future__ import annotations

import asyncio
import threading
import time

from bot.searching import CORES, on_a_core


def test_no_more_at_once_than_there_are_cores_and_each_comes_in_its_turn() -> None:
    lock, running, most, order = threading.Lock(), 0, 0, list[int]()

    def work(number: int) -> int:
        nonlocal running, most
        with lock:
            order.append(number)
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1
        return number

    async def many() -> list[int]:
        return await asyncio.gather(*(on_a_core(work, number) for number in range(4 * CORES)))

    for _ in range(2):  # a second loop has its own
        order.clear()
        assert asyncio.run(many()) == list(range(4 * CORES))
        assert all(abs(place - number) < CORES for place, number in enumerate(order))
    assert most == CORES
