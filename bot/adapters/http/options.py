"""How the service is to behave: values that the composition root decides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from starlette.types import Receive, Scope, Send

from bot.history import History
from bot.keys import Keyring
from bot.model import Readiness

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

    from bot.lines import LineReader
    from bot.observing import ObservedAnswerer

# Proxies commonly end connections that are silent for 30 to 60 seconds.
PING_S = 15.0
# A body of 1 MiB over a bad mobile connection (0.5 Mbit/s).
BODY_TIMEOUT_S = 20.0
# What a request may take beside its model's time: for its turn at the model, the search before and the checks after.
BESIDE_THE_MODEL_S = 60.0
REQUEST_TIMEOUT_S = 90.0 + BESIDE_THE_MODEL_S


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


class Endpoint(Protocol):
    """What answers at an address of its own, in its own protocol."""

    def running(self) -> AbstractAsyncContextManager[None]: ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...


class Metrics(Protocol):
    """What counts requests, and tells what was counted."""

    def request(self, method: str, route: str, status: int, seconds: float) -> None: ...

    async def exposition(self, accept: str) -> tuple[bytes, str]:
        """Everything, in the format that an Accept header asks for, and its media type."""
        ...


class Model(Protocol):
    """The language model, as `/status` shows it."""

    @property
    def name(self) -> str: ...

    async def ready(self) -> Readiness: ...


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What the web page answers with. `widget_origins` are the sites that may show it in a frame; none: no widget."""

    answerer: ObservedAnswerer
    lines: LineReader
    widget_origins: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """`api_token` None: open to everybody. `embedder` is the name that `/status` shows. `chat` answers at `/v1`; None:
    what answers elsewhere does. `local`: it listens on this machine alone, and without keys answers by `hosts` and the
    machine's own names only. `beside` goes on as long as the service runs. Sizes in bytes."""

    api_token: str | None
    per_client_per_minute: int | None
    embedder: str | None = None
    model: Model | None = None
    github: Hook | None = None
    worker: Worker | None = None
    chat: ObservedAnswerer | None = None
    mcp: Endpoint | None = None
    ping_s: float = PING_S
    keys: Keyring | None = None
    history: History | None = None
    attempts_url: str | None = None
    local: bool = False
    hosts: Collection[str] = ()
    per_address_per_minute: int | None = None
    page_open: bool = False
    body_timeout_s: float = BODY_TIMEOUT_S
    request_timeout_s: float = REQUEST_TIMEOUT_S
    page: PageOptions | None = None
    metrics: Metrics | None = None
    tracer_provider: TracerProvider | None = None
    beside: Sequence[Callable[[], Coroutine[Any, Any, None]]] = ()
