"""What a job does its work through: steps whose results outlive a crash."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Steps(Protocol):
    """What lies between the steps of a job must depend on nothing but their results."""

    async def run(self, name: str, act: Callable[..., Awaitable[T]], *arguments: Any) -> T:
        """The result of a step, run now or before a crash. Results are kept: plain data only."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait, through crashes too, without waiting anew after each."""
        ...
