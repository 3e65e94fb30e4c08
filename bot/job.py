"""What a job is called in the queue, and why it failed: for the queue itself, and for who reads it without DBOS."""

from __future__ import annotations

from typing import Final

# A job that ends its process so often is not tried again.
MOST_CRASHES: Final = 5


def job_id(kind: str, key: str, occasion: str) -> str:
    """The name of the job of a kind about a key on an occasion; there is one of each name."""
    return f"{kind}:{key}#{occasion}"


def why_failed(status: str, error: BaseException | None) -> str | None:
    """Why a job with this status of DBOS's will not go on; None when it has not failed."""
    if status == "MAX_RECOVERY_ATTEMPTS_EXCEEDED":
        return f"the process ended {MOST_CRASHES} times while it ran"
    if status == "CANCELLED":
        return "cancelled"
    return f"{type(error).__name__}: {error}" if status == "ERROR" else None
