"""Prompts are files; exactly their variables are given, and what is given is not read as a template."""

from __future__ import annotations

from importlib.resources import files

import pytest

from bot.grounding import NOT_FOUND_MARKER
from prompts import render

VARIABLES = {
    "system": set[str](),
    "question": {"repository", "ref", "passages", "question"},
    "passage": {"number", "path", "lines", "symbol", "text"},
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


def test_the_system_prompt_says_how_to_decline_and_to_cite() -> None:
    assert NOT_FOUND_MARKER in render("system") and "[n]" in render("system")


def test_an_unknown_prompt_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        render("nothing")
