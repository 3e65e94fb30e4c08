"""Names in answers: found wherever they are written, and let pass where their absence is told."""

from __future__ import annotations

import pytest

from bot.evaluation.markup import pieces
from bot.evaluation.naming import written

MADE_UP = ("--fly-high", "fly_high", "FLY_HIGH", "flyHigh", "src/fly/high.py")


def faults(text: str, question: str = "", unknown: tuple[str, ...] = MADE_UP) -> list[str]:
    return written(pieces(text), question).faults(unknown)


@pytest.mark.parametrize("name", MADE_UP)
@pytest.mark.parametrize(
    "sentence", ["Set {} to go.", "Set `{}`.", "- item **{}**", "| a |\n|---|\n| `{}` |", "```\nx {}\n```"]
)
def test_an_unknown_name_is_a_fault_wherever_it_is_written(name: str, sentence: str) -> None:
    assert faults(sentence.format(name)) == [name]


@pytest.mark.parametrize(
    "sentence",
    [
        "`--fly-high` does not exist in this version.",
        "There is no `--fly-high` here; nearest: `--fly-low`.",
        "`--fly-high` occurs nowhere in acme/demo at v1.",
        "The flag `--fly-high` was removed.",
        "`--fly-high` isn't a flag of it.",
        "I found nothing about `--fly-high`.",
    ],
)
def test_a_name_whose_absence_is_told_is_none(sentence: str) -> None:
    assert faults(sentence) == []
    assert faults(f"{sentence} Something else. Set `flyHigh`, please.") == ["flyHigh"]


def test_a_sentence_with_some_other_no_in_it_tells_nothing() -> None:
    assert faults("Do not forget to set `--fly-high`.") == ["--fly-high"]


def test_known_names_and_words_are_counted_but_no_faults() -> None:
    found = written(pieces("Call `Cache.get_all` with max_len, as src/cache/all.py does. It's OK."), "")
    assert set(found.names) == {"get_all", "max_len", "src/cache/all.py"} and found.faults(()) == []


def test_paths_that_the_question_writes_are_the_askers_own() -> None:
    assert faults("Look into src/fly/high.py.", question="my src/fly/high.py fails") == []
    assert faults("Set fly_high.", question="what is fly_high?") == ["fly_high"]


def test_code_may_name_things_of_its_own_but_no_arguments() -> None:
    assert faults("```python\nfly_high = 1\nuse(fly_high)\n```") == []
    assert faults("```python\nuse(\n    fly_high=1,\n)\n```") == ["fly_high"]
    assert faults("```bash\nexport FLY_HIGH=1\n```") == ["FLY_HIGH"]
    assert faults("Set `fly_high = 1`.") == ["fly_high"]


def test_addresses_are_no_names() -> None:
    assert written(pieces("See https://x.example/fly_high/all.py now"), "").names == []
