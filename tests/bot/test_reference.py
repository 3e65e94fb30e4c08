"""What can be set is written down, and what is set is shown without its secrets."""

from __future__ import annotations

from pathlib import Path

from bot import reference
from bot.settings import load, unknown

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == reference.markdown(), "run: repopilot settings --markdown > docs/settings.md"


def test_every_setting_says_what_it_means() -> None:
    assert [s.variable for s in reference.settings() if not s.meaning] == []


def test_secrets_are_not_shown() -> None:
    values = load(
        home="h",
        api_token="hunter2",
        github_private_key="hunter2",
        database_url="postgresql://ada:hunter2@db/repopilot",
        exclude="a/,b/",
    )
    shown = {s.variable: reference.shown(s, values) for s in reference.settings()}
    assert "hunter2" not in " ".join(shown.values())
    assert shown["REPOPILOT_API_TOKEN"] == "set"
    assert shown["REPOPILOT_DATABASE_URL"] == "postgresql://…@db/repopilot"
    assert shown["REPOPILOT_EXCLUDE"] == "a/, b/"
    assert shown["REPOPILOT_GITHUB_TOKEN"] == shown["REPOPILOT_LLM_INSTRUCTIONS"] == "not set"


def test_a_variable_that_is_none_is_named_with_the_one_that_was_meant() -> None:
    names = ["REPOPILOT_API_TOKN", "repopilot_home", "REPOPILOT_COFFEE", "HOME", "REPOPILOT_LLM_URL"]
    assert unknown(names) == {"REPOPILOT_API_TOKN": "REPOPILOT_API_TOKEN", "REPOPILOT_COFFEE": None}
