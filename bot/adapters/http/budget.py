"""How many requests anybody may still send, counted in this process, in a window of a minute that moves."""

from __future__ import annotations

import ipaddress
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter

from bot.adapters.http.problem import Problem

WINDOW_S: Final = 60
# What one provider gives one customer (RFC 6177): whoever has it has 2^64 addresses.
_CUSTOMER: Final = 64


@dataclass(frozen=True, slots=True)
class Quota:
    """So many requests a minute: of a `client` (a key, or an address without one), or of an `address` whatever key it
    shows."""

    policy: Literal["client", "address"]
    who: str
    amount: int


@dataclass(frozen=True, slots=True)
class Charge:
    """What a request was charged: `refusal` when it was too much; the headers say what is left."""

    refusal: Problem | None = None
    headers: dict[str, str] = field(default_factory=dict)


class Budget:
    def __init__(self) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    async def charge(self, quotas: Sequence[Quota]) -> Charge:
        """Count a request against each quota, up to the first that has none left.

        The headers are those of draft-ietf-httpapi-ratelimit-headers-10: `RateLimit-Policy` with quota and window,
        `RateLimit` with what remains and the seconds until there is more.
        """
        policies, standings = list[str](), list[str]()
        refusal = None
        for quota in quotas:
            item = RateLimitItemPerMinute(quota.amount, namespace=quota.policy)
            granted = await self._limiter.hit(item, quota.who)
            window = await self._limiter.get_window_stats(item, quota.who)
            seconds = max(1, math.ceil(window.reset_time - time.time()))
            policies.append(f'"{quota.policy}";q={quota.amount};w={WINDOW_S}')
            standings.append(f'"{quota.policy}";r={max(0, window.remaining)};t={seconds}')
            if not granted:
                refusal = spent(quota, seconds)
                break
        headers = {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(standings)} if policies else {}
        return Charge(refusal, headers)


def spent(quota: Quota, seconds: int) -> Problem:
    """What a client is told that has none left for so many seconds."""
    of = " from one address" if quota.policy == "address" else ""
    message = f"More than {quota.amount} requests a minute{of}; ask again in {seconds} s."
    return Problem(429, "rate_limited", message, {"Retry-After": str(seconds)})


def network_of(host: str) -> str:
    """Whom an address stands for: itself, or with IPv6 its network of 64 bits. What is no address stands for itself."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), _CUSTOMER), strict=False))
