"""What is being worked on, a request or a message: its id, which its log lines and its record have in common, and until
when there is time for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_current: Final[ContextVar[str | None]] = ContextVar("event", default=None)
# uvloop's timers go by a clock that stands still while a step is taken, and so may be milliseconds ahead.
_AHEAD_S: Final = 0.05
_until: Final[ContextVar[float]] = ContextVar("until", default=float("inf"))


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
def within(seconds: float) -> Iterator[None]:
    """Whoever ends what is inside after so many seconds says so with this, since it ends as if its asker had left."""
    token = _until.set(time.monotonic() + seconds - _AHEAD_S)
    try:
        yield
    finally:
        _until.reset(token)


def is_late() -> bool:
    """Whether the time for what is being worked on is over."""
    return time.monotonic() >= _until.get()
