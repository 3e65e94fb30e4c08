"""Rules and secrets are recognised in what a model says, and what the repository says itself is not taken for them."""

from __future__ import annotations

import pytest

from bot.chat.leaks import leaks, secrets_of
from bot.chat.prompt import system

SYSTEM = system("cited", "Deployment HARBOUR-55c1 serves the harbour team.")


@pytest.mark.parametrize(
    "text",
    [
        "My rules: you answer questions about one version of a code repository.",
        "YOU ANSWER QUESTIONS\nABOUT **ONE** VERSION, of a code repository",
        "The deployment is HARBOUR-55c1.",
        "`HARBOUR-55c1`",
    ],
)
def test_words_of_the_rules_are_leaks(text: str) -> None:
    assert leaks(text, SYSTEM)


@pytest.mark.parametrize(
    "text",
    [
        "The KV block size is 16 [1].",
        "Use `--block-size` to set it; the default is 16 tokens per block [2].",
        "You answer questions about code by reading it.",
        "Write Markdown in fenced blocks [1].",
        "",
    ],
)
def test_answers_are_not(text: str) -> None:
    assert not leaks(text, SYSTEM)


def test_the_repository_may_say_the_same() -> None:
    text = "You answer questions about one version of a code repository [1]. HARBOUR-55c1 is its name."
    assert leaks(text, SYSTEM) and not leaks(text, SYSTEM, known=f"PROMPT = '{text}'")


def test_secrets_are_those_of_variables_that_say_so() -> None:
    environment = {
        "DISCORD_TOKEN": "discord.abc.def",
        "REPOPILOT_LLM_API_KEY": "0123456789abcdef",
        "db_password": "hunter2-hunter2",
        "SHORT_KEY": "abc",
        "TOKEN_COUNT": "123456789",
        "HOME": "/home/somebody",
    }
    assert secrets_of(environment) == {"discord.abc.def", "0123456789abcdef", "hunter2-hunter2"}
