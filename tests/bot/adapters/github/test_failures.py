"""What GitHub refuses, and what is done about it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.github.failures import LONGEST_WAIT_S, MOST_TRIES, GitHubError, Kind, refused, wait_s

NOW = 1_800_000_000.0
SECONDARY = "You have exceeded a secondary rate limit."


@pytest.mark.parametrize(
    ("status", "headers", "message", "kind", "retry_after_s"),
    [
        (401, {}, "Bad credentials", "unauthorized", None),
        (403, {}, "Resource not accessible by integration", "forbidden", None),
        (403, {"retry-after": "3"}, SECONDARY, "limited", 3),
        (403, {}, SECONDARY, "limited", None),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000090"}, "exceeded", "limited", 91),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000000"}, "exceeded", "limited", 1),
        (403, {"x-ratelimit-remaining": "4000"}, "Forbidden", "forbidden", None),
        (429, {}, "slow down", "limited", None),
        (429, {"retry-after": "Wed, 21 Oct"}, "slow down", "limited", None),
        (404, {}, "Not Found", "gone", None),
        (410, {}, "This issue was deleted", "gone", None),
        (422, {}, "Validation Failed", "invalid", None),
        (408, {}, "Request Timeout", "unavailable", None),
        (500, {}, "oops", "unavailable", None),
        (503, {"retry-after": "30"}, "down", "unavailable", 30),
    ],
)
def test_kinds(status: int, headers: dict[str, str], message: str, kind: Kind, retry_after_s: float | None) -> None:
    error = refused(status, headers, message, NOW)
    assert (error.kind, error.retry_after_s, error.status) == (kind, retry_after_s, status)


@pytest.mark.parametrize(
    ("error", "waits"),
    [
        (GitHubError("limited", "", 403), [60, 120, 240]),
        (GitHubError("limited", "", 403, 5), [5, 5, 5]),
        (GitHubError("limited", "", 403, 99_999), [LONGEST_WAIT_S] * 3),
        (GitHubError("unavailable", "", 502), [2, 4, 8]),
        (GitHubError("unauthorized", "", 401), [0, None, None]),
        (GitHubError("forbidden", "", 403), [None] * 3),
        (GitHubError("gone", "", 404), [None] * 3),
        (GitHubError("invalid", "", 422), [None] * 3),
    ],
    ids=lambda value: value.kind if isinstance(value, GitHubError) else "",
)
def test_waits(error: GitHubError, waits: list[float | None]) -> None:
    assert [wait_s(error, tries) for tries in (1, 2, 3)] == waits


@given(st.sampled_from(["limited", "unavailable", "unauthorized", "forbidden", "gone", "invalid"]))
def test_no_wait_is_too_long_and_every_job_ends(kind: Kind) -> None:
    waits = [wait_s(GitHubError(kind, "", 500), tries) for tries in range(1, 30)]
    assert all(wait is None or wait <= LONGEST_WAIT_S for wait in waits)
    assert None in waits[: MOST_TRIES.get(kind, 1)]


def test_what_is_about_nothing() -> None:
    assert GitHubError("gone", "").is_about_nothing
    assert GitHubError("forbidden", "Unable to create comment because issue is locked.").is_about_nothing
    assert not GitHubError("forbidden", "Resource not accessible by integration").is_about_nothing
