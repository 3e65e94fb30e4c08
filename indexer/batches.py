"""Things of unequal size, one after the other, become lists of about equal size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Thing = TypeVar("Thing")


def batches(things: Iterable[Thing], size: Callable[[Thing], int], full: int) -> Iterator[list[Thing]]:
    """Lists of things in their order, each ended by the thing with which its size reaches `full`."""
    batch: list[Thing] = []
    total = 0
    for thing in things:
        batch.append(thing)
        total += size(thing)
        if total >= full:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch
