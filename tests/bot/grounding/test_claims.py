"""What a sentence says, as it is looked up."""

from __future__ import annotations

import pytest

from bot.grounding.claims import Claim, claim_of, code_claim, content_words
from bot.markdown import parse


def claim(text: str) -> Claim:
    return claim_of([node for block in parse(text).children for node in block.children])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Set `--spill-dir` or max_workers.", {"--spill-dir", "max_workers"}),
        ("`--memory-share=0.7` and `--memory-share 0.7`", {"--memory-share"}),
        ("`PoolConfig.queue_limit` of `Ring::push_back()`", {"PoolConfig", "queue_limit", "Ring", "push_back"}),
        ("Call drain() or ring::Ring.", {"drain", "ring", "Ring"}),
        ('`submit("resize", {...})` and `dict[str, Page]`', {"submit", "dict"}),
        ("`serve` alone, `tidepool serve` not", {"serve"}),
        ('The policy is `"fifo"` or `None`, `True`, `self`', {"fifo"}),
        ("`-O3` and `-x`", {"-O3", "-x"}),
        ("`queue-limit` or `tidepool-server.main`", {"queue-limit", "tidepool-server", "main"}),
        ("All CPUs and IDs", set()),
        ("See src/ring.rs:12 and `docs/tuning.md`, or pool.py", {"src/ring.rs", "docs/tuning.md", "pool.py"}),
        ("`GET /v1/pools/{name}` and `/v1/pools/`", {"/v1/pools/{name}", "/v1/pools"}),
        ("`TIDEPOOL_HOME` is read", {"TIDEPOOL_HOME"}),
        ("`x + 1`, `16`, `*.py`, `<name>`", set()),
        ("https://example.org/my_repo/a_b.py names nothing", set()),
        ("`max_workers`は8です。`--spill-dir`を設定", {"max_workers", "--spill-dir"}),
        ("max_workersは8", {"max_workers"}),
        ("A plain sentence about caches.", set()),
    ],
)
def test_names(text: str, names: set[str]) -> None:
    assert claim(text).names == names


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It is 4,096 or `0.90`.", {"4096", "0.9"}),
        ("`max_workers = 8` of 3", {"8"}),
        ("上限は4096です", {"4096"}),
        ("On lines 40-51 of pool.py:12 there are 16", {"16"}),
    ],
)
def test_values(text: str, values: set[str]) -> None:
    assert claim(text).values == values


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("See `src/ring.rs:12`", {12}),
        ("See src/ring.rs:12-20 and line 30", {12, 20, 30}),
        ("lines 3 to 7, and pool.py#L9", {3, 7, 9}),
        ("localhost:8080 has 12 lines", set()),
    ],
)
def test_lines(text: str, lines: set[int]) -> None:
    assert claim(text).lines == lines


def test_addresses_are_claims_and_no_words() -> None:
    found = claim("Read https://example.org/gnomes, or www.example.org/elves.")
    assert found.urls == {"https://example.org/gnomes", "www.example.org/elves"}
    assert claim("Open http://localhost:70/a").urls == frozenset()
    assert not {"gnome", "elv"} & found.words


def test_words_that_say_nothing_are_left_out() -> None:
    assert content_words("There are some of these, because it does not use them") == frozenset()
    assert content_words("Blocks are evicted") == {"block", "evict"}
    assert {"swap", "spac", "swap_spac"} <= content_words("`--swap-space`")


@pytest.mark.parametrize(
    "text",
    [
        "`--gnome` does not exist.",
        "There is no `--gnome`.",
        "There’s no `--gnome`.",
        "`--gnome` isn't supported",
        "It is unknown.",
        "It was removed in 2.0.",
        "No such flag.",
    ],
)
def test_denials(text: str) -> None:
    assert claim(text).denies


@pytest.mark.parametrize("text", ["Use `--gnome` without fear.", "Set `--gnome` to none.", "Never forget `--gnome`."])
def test_what_denies_nothing(text: str) -> None:
    assert not claim(text).denies


@pytest.mark.parametrize(
    "text",
    [
        "The passages do not say how.",
        "The passages don't mention pricing.",
        "None of the passages describes it.",
        "This is not covered in the passages.",
        "The documentation does not explain it.",
    ],
)
def test_admissions(text: str) -> None:
    assert claim(text).admits


@pytest.mark.parametrize("text", ["The code does not evict.", "The passages say so.", "The cache does not contain it."])
def test_what_admits_nothing(text: str) -> None:
    assert not claim(text).admits


@pytest.mark.parametrize("text", ["What now?", "Why? ", "*Really?*", "何ですか？", '"Is it?"'])
def test_questions(text: str) -> None:
    assert claim(text).asks


def test_a_sentence_is_telling_with_a_name_a_value_or_some_words() -> None:
    assert claim("`x_y`").telling and claim("It is 16.").telling and claim("Old pages spill to disk.").telling
    assert not claim("It does so.").telling and not claim("Blocks hold tokens.").telling


def test_code_claims_what_it_names_but_not_what_it_defines() -> None:
    code = """
import os
my_client = Client(base_url="http://localhost:70", queue_limit=3)
for my_item in my_client.all_items():
    def on_done(the_result, other_thing=None):
        print(the_result, other_thing)
first_one, second_one = my_client.pair_of()
export TIDEPOOL_HOME=/tmp
tidepool serve --spill-dir x
"""
    found = code_claim(code)
    assert found.names == {"base_url", "queue_limit", "all_items", "pair_of", "TIDEPOOL_HOME", "--spill-dir"}
    assert found.urls == frozenset() == found.values and found.code
    assert code_claim("x\n  curl https://x.example/a http://localhost:70\n").urls == {
        "curl https://x.example/a http://localhost:70"
    }


def test_long_texts_take_no_longer_than_they_are() -> None:
    for piece in (
        "a_b ",
        "a/",
        "a.",
        "x::",
        "not a ",
        "the passages do not ",
        "http://x ",
        "a=1 = ",
        "def f(",
        ":1",
        "line ",
    ):
        claim(piece * (20_000 // len(piece)))
        code_claim(piece * (20_000 // len(piece)))
