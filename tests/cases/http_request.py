"""How a case's request is sent: once or often, one after the other or all at once, to the end or hung up early."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from cases.builders import BODY_KEYS, body_bytes
from cases.http_observation import Exchange
from cases.program import CannotRunError
from cases.sse import events

DISCONNECTS = frozenset({"disconnect_after_events", "disconnect_after_s", "disconnect_after_bytes"})
FIELDS = frozenset(
    {"method", "path", "headers", "params", "stream", "repeat", "concurrency", "concurrent", "action", "delay_s"}
    | DISCONNECTS
    | set(BODY_KEYS)
)
RESPONSE_LIMIT_S = 120.0
NO_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=0)


def demand_known(request: Mapping[str, Any]) -> None:
    """Raise CannotRunError for a field or an action that this driver would pass over."""
    if unknown := sorted(request.keys() - FIELDS):
        raise CannotRunError(f"unknown request field {unknown[0]}")
    if request.get("action", "start") != "start":
        raise CannotRunError(f"unknown action {request['action']}")


def exchanges(
    url: str, request: Mapping[str, Any], between: Callable[[], None], before_disconnect: Callable[[], None]
) -> list[Exchange]:
    """Every response to a case's request; `between` runs between repeated ones, never beside one."""
    with httpx.Client(base_url=url, timeout=RESPONSE_LIMIT_S, limits=NO_LIMITS, trust_env=False) as client:
        if concurrency := request.get("concurrency") or request.get("concurrent"):
            return _at_once(client, request, concurrency)
        received = []
        for number in range(request.get("repeat", 1)):
            if number:
                between()
                time.sleep(request.get("delay_s", 0))
            received.append(exchange(client, request, before_disconnect))
        return received


def _at_once(client: httpx.Client, request: Mapping[str, Any], concurrency: int) -> list[Exchange]:
    """All requests leave together: each waits for the last thread to be ready."""
    ready = threading.Barrier(concurrency)

    def send(_: int) -> Exchange:
        ready.wait()
        return exchange(client, request)

    with ThreadPoolExecutor(concurrency) as pool:
        return list(pool.map(send, range(concurrency)))


def exchange(
    client: httpx.Client, request: Mapping[str, Any], before_disconnect: Callable[[], None] = lambda: None
) -> Exchange:
    """One request and what came back. A connection that breaks is an observation too: status 0 and the reason."""
    started = time.monotonic()
    arguments: dict[str, Any] = {"headers": request.get("headers"), "params": request.get("params")}
    try:
        with client.stream(
            request.get("method", "GET"), request["path"], content=body_bytes(request), **arguments
        ) as response:
            body, hung_up = _read(response, request, started)
            if hung_up:
                before_disconnect()
        seconds = time.monotonic() - started
        return Exchange(response.status_code, dict(response.headers), body, seconds, disconnected=hung_up)
    except httpx.HTTPError as error:
        return Exchange(0, seconds=time.monotonic() - started, failure=f"{type(error).__name__}: {error}")


def _read(response: httpx.Response, request: Mapping[str, Any], started: float) -> tuple[str, bool]:
    """The body as far as the case reads it, and whether it hangs up before the end."""
    data = b""
    for piece in response.iter_bytes():
        data += piece
        if _enough(data, request, time.monotonic() - started):
            return data.decode("utf-8", "replace"), True
    return data.decode("utf-8", "replace"), False


def _enough(data: bytes, request: Mapping[str, Any], seconds: float) -> bool:
    if not request.keys() & DISCONNECTS:
        return False
    progress: dict[str, float] = {
        "disconnect_after_events": sum(1 for _ in events(data.decode("utf-8", "replace"))),
        "disconnect_after_bytes": len(data),
        "disconnect_after_s": seconds,
    }
    return any(name in request and reached >= request[name] for name, reached in progress.items())
