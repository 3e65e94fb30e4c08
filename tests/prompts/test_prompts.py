"""Prompts are files; exactly their variables are given, and what is given is not read as a template."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from bot.model import NOT_FOUND
from prompts import render

VARIABLES = {
    "system": {"form"},
    "cited": set[str](),
    "statements": set[str](),
    "question": {"repository", "ref", "passages", "thread", "question"},
    "passage": {"number", "path", "lines", "symbol", "text"},
    "thread": {"turns", "left_out"},
    "turn": {"role", "author", "text"},
    "standalone": set[str](),
    "follow_up": {"thread", "question"},
}


def test_every_file_is_a_prompt_that_is_used() -> None:
    names = {file.name.removesuffix(".md") for file in files("prompts").iterdir() if file.name.endswith(".md")}
    assert names == VARIABLES.keys()


@pytest.mark.parametrize("name", VARIABLES)
def test_a_prompt_takes_exactly_its_variables(name: str) -> None:
    given = {variable: f"<{variable}>" for variable in VARIABLES[name]}
    text = render(name, **given)
    assert all(value in text for value in given.values()) and text == text.strip()
    with pytest.raises(ValueError, match=f"prompt {name} takes"):
        render(name, **given, more="x")
    for variable in given:
        with pytest.raises(ValueError, match=f"prompt {name} takes"):
            render(name, **{other: "x" for other in given if other != variable})


def test_what_is_given_is_no_template() -> None:
    hostile = "$number ${text} $$ $ %s {x}"
    assert hostile in render("passage", number="1", path="p", lines="1-2", symbol="s", text=hostile)


def test_the_rules_say_how_to_decline_and_to_cite() -> None:
    assert NOT_FOUND in render("cited") and "[n]" in render("cited")
    assert '"answerable"' in render("statements") and '"sources"' in render("statements")


def test_no_rule_holds_a_number_that_a_model_could_copy() -> None:
    for name in ("system", "cited", "statements", "standalone"):
        assert not re.search(r"\[\d", render(name, **dict.fromkeys(VARIABLES[name], "")))


def test_an_unknown_prompt_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        render("nothing")
