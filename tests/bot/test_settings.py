"""Settings come from the environment and a .env file; whatever is wrong is named at once, and secrets never are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.settings import SettingsError, load

SECRET = "hunter2-very-secret"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("REPOPILOT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def complaint(monkeypatch: pytest.MonkeyPatch, **settings: str) -> str:
    for name, value in settings.items():
        monkeypatch.setenv(f"REPOPILOT_{name}", value)
    with pytest.raises(SettingsError) as caught:
        load()
    return str(caught.value)


def test_nothing_needs_to_be_set() -> None:
    settings = load()
    assert settings.home.name == "repopilot" and settings.home.is_absolute()
    assert (settings.llm_url, settings.api_token, settings.exclude) == (None, None, ())


def test_every_wrong_setting_is_named_in_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {
        "LLM_TIMEOUT_S": "soon",
        "LLM_CONCURRENCY": "0",
        "LLM_CONTEXT_TOKENS": "12",
        "PER_CLIENT_PER_MINUTE": "-3",
        "LLM_URL": "localhost:8000/v1",
        "CHROMA_URL": "http://[",
    }
    message = complaint(monkeypatch, **wrong)
    assert all(f"REPOPILOT_{name} " in message for name in wrong)
    assert "\n" not in message and "http://" in message and "pydantic" not in message


def test_what_belongs_together_is_named_beside_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    message = complaint(monkeypatch, LLM_URL="http://x/v1", EMBEDDER_URL="http://y/v1", LLM_QUEUE="many")
    assert "REPOPILOT_LLM_MODEL is missing, since REPOPILOT_LLM_URL is set" in message
    assert "REPOPILOT_EMBEDDER is missing, since REPOPILOT_EMBEDDER_URL is set" in message
    assert "REPOPILOT_LLM_QUEUE" in message


def test_a_request_takes_longer_than_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    message = complaint(monkeypatch, LLM_TIMEOUT_S="120", REQUEST_TIMEOUT_S="120")
    assert "REPOPILOT_REQUEST_TIMEOUT_S should be longer than REPOPILOT_LLM_TIMEOUT_S, which is 120" in message
    monkeypatch.setenv("REPOPILOT_REQUEST_TIMEOUT_S", "121")
    assert load().request_timeout_s == 121


def test_a_model_needs_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "REPOPILOT_LLM_URL" in complaint(monkeypatch, LLM_MODEL="m")


def test_an_embedder_alone_is_a_local_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPOPILOT_EMBEDDER", "all-MiniLM-L6-v2")
    assert load().embedder == "all-MiniLM-L6-v2"


def test_empty_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "LLM_URL", "LLM_MODEL", "LLM_TIMEOUT_S", "API_TOKEN", "EXCLUDE", "PER_CLIENT_PER_MINUTE"):
        monkeypatch.setenv(f"REPOPILOT_{name}", "")
    assert load() == load().model_copy() and load().llm_timeout_s == 90 and load().api_token is None


@pytest.mark.parametrize("name", ["API_TOKEN", "LLM_API_KEY", "EMBEDDER_API_KEY"])
def test_secrets_are_never_shown(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(f"REPOPILOT_{name}", SECRET)
    assert SECRET not in repr(load()) and SECRET not in str(load()) and SECRET not in repr(load().model_dump())
    secret = getattr(load(), name.lower())
    assert secret.get_secret_value() == SECRET
    assert SECRET not in complaint(monkeypatch, LLM_QUEUE="many", LLM_URL=f"ftp://me:{SECRET}@host/")


def test_patterns_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPOPILOT_EXCLUDE", "docs/archive/*, *.lock,,")
    assert load().exclude == ("docs/archive/*", "*.lock")


def test_an_address_loses_its_last_slash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPOPILOT_CHROMA_URL", "https://chroma.example:8443/")
    assert load().chroma_url == "https://chroma.example:8443"


def test_a_dotenv_file_is_read_and_the_environment_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("REPOPILOT_LLM_QUEUE=5\nREPOPILOT_REF='v1'\nOTHER=x\n")
    monkeypatch.setenv("REPOPILOT_REF", "v2")
    assert (load().llm_queue, load().ref) == (5, "v2")


def test_a_dotenv_file_that_is_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"REPOPILOT_REF=\xff\xfe")
    with pytest.raises(SettingsError, match=r"\.env"):
        load()


def test_settings_come_from_a_folder_of_secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "repopilot_api_token").write_text(SECRET + "\n")
    (tmp_path / "repopilot_llm_queue").write_text("7")
    monkeypatch.setenv("REPOPILOT_SECRETS_DIR", str(tmp_path))
    monkeypatch.setenv("REPOPILOT_LLM_QUEUE", "8")
    settings = load()
    assert settings.api_token and settings.api_token.get_secret_value() == SECRET
    assert settings.llm_queue == 8


def test_a_folder_of_secrets_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "no folder" in complaint(monkeypatch, SECRETS_DIR=str(tmp_path / "gone"))


@pytest.mark.parametrize("origin", ["https://docs.example.org/guide", "https://*.example.org", "docs.example.org"])
def test_sites_of_the_widget_are_origins(origin: str) -> None:
    assert load(widget_origins="https://a.example, http://localhost:8000").widget_origins == (
        "https://a.example",
        "http://localhost:8000",
    )
    with pytest.raises(SettingsError, match="REPOPILOT_WIDGET_ORIGINS should be origins"):
        load(widget_origins=origin)


def test_hosts_are_names() -> None:
    assert load(hosts="Bot.example.org, bot").hosts == ("bot.example.org", "bot")
    for wrong in ("https://bot.example.org", "bot:8080", "*.example.org"):
        with pytest.raises(SettingsError, match="REPOPILOT_HOSTS should be names"):
            load(hosts=wrong)
