"""What Discord refuses, and what is done about it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.discord.failures import LONGEST_WAIT_S, MOST_TRIES, DiscordError, judged


@pytest.mark.parametrize(
    ("status", "code", "gone", "waits"),
    [
        (404, 10003, True, [None, None]),
        (404, 10008, True, [None, None]),
        (401, 50027, True, [None, None]),
        (400, 50083, True, [None, None]),
        (403, 50013, False, [None, None]),
        (403, 50001, False, [None, None]),
        (400, 50035, False, [None, None]),
        (401, 0, False, [None, None]),
        (429, 0, False, [2, 4, 8]),
        (500, 0, False, [2, 4, 8]),
        (503, 0, False, [2, 4, 8]),
        (0, 0, False, [2, 4, 8]),
        (403, 40058, False, [2, 4, 8]),
    ],
)
def test_judged(status: int, code: int, gone: bool, waits: list[float | None]) -> None:
    verdicts = [judged(DiscordError(status, code, "no"), tries) for tries in range(1, len(waits) + 1)]
    assert [verdict.wait_s for verdict in verdicts] == waits and {verdict.gone for verdict in verdicts} == {gone}


@given(st.sampled_from([0, 400, 401, 403, 404, 429, 500, 503]), st.sampled_from([0, 10003, 40058, 50013, 50027]))
def test_no_wait_is_too_long_and_every_job_ends(status: int, code: int) -> None:
    waits = [judged(DiscordError(status, code, "no"), tries).wait_s for tries in range(1, 30)]
    assert all(wait is None or wait <= LONGEST_WAIT_S for wait in waits)
    assert None in waits[:MOST_TRIES]
