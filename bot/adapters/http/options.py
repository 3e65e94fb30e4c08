"""How the service is to behave: values that the composition root decides."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from bot.model import Readiness

# A question, its history and much room: what is larger is a mistake or an attack.
LARGEST_BODY = 64 * 1024
# Proxies commonly end connections that are silent for 30 to 60 seconds.
PING_S = 15.0


# GitHub caps its deliveries at 25 MB.
LARGEST_DELIVERY = 25 * 1024 * 1024


class Hook(Protocol):
    """Where a platform's deliveries go."""

    async def receive(self, headers: Mapping[str, str], body: bytes) -> tuple[int, Mapping[str, Any]]:
        """The status and JSON body to answer with; header names in lower case."""
        ...


class Worker(Protocol):
    """What works on jobs while the service runs."""

    def running(self) -> AbstractAsyncContextManager[None]: ...

    async def counts(self) -> Mapping[str, int]:
        """How many jobs are queued and running, and were set aside."""
        ...


class Model(Protocol):
    """The language model, as `/status` shows it."""

    @property
    def name(self) -> str: ...

    async def ready(self) -> Readiness: ...


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """`api_token` None: open to everybody. `embedder` is the name that `/status` shows. Sizes in bytes."""

    api_token: str | None
    per_client_per_minute: int | None
    embedder: str | None = None
    model: Model | None = None
    github: Hook | None = None
    worker: Worker | None = None
    largest_body: int = LARGEST_BODY
    ping_s: float = PING_S
