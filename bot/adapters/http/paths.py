"""What a path asks of whoever sends a request to it: the one table of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

# A question, its history and much room: what is larger is a mistake or an attack.
LARGEST_BODY: Final = 64 * 1024
# Chat front ends send whole conversations, coding agents whole files.
LARGEST_CONVERSATION: Final = 1024 * 1024
# GitHub caps its deliveries at 25 MB.
LARGEST_DELIVERY: Final = 25 * 1024 * 1024

Access = Literal["open", "signed", "page", "keyed"]
"""open: no key, no charge. signed: the route checks a signature; no key, no charge, any type of body. page: a key,
where there are any, but for the page when it is open to everybody. keyed: a key, where there are any."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What holds for a path and everything below it. `method`: for that method alone; `largest` body in bytes; `local`:
    without keys it answers as if the service listened on this machine alone (see rebinding.py)."""

    path: str
    access: Access
    method: str | None = None
    largest: int = LARGEST_BODY
    local: bool = False

    def covers(self, method: str, path: str) -> bool:
        below = self.path != "/" and path.startswith(f"{self.path}/")
        return (path == self.path or below) and self.method in (None, method)


TABLE: Final = (
    Rule("/healthz", "open"),
    Rule("/readyz", "open"),
    Rule("/openapi.json", "open"),
    Rule("/", "open", "GET"),
    Rule("/embed", "open", "GET"),
    Rule("/widget.js", "open", "GET"),
    Rule("/assets", "open", "GET"),
    Rule("/webhooks/github", "signed", largest=LARGEST_DELIVERY),
    Rule("/metrics", "keyed"),
    Rule("/v1", "keyed", largest=LARGEST_CONVERSATION),
    Rule("/mcp", "keyed", largest=LARGEST_CONVERSATION, local=True),
)
ELSE: Final = Rule("", "page")


def rule_of(method: str, path: str) -> Rule:
    return next((rule for rule in TABLE if rule.covers(method, path)), ELSE)
