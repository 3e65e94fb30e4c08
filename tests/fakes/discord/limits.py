"""How much a client may ask: a bucket for each route and place, the global limit, and the ban for invalid requests.

https://discord.com/developers/docs/topics/rate-limits
"""

from __future__ import annotations

import hashlib
import math
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from fakes.discord.problems import Problem

GLOBAL_PER_S = 50
INVALID_MAX, INVALID_WINDOW_S = 10_000, 600.0
INVALID = (401, 403, 429)
OTHERWISE = (50, 1.0)
# Discord publishes no numbers, since they may change; these are what its headers have said.
RATES: Mapping[str, tuple[int, float]] = {
    "POST /channels/{channel_id}/messages": (5, 5.0),
    "PATCH /channels/{channel_id}/messages/{message_id}": (5, 5.0),
    "DELETE /channels/{channel_id}/messages/{message_id}": (5, 1.0),
    "PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me": (1, 0.25),
    "POST /channels/{channel_id}/typing": (5, 5.0),
    "POST /channels/{channel_id}/messages/{message_id}/threads": (50, 300.0),
    "PUT /applications/{application_id}/commands": (5, 20.0),
    "POST /webhooks/{application_id}/{token}": (5, 2.0),
    "PATCH /webhooks/{application_id}/{token}/messages/{which}": (5, 5.0),
}
# An answer to an interaction is in no bucket, and its routes do not count towards the global limit.
UNLIMITED = ("POST /interactions/",)
NOT_GLOBAL = ("POST /interactions/", "POST /webhooks/", "PATCH /webhooks/", "GET /webhooks/", "DELETE /webhooks/")
VIA = {"Via": "1.1 google"}
BANNED = "<html><title>Access denied | discord.com used Cloudflare to restrict access</title></html>"


@dataclass(slots=True)
class Bucket:
    """So many requests in a window that begins with the first; `reset_at` is monotonic."""

    limit: int
    per_s: float
    used: int = 0
    reset_at: float = 0.0

    def take(self, now: float) -> bool:
        """Whether there was room for one more."""
        if now >= self.reset_at:
            self.used, self.reset_at = 0, now + self.per_s
        if self.used >= self.limit:
            return False
        self.used += 1
        return True


@dataclass(slots=True)
class Limits:
    """Switches for tests. `rates` are by route as the documentation writes it; `refused` counts the answers of 429.

    `ignored` are the requests that came for a bucket which had told the client to wait.
    """

    rates: dict[str, tuple[int, float]] = field(default_factory=lambda: dict(RATES))
    global_per_s: int = GLOBAL_PER_S
    invalid_max: int = INVALID_MAX
    refused: int = 0
    ignored: int = 0
    _buckets: dict[tuple[str, str], Bucket] = field(default_factory=dict)
    _told: dict[tuple[str, str], float] = field(default_factory=dict)
    _requests: deque[float] = field(default_factory=deque)
    _invalid: deque[float] = field(default_factory=deque)

    @property
    def invalid(self) -> int:
        """The invalid requests of the last ten minutes."""
        _forget(self._invalid, INVALID_WINDOW_S)
        return len(self._invalid)

    @property
    def banned(self) -> bool:
        return self.invalid >= self.invalid_max

    def count(self, route: str, major: str) -> dict[str, str]:
        """Charge one request; returns the headers of its answer. Raises the Problem that refuses it."""
        now = time.monotonic()
        if not route.startswith(NOT_GLOBAL):
            _forget(self._requests, 1.0)
            if len(self._requests) >= self.global_per_s:
                raise self._refusal(self._requests[0] + 1.0 - now, "global", {})
            self._requests.append(now)
        if route.startswith(UNLIMITED):
            return {}
        key = (route, major)
        bucket = self._buckets.setdefault(key, Bucket(*self.rates.get(route, OTHERWISE)))
        room = bucket.take(now)
        headers = _headers(route, bucket, now)
        if not room:
            self.ignored += now < self._told.get(key, 0.0)
            self._told[key] = bucket.reset_at
            raise self._refusal(bucket.reset_at - now, "user", headers)
        return headers

    def count_answer(self, status: int, scope: str = "") -> None:
        """Count an invalid request; a shared limit is nobody's fault."""
        if status in INVALID and scope != "shared":
            self._invalid.append(time.monotonic())

    def _refusal(self, seconds: float, scope: str, headers: Mapping[str, str]) -> Problem:
        self.refused += 1
        about = {"Retry-After": str(math.ceil(seconds)), "X-RateLimit-Scope": scope, **headers}
        if scope == "global":
            about["X-RateLimit-Global"] = "true"
        more = {"retry_after": round(seconds, 3), "global": scope == "global"}
        return Problem(429, 0, "You are being rate limited.", headers=about, more=more)


def _headers(route: str, bucket: Bucket, now: float) -> dict[str, str]:
    left = math.ceil(max(bucket.reset_at - now, 0.0) * 1_000) / 1_000  # never a moment too early
    return {
        "X-RateLimit-Limit": str(bucket.limit),
        "X-RateLimit-Remaining": str(bucket.limit - bucket.used),
        "X-RateLimit-Reset": f"{time.time() + left:.3f}",
        "X-RateLimit-Reset-After": f"{left:.3f}",
        "X-RateLimit-Bucket": hashlib.blake2s(route.encode(), digest_size=16).hexdigest(),
    }


def _forget(moments: deque[float], window_s: float) -> None:
    while moments and moments[0] <= time.monotonic() - window_s:
        moments.popleft()
