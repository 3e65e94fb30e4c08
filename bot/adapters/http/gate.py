"""Who may ask, how often, how much and in which form: decided from the headers, before a body is parsed."""

from __future__ import annotations

import hmac
import math
import time

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.adapters.http.options import LARGEST_DELIVERY, HttpOptions
from bot.adapters.http.problem import Problem, Refused

# For probes and for reading up on the service: no token, no charge.
OPEN_PATHS = frozenset({"/healthz", "/readyz", "/openapi.json"})

# Deliveries are signed: no token, no charge, and the platform's own size and types.
HOOK_PATHS = frozenset({"/webhooks/github"})

UNAUTHORIZED = Problem(
    401,
    "unauthorized",
    "Send the token of this service as `Authorization: Bearer TOKEN`.",
    {"WWW-Authenticate": 'Bearer realm="repopilot"'},
)
UNSUPPORTED = Problem(415, "unsupported_media_type", "Send JSON, with `Content-Type: application/json`.")


class Gate:
    """ASGI middleware that lets through what may be answered."""

    def __init__(self, app: ASGIApp, options: HttpOptions) -> None:
        self._app = app
        self._token = options.api_token.encode() if options.api_token else None
        self._budget = Budget(options.per_client_per_minute)
        self._largest = options.largest_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        if scope["path"] in HOOK_PATHS:
            if problem := _oversized(headers, LARGEST_DELIVERY):
                return await problem.response()(scope, receive, send)
            return await self._app(scope, _limited(receive, LARGEST_DELIVERY), send)
        if problem := await self._problem(scope, headers):
            return await problem.response()(scope, receive, send)
        return await self._app(scope, _limited(receive, self._largest), send)

    async def _problem(self, scope: Scope, headers: Headers) -> Problem | None:
        """Why the request is refused. A wrong token is charged to its address, so that guessing takes for ever."""
        authorized = self._token is None or _authorized(headers, self._token)
        named = authorized and self._token is not None
        client = "token" if named else f"address {(scope.get('client') or ('unknown',))[0]}"
        return (
            await self._budget.charge(client)
            or (None if authorized else UNAUTHORIZED)
            or _oversized(headers, self._largest)
            or _mistyped(scope, headers)
        )


class Budget:
    """Requests a client may still send, in a window of a minute that moves."""

    def __init__(self, per_minute: int | None) -> None:
        self._limit = RateLimitItemPerMinute(per_minute) if per_minute else None
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    async def charge(self, client: str) -> Problem | None:
        if self._limit is None or await self._limiter.hit(self._limit, client):
            return None
        until = (await self._limiter.get_window_stats(self._limit, client)).reset_time
        seconds = max(1, math.ceil(until - time.time()))
        message = f"More than {self._limit.amount} requests a minute; ask again in {seconds} s."
        return Problem(429, "rate_limited", message, {"Retry-After": str(seconds)})


def _authorized(headers: Headers, token: bytes) -> bool:
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode("latin-1"), token)


def _too_large(largest: int) -> Problem:
    return Problem(413, "too_large", f"The body is larger than {largest // 1024} KiB.")


def _oversized(headers: Headers, largest: int) -> Problem | None:
    declared = headers.get("content-length", "")
    return _too_large(largest) if declared.isdecimal() and int(declared) > largest else None


def _mistyped(scope: Scope, headers: Headers) -> Problem | None:
    """A body without a type is taken for JSON, unless a page sent it: browsers let any page send such a body here."""
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    if scope["method"] != "POST" or not has_body:
        return None
    declared = headers.get("content-type")
    if declared is None:
        return UNSUPPORTED if "origin" in headers else None
    kind = declared.partition(";")[0].strip().lower()
    is_json = kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
    return None if is_json else UNSUPPORTED


def _limited(receive: Receive, largest: int) -> Receive:
    """The same messages, until a body that did not say its length turns out too large. Raises Refused then."""
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > largest:
            raise Refused(_too_large(largest))
        return message

    return counted
