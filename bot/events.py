"""The id of what is being worked on, a request or a message: what its log lines and its record have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_current: Final[ContextVar[str | None]] = ContextVar("event", default=None)


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
