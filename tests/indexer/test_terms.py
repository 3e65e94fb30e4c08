from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.terms import LONGEST_COMPOUND, names, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("QKVParallelLinear", "qkv parallel linear qkvparallellinear"),
        ("--enable-chunked-prefill", "enable chunked prefill enable_chunked_prefill"),
        ("enable_chunked_prefill", "enable chunked prefill enable_chunked_prefill"),
        ("vllm:num_requests_running", "vllm num requests running vllm_num_requests_running"),
        ("std::vector", "std vector std_vector"),
        ("The scheduler waits.", "the scheduler waits"),
        ("scheduler.schedule()", "scheduler schedule"),
        ("__init__", "init"),
        ("HTTPServer2", "http server 2 httpserver2"),
        ("int8", "int 8 int8"),
        ("Größe", "größe"),
        ("naïve_guide", "naïve guide naïve_guide"),
        ("如何启用enable_chunked_prefill", "如何启用 enable chunked prefill 如何启用enable_chunked_prefill"),
        ("", ""),
        ("-- :: _ -", ""),
    ],
)
def test_text_becomes_terms_that_know_how_code_is_written(text: str, expected: str) -> None:
    assert terms(text) == expected.split()


@pytest.mark.parametrize("written", ["--max-num-batched-tokens", "max_num_batched_tokens", "MAX_NUM_BATCHED_TOKENS"])
def test_a_flag_meets_the_field_that_it_sets(written: str) -> None:
    assert terms(written)[-1] == "max_num_batched_tokens"


def test_terms_are_repeated_as_often_as_they_occur() -> None:
    assert terms("block block") == ["block", "block"]


def test_runs_that_nobody_types_are_left_out() -> None:
    assert terms(f"before {'0a1b2c3d' * 20} after") == ["before", "after"]
    assert terms("x" * LONGEST_COMPOUND) == ["x" * LONGEST_COMPOUND]


def test_names_are_identifiers_and_flags_as_they_are_written() -> None:
    assert names("Use --enable-chunked-prefill in LLMEngine.step(x_1), -tp 2") == {
        "Use", "--enable-chunked-prefill", "in", "LLMEngine", "step", "x_1", "-tp",
    }  # fmt: skip


@given(st.text())
def test_no_text_is_refused(text: str) -> None:
    assert all(term == term.lower() and term.split() == [term] for term in terms(text))
    assert all(name in text for name in names(text))


@given(st.text(), st.text())
def test_texts_side_by_side_have_the_terms_of_both(one: str, other: str) -> None:
    assert terms(f"{one} {other}") == terms(one) + terms(other)


@given(st.from_regex(r"[A-Za-z][a-z]{0,8}([-_][a-z]{1,8}){1,4}", fullmatch=True))
def test_a_flag_and_its_field_have_the_same_terms(flag: str) -> None:
    assert terms(f"--{flag}") == terms(flag.replace("-", "_")) == terms(flag)
