"""What is being worked on, a request or a message: its id, which its log lines and its record have in common, and
whether the time for it is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_current: Final[ContextVar[str | None]] = ContextVar("event", default=None)
_late: Final[ContextVar[Callable[[], bool]]] = ContextVar("late", default=lambda: False)


def current_event() -> str | None:
    return _current.get()


@contextmanager
def about_event(event: str) -> Iterator[None]:
    """Everything inside, also in tasks and threads that it starts, is about this event."""
    token = _current.set(event)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def ended_when(late: Callable[[], bool]) -> Iterator[None]:
    """Whoever ends what is inside when its time is over says so with this, since it ends as if its asker had left."""
    token = _late.set(late)
    try:
        yield
    finally:
        _late.reset(token)


def is_late() -> bool:
    """Whether the time for what is being worked on is over."""
    return _late.get()()
