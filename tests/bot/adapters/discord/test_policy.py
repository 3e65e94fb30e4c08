"""Who may ask where, and until when."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.discord.policy import Config, Policy, admitted, configured, in_time, may_be_asked
from bot.adapters.discord.types import Ask, Heard

ASK = Ask(channel=2, guild=1, parent=None, message=9, author=7, name="Ada", text="why?")
IN_THREAD = replace(ASK, channel=3, parent=2)
DIRECT = replace(ASK, guild=None)
configs = st.builds(
    Config,
    repository=st.none() | st.just("a/b") | st.just("c/d"),
    ref=st.none() | st.just("v1"),
    threads=st.none() | st.booleans(),
    role=st.none() | st.integers(1, 3),
)


@pytest.mark.parametrize(
    ("ask", "policy", "expected"),
    [
        (ASK, Policy(), True),
        (ASK, Policy(guilds=frozenset({1})), True),
        (ASK, Policy(guilds=frozenset({4})), False),
        (ASK, Policy(channels=frozenset({2})), True),
        (ASK, Policy(channels=frozenset({4})), False),
        (IN_THREAD, Policy(channels=frozenset({2})), True),
        (IN_THREAD, Policy(channels=frozenset({3})), True),
        (ASK, Policy(guilds=frozenset({1}), channels=frozenset({4})), False),
        (ASK, Policy(denied=frozenset({1})), False),
        (ASK, Policy(denied=frozenset({2})), False),
        (IN_THREAD, Policy(denied=frozenset({2})), False),
        (ASK, Policy(denied=frozenset({7})), False),
        (ASK, Policy(denied=frozenset({9})), True),
        (DIRECT, Policy(), True),
        (DIRECT, Policy(direct=False), False),
        (DIRECT, Policy(guilds=frozenset({1})), True),
        (DIRECT, Policy(denied=frozenset({7})), False),
    ],
)
def test_may_be_asked(ask: Ask, policy: Policy, expected: bool) -> None:
    assert may_be_asked(ask, policy) is expected


@given(configs, configs, configs)
def test_the_nearest_choice_holds(near: Config, far: Config, farthest: Config) -> None:
    found = near.over(far).over(farthest)
    assert found == near.over(far.over(farthest))
    for name in ("repository", "ref", "threads", "role"):
        chosen = [getattr(one, name) for one in (near, far, farthest) if getattr(one, name) is not None]
        assert getattr(found, name) == (chosen[0] if chosen else None)


def test_what_was_kept() -> None:
    assert configured(None) == configured({}) == Config()
    assert configured({"repository": "a/b", "of a later version": 1}) == Config(repository="a/b")


def test_admitted() -> None:
    assert admitted(Config(), ()) and admitted(Config(role=3), {3, 4}) and not admitted(Config(role=3), {4})


@pytest.mark.parametrize(("minute", "expected"), [(0, True), (15, True), (16, False)])
def test_in_time(minute: int, expected: bool) -> None:
    times = {"written": "2026-01-05T10:00:00+00:00", "at": f"2026-01-05T10:{minute:02}:00+00:00"}
    empty = dict.fromkeys(Heard.__dataclass_fields__)
    assert in_time(Heard(**empty | times), Policy()) is expected  # type: ignore[arg-type]
