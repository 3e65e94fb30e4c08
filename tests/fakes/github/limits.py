"""How much a client may ask: the primary limit of a token, the secondary limit, and content created a minute.

https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field

from fakes.github.problems import Problem

HOURLY = 5_000
HOUR_S = 3_600
CREATING_PER_MINUTE = 80
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
PRIMARY = "API rate limit exceeded for installation ID 5550001."


@dataclass(slots=True)
class Limits:
    """Switches for tests; times are monotonic unless they are told to clients (epoch seconds).

    `creating_per_minute` is the content limit (GitHub's is 80), None without. `ignored` counts the requests that came
    while the client had been told to wait.
    """

    limit: int = HOURLY
    used: int = 0
    reset: float = field(default_factory=lambda: time.time() + HOUR_S)
    creating_per_minute: int | None = None
    ignored: int = 0
    _waiting_until: float = 0.0
    _refusal: Problem | None = None
    _created: deque[float] = field(default_factory=deque)

    def exhaust(self, seconds: float) -> None:
        """The primary limit is used up for that long."""
        self.used, self.reset = self.limit, time.time() + seconds

    def slow_down(self, seconds: float, *, status: int = 403, retry_after: bool = True) -> None:
        """The secondary limit holds for that long; a client is told how long, or not."""
        headers = {"Retry-After": str(max(1, round(seconds)))} if retry_after else {}
        self._waiting_until = time.monotonic() + seconds
        self._refusal = Problem(status, SECONDARY, headers=headers)

    def count(self) -> None:
        """Charge one request. Raises the Problem that refuses it."""
        now = time.time()
        if now >= self.reset:
            self.used, self.reset = 0, now + HOUR_S
        if self._refusal and time.monotonic() < self._waiting_until:
            self.ignored += 1
            raise self._refusal
        if self.used >= self.limit:
            self.ignored += 1
            raise Problem(403, PRIMARY)
        self.used += 1

    def count_content(self) -> None:
        """Charge one piece of content. Raises the Problem that refuses it."""
        now = time.monotonic()
        while self._created and self._created[0] < now - 60:
            self._created.popleft()
        if self.creating_per_minute is not None and len(self._created) >= self.creating_per_minute:
            wait = 60 - (now - self._created[0])
            raise Problem(403, SECONDARY, headers={"Retry-After": str(int(wait) + 1)})
        self._created.append(now)

    @property
    def remaining(self) -> int:
        return max(self.limit - self.used, 0)

    @property
    def headers(self) -> dict[str, str]:
        """What every response says about the primary limit."""
        counts = {"Limit": self.limit, "Remaining": self.remaining, "Used": self.used, "Reset": int(self.reset)}
        return {f"X-RateLimit-{name}": str(value) for name, value in counts.items()} | {"X-RateLimit-Resource": "core"}

    @property
    def document(self) -> dict[str, object]:
        """What `GET /rate_limit` says, which costs nothing."""
        core = {"limit": self.limit, "remaining": self.remaining, "used": self.used, "reset": int(self.reset)}
        resources = {"core": core, "search": core, "graphql": core}
        return {"resources": resources, "rate": core}
