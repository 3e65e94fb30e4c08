"""What a server tells is used, and what it does not tell is estimated without asking again and again."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import pytest

from bot.chat.server import ModelServer, estimated_tokens
from bot.model import Readiness
from fakes.openai_server import OpenAIServer
from fakes.openai_wire import tokens

TEXTS = ["def allocate(tokens: int) -> int:", "", "日本語のテキスト"]


@pytest.fixture
def llm() -> Iterator[OpenAIServer]:
    with OpenAIServer(max_model_len=4_096) as server:
        yield server


def server(llm: OpenAIServer, **changes: str) -> ModelServer:
    return ModelServer(**({"url": llm.url, "model": llm.model} | changes))


def nobody() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def counted(asked: ModelServer, *texts: str) -> list[int]:
    return list(asyncio.run(asked.count(texts)))


def test_tokens_are_those_of_the_server(llm: OpenAIServer) -> None:
    assert counted(server(llm), *TEXTS) == [len(tokens(text)) for text in TEXTS]


def test_a_text_is_counted_once(llm: OpenAIServer) -> None:
    asked = server(llm)
    assert counted(asked, "one", "two", "one") == counted(asked, "one", "two", "one")
    assert sorted(llm.tokenized) == ["one", "two"]


def test_a_server_without_tokenizer_is_estimated_and_left_alone() -> None:
    with OpenAIServer(bare=True) as llm:
        asked = server(llm)
        assert counted(asked, *TEXTS) == counted(asked, *TEXTS) == [estimated_tokens(text) for text in TEXTS]
        assert asyncio.run(asked.context_tokens()) is None


def test_the_context_is_what_the_server_says(llm: OpenAIServer) -> None:
    asked = server(llm)
    assert asyncio.run(asked.context_tokens()) == 4_096
    llm.max_model_len = 2_048
    assert asyncio.run(asked.context_tokens()) == 4_096
    asked.forget()
    assert asyncio.run(asked.context_tokens()) == 2_048


def test_nobody_listening_tells_nothing() -> None:
    asked = ModelServer(nobody(), "fake")
    assert asyncio.run(asked.context_tokens()) is None
    assert counted(asked, "abcdef") == [2]
    assert asyncio.run(asked.ready()) == Readiness(False, "The language model's server cannot be reached.")


def test_readiness(llm: OpenAIServer) -> None:
    assert asyncio.run(server(llm).ready()) == Readiness(True)
    assert "does not serve other" in asyncio.run(server(llm, model="other").ready()).reason
    llm.well = False
    assert "not well (503)" in asyncio.run(server(llm).ready()).reason


def test_a_server_without_health_is_asked_for_its_models() -> None:
    with OpenAIServer(bare=True) as llm:
        assert asyncio.run(server(llm).ready()).ready


def test_the_key_is_sent() -> None:
    with OpenAIServer(api_key="s3cret") as llm:
        assert asyncio.run(server(llm, api_key="s3cret").ready()).ready
        refused = asyncio.run(server(llm).ready())
        assert not refused.ready and "(401)" in refused.reason


def test_other_scripts_are_denser() -> None:
    assert estimated_tokens("日本語") == 3 and estimated_tokens("abcdef") == 2
