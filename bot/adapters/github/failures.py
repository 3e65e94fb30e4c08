"""What GitHub refused, and what to do about it: try again and when, or not at all. Pure functions.

https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from bot.insisting import Verdict

Kind = Literal["limited", "unauthorized", "forbidden", "gone", "invalid", "unavailable"]

# "wait for at least one minute before retrying", then "an exponentially increasing amount of time"
SECONDARY_WAIT_S: Final = 60.0
FIRST_WAIT_S: Final = 2.0
LONGEST_WAIT_S: Final = 3_600.0
# With doubling waits this is about a quarter of an hour of an outage; limits say themselves how long they last.
MOST_TRIES: Final = {"limited": 12, "unavailable": 9, "unauthorized": 2}


class GitHubError(Exception):
    """A request that failed; `retry_after_s` when GitHub said so."""

    def __init__(self, kind: Kind, message: str, status: int = 0, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.message = message
        self.status = status
        self.retry_after_s = retry_after_s

    @property
    def is_about_nothing(self) -> bool:
        """Whether what the request was about is gone, or closed to everybody."""
        return self.kind == "gone" or (self.kind == "forbidden" and "locked" in self.message.lower())


def judged(error: Exception, tries: int) -> Verdict:
    """What to do after a try that failed, the `tries`-th of the same."""
    assert isinstance(error, GitHubError)
    return Verdict(None, gone=True) if error.is_about_nothing else Verdict(wait_s(error, tries))


def wait_s(error: GitHubError, tries: int) -> float | None:
    """Seconds to wait after a try that failed, the `tries`-th of the same; None: give up."""
    if tries >= MOST_TRIES.get(error.kind, 1):
        return None
    if error.retry_after_s is not None:
        return min(error.retry_after_s, LONGEST_WAIT_S)
    if error.kind == "unauthorized":
        return 0.0  # the token had run out; the next is fresh
    first = SECONDARY_WAIT_S if error.kind == "limited" else FIRST_WAIT_S
    return min(first * float(2 ** (tries - 1)), LONGEST_WAIT_S)


def refused(status: int, headers: Mapping[str, str], message: str, now: float) -> GitHubError:
    """The error that a response stands for; `now` in seconds since 1970, header names in lower case."""
    text = f"GitHub answered {status}: {message}"
    if status in (403, 429) and (limit := _limit(status, headers, message, now)) is not False:
        return GitHubError("limited", text, status, limit)
    kinds: Mapping[int, Kind] = {401: "unauthorized", 403: "forbidden", 404: "gone", 410: "gone", 451: "gone"}
    kind = kinds.get(status, "unavailable" if status >= 500 or status == 408 else "invalid")
    return GitHubError(kind, text, status, _seconds(headers))


def _limit(status: int, headers: Mapping[str, str], message: str, now: float) -> float | Literal[False] | None:
    """How long a limit lasts, None when it does not say; False when the response is about none."""
    if (seconds := _seconds(headers)) is not None:
        return seconds
    if headers.get("x-ratelimit-remaining") == "0" and (reset := headers.get("x-ratelimit-reset", "")).isdecimal():
        return max(1.0, float(reset) - now + 1)
    return None if status == 429 or "rate limit" in message.lower() else False


def _seconds(headers: Mapping[str, str]) -> float | None:
    told = headers.get("retry-after", "")
    return float(told) if told.isdecimal() else None
