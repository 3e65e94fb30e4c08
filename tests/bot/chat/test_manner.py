"""Whether a model is held to a schema is known from its name, or learned from what it says."""

from __future__ import annotations

import pytest

from bot.chat.manner import EXTRAS, SCHEMA, UNCITED_LIMIT, Manner, is_small
from bot.model import NOT_FOUND

NOTHING: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    "name", ["Qwen/Qwen2.5-Coder-0.5B-Instruct", "smollm2-135m-instruct", "Llama-3.2-1B", "x-1.7b"]
)
def test_small_models_are_known_by_their_names(name: str) -> None:
    assert is_small(name)


@pytest.mark.parametrize(
    "name", ["Qwen2.5-Coder-7B-Instruct", "Qwen3-30B-A3B", "Mixtral-8x7B", "gpt-5", "fake", "a1b2"]
)
def test_others_are_not(name: str) -> None:
    assert not is_small(name)


def test_settings_decide() -> None:
    assert Manner("on", "x-70B").form(NOTHING) == "statements"
    assert Manner("off", "x-0.5B").form(NOTHING) == "cited"
    assert Manner("auto", "x-0.5B").form(NOTHING) == "statements"
    assert Manner("auto", "x-70B").form(NOTHING) == "cited"


def test_a_model_that_cites_nothing_is_held_to_the_schema() -> None:
    manner = Manner("auto", "big")
    for text in ("It is 16.", NOT_FOUND, "It is 16 [1].", "It is 16.", "  "):
        manner.heard("cited", text, ignored=False)
    assert manner.form(NOTHING) == "cited"
    for _ in range(UNCITED_LIMIT - 1):
        manner.heard("cited", "It is 16.", ignored=False)
    assert manner.form(NOTHING) == "statements"


def test_off_stays_off() -> None:
    manner = Manner("off", "big")
    for _ in range(5):
        manner.heard("cited", "It is 16.", ignored=False)
    assert manner.form(NOTHING) == "cited"


def test_less_is_sent_at_each_attempt() -> None:
    assert list(Manner("on", "x").attempts()) == [NOTHING, {SCHEMA}, EXTRAS]
    assert list(Manner("off", "x").attempts()) == [NOTHING, EXTRAS]


def test_what_was_refused_is_not_sent_again() -> None:
    manner = Manner("on", "x")
    manner.accepted(frozenset({SCHEMA}))
    assert next(manner.attempts()) == {SCHEMA} and manner.form(next(manner.attempts())) == "cited"
    manner.accepted(EXTRAS)
    assert list(manner.attempts()) == [EXTRAS]


def test_a_schema_that_is_ignored_is_not_sent_again() -> None:
    manner = Manner("on", "x")
    manner.heard("statements", "It is 16.", ignored=True)
    assert next(manner.attempts()) == {SCHEMA}


def test_a_small_model_names_one_source_since_it_would_name_all_it_may() -> None:
    def most(model: str) -> int:
        schema = Manner("on", model).extras(NOTHING, 5, logprobs=False)[SCHEMA]["json_schema"]["schema"]
        return schema["properties"]["statements"]["items"]["properties"]["sources"]["maxItems"]

    assert most("x-0.5B") == 1 < most("x-70B")


def test_only_what_is_wanted_and_known_is_sent() -> None:
    assert Manner("off", "x").extras(NOTHING, 5, logprobs=True).keys() == EXTRAS - {SCHEMA}
    assert Manner("on", "x").extras(frozenset({"logprobs"}), 5, logprobs=True).keys() == {SCHEMA, "stream_options"}
    assert Manner("on", "x").extras(EXTRAS, 5, logprobs=True) == {}
