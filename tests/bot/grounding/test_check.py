"""A claim is looked up: in the passages it cites, in those it does not, and in the index."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from bot.grounding.check import Check
from bot.grounding.claims import Claim, claim_of, code_claim
from bot.markdown import parse
from fakes.grounding import PASSAGES, knowledge, unknown

PLACES = {passage.path: place for place, passage in enumerate(PASSAGES)}
CONFIG, TUNING, SERVER = (PLACES[path] for path in ("tidepool/config.py", "docs/tuning.md", "tidepool/server.py"))


def claim(text: str) -> Claim:
    return claim_of([node for block in parse(text).children for node in block.children])


@pytest.fixture
def check() -> Check:
    return Check(knowledge())


def test_the_cited_passages_that_carry_a_claim_stay(check: Check) -> None:
    text = claim("At most 4096 requests wait.")
    assert check.places(text, [CONFIG + 1, SERVER + 1]) == [CONFIG, SERVER]
    assert check.places(text, [TUNING + 1, CONFIG + 1, 0, 99]) == [CONFIG]


def test_a_wrong_citation_is_replaced_by_the_right_one(check: Check) -> None:
    assert check.places(claim("The oldest pages are spilled to disk."), [PLACES["src/ring.rs"] + 1]) == [TUNING]
    assert check.places(claim("Gnomes dance all night long."), [1]) == [] and check.dropped == 1


def test_a_value_that_another_passage_holds_is_cited_from_there_too(check: Check) -> None:
    both = claim("Requests that wait at most are refused with status 429 by `--log-level`.")
    assert check.places(both, [SERVER + 1]) == []  # no other has the name and the value
    plain = claim("Beyond 4096 requests that wait at most, more are refused with status 429.")
    assert check.places(plain, [SERVER + 1]) == [SERVER, CONFIG]


def test_names_are_looked_up_once_in_the_passages_then_in_the_index() -> None:
    asked: list[set[str]] = []

    def look_up(names: Collection[str]) -> Collection[str]:
        asked.append(set(names))
        return unknown(names)

    check = Check(replace(knowledge(), unknown=look_up))
    for _ in range(2):
        assert check.exists(claim("`queue_limit`, `Reservoir` and `cli.py`")) is False
        assert check.exists(claim("`queue_limit` and `Reservoir`"))
    assert asked == [{"Reservoir", "/cli.py"}]


def test_a_name_of_the_question_that_is_nowhere_may_only_be_denied() -> None:
    check = Check(knowledge("Does --gnome-count limit requests?", missing=["--gnome-count"]))
    assert check.places(claim("`--gnome-count` does not exist, use `--queue-limit`."), [SERVER + 1]) == [SERVER]
    assert check.places(claim("`gnome_count` does not exist, use `--queue-limit`."), [SERVER + 1]) == [SERVER]
    assert check.places(claim("`--gnome-count` is like `--queue-limit`."), [SERVER + 1]) == []
    assert check.places(claim("`--elf-count` does not exist, use `--queue-limit`."), [SERVER + 1]) == []


def test_the_version_and_what_was_asked_may_be_named() -> None:
    known = replace(knowledge("Why do 12345 requests of my/job.py wait?"))
    check = Check(replace(known, origin=replace(known.origin, ref="v1.2.3")))
    said = "In {}, {} requests of `{}` wait at most, and more are refused."
    assert check.places(claim(said.format("1.2.3", "12345", "my/job.py")), [CONFIG + 1]) == [CONFIG]
    for other in (("1.2.4", "12345", "my/job.py"), ("1.2.3", "54321", "my/job.py"), ("1.2.3", "12345", "my/other.py")):
        assert check.places(claim(said.format(*other)), [CONFIG + 1]) == []


@pytest.mark.parametrize("text", ["Waiting requests", "To limit requests:", "`--queue-limit`", "Sehr kurz"])
def test_titles_are_about_what_was_asked_or_found(check: Check, text: str) -> None:
    assert check.harmless(claim(text)) == (text != "Sehr kurz")


@pytest.mark.parametrize(
    "text", ["Visit our gnome shop", "`--gnome`", "It takes 12345 requests", "https://evil.example"]
)
def test_others_are_not(check: Check, text: str) -> None:
    assert not check.harmless(claim(text))


@pytest.mark.parametrize(
    "text", ["Yes.", "No!", "Here is how:", "Yes, it does.", "In short:", "It is.", "Yes, requests wait."]
)
def test_what_says_nothing(check: Check, text: str) -> None:
    assert check.says_nothing(claim(text))


@pytest.mark.parametrize("text", ["Yes, gnomes dance.", "Requests wait.", "No, it is 16.", "Set `x_y`."])
def test_what_says_something(check: Check, text: str) -> None:
    assert not check.says_nothing(claim(text))


def test_code_illustrates_with_known_names_and_words(check: Check) -> None:
    assert check.is_example(code_claim("tidepool serve --spill-dir /tmp --queue-limit 5"))
    assert check.is_example(code_claim('curl http://localhost:70/v1/pools/main -d "spill"'))
    for code in (
        "tidepool serve --gnomes",
        "curl https://evil.example/pools",
        "buy cheap gnomes now",
        "x = spill_gnome()",
        "  ",
    ):
        assert not check.is_example(code_claim(code)), code


def test_code_is_cited_from_where_it_is(check: Check) -> None:
    code = code_claim("max_workers: int = 8\nqueue_limit: int = 4_096")
    assert check.code_place(code, [], []) == CONFIG == check.code_place(code, [TUNING + 1], [])
    assert check.code_place(code_claim("def gnome(): dance()"), [CONFIG + 1], []) is None
