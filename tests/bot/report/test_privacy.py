from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.report.privacy import private, shortened
from indexer.masking import MASK

OURS = "kept-in-the-environment"


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("mail ada.lovelace+x@example.org now", f"mail {MASK} now"),
        ("api_key=s3cr3t-Value-99 fails", f"api_key={MASK} fails"),
        ("--api-key tok3n-12345678? no: --api-key=tok3n-12345678", f"--api-key tok3n-12345678? no: --api-key={MASK}"),
        ("Authorization: Bearer abc123def456", f"Authorization: Bearer {MASK}"),
        ('{"password": "hunter2000"}', f'{{"password": "{MASK}"}}'),
        ("hf_aBcD1eFgH2iJkL3mNoP4qRsT5uVwX6yZa7b", f"hf_{MASK}"),
        ("key Zk3Lq9TxV2mB7nRw4YpS8dFh1G", f"key {MASK}"),
        ("it runs on 93.184.216.34:8000", f"it runs on {MASK}:8000"),
        ("/home/ada/models and C:\\Users\\Ada\\x", f"/home/{MASK}/models and C:\\Users\\{MASK}\\x"),
        (f"it says {OURS}!", f"it says {MASK}!"),
        ("two\nlines\u202e\x1b[2J", "two lines"),
    ],
)
def test_what_is_nobody_elses_business_is_masked(said: str, left: str) -> None:
    assert private(said, {OURS}) == left


@pytest.mark.parametrize(
    "said",
    [
        "what does max_tokens do? token is missing, password: required",
        "Qwen2.5-Coder-7B-Instruct and Llama4ForConditionalGeneration",
        "version 0.8.5.1 on 127.0.0.1:8000 and 10.0.0.7, cublas==12.4.5.8",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "install ferry@1.2.3",
    ],
)
def test_what_a_question_needs_stays(said: str) -> None:
    assert private(said) == said


@given(st.text())
def test_one_line_and_no_more_the_second_time(said: str) -> None:
    once = private(said)
    assert "\n" not in once and private(once) == once


def test_a_long_text_is_cut_between_characters() -> None:
    assert shortened("a" * 10, 10) == "a" * 10
    assert shortened("👩‍👩‍👧" * 5, 3) == "👩‍👩‍👧" * 2 + "…"
