"""`/mcp` of a running `repopilot serve`, behind its key."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import anyio
import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from fakes.openai_server import OpenAIServer
from fakes.running import Running

T = TypeVar("T")
KEY = "sesame"
ASK = {"question": "How many tokens does a KV block hold?"}


@pytest.fixture(scope="module")
def llm() -> Iterator[OpenAIServer]:
    with OpenAIServer() as fake:
        yield fake


@pytest.fixture(scope="module")
def served(program: Running, llm: OpenAIServer) -> Iterator[Running]:
    program.start(REPOPILOT_LLM_URL=llm.url, REPOPILOT_LLM_MODEL="fake")
    yield program
    program.stop()


def talking(url: str, talk: Callable[[Client], Awaitable[T]], mode: str = "auto", key: str = KEY) -> T:
    async def run() -> T:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=30) as http:
            transport = streamable_http_client(f"{url}/mcp", http_client=http)
            async with Client(transport, mode=mode, read_timeout_seconds=30) as client:
                return await talk(client)

    return anyio.run(run)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_asks_and_is_told_how_far_it_is(served: Running, llm: OpenAIServer, mode: str) -> None:
    llm.play("ok")
    told: list[Any] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    result = talking(served.url, lambda client: client.call_tool("ask", ASK, progress_callback=note), mode)
    answer: Any = result.structured_content
    assert answer["answer"] == "The KV block size is 16 [1]." and len(answer["citations"]) == 1
    assert told[0] == "Read 2 passages" and "Writing" in told


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_that_leaves_stops_the_language_model(served: Running, llm: OpenAIServer, mode: str) -> None:
    llm.play("hang")

    async def leave(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "ask", ASK)
            await anyio.to_thread.run_sync(llm.wait_until, lambda llm: bool(llm.records), 10)
            tasks.cancel_scope.cancel()

    talking(served.url, leave, mode)
    assert llm.wait_until(lambda llm: [record.outcome for record in llm.records] == ["cancelled"], 5)


def test_without_the_key_nothing_is_told(served: Running) -> None:
    with pytest.raises(BaseExceptionGroup) as caught:
        talking(served.url, lambda client: client.list_tools(), key="open")
    assert caught.group_contains(MCPError)
    assert httpx.post(f"{served.url}/mcp", json={}).status_code == 401


def test_there_is_no_session_to_watch_or_to_end(served: Running) -> None:
    headers = {"Authorization": f"Bearer {KEY}", "Accept": "text/event-stream"}
    for method in ("GET", "DELETE"):
        response = httpx.request(method, f"{served.url}/mcp", headers=headers)
        assert (response.status_code, response.headers["allow"]) == (405, "POST")


def test_whoever_shows_a_key_may_come_by_any_name(served: Running) -> None:
    headers = {"Authorization": f"Bearer {KEY}", "Host": "bot.example.org", "Origin": "https://agents.example.org"}
    assert httpx.post(f"{served.url}/mcp", headers=headers, json={}).status_code not in (403, 421)


def test_the_service_stops_cleanly_with_the_protocol_loaded(served: Running) -> None:
    talking(served.url, lambda client: client.list_tools())
    served.stop()
    log = served.log
    assert "Traceback" not in log and "CRITICAL" not in log
    with pytest.raises(httpx.ConnectError):
        httpx.get(served.url)


def test_a_service_that_no_agent_calls_loads_nothing_of_it(program: Running) -> None:
    loaded = "sorted({'mcp', 'sse_starlette'} & set(sys.modules))"
    code = f"import sys; from bot.cli import open_app; open_app().http(); print({loaded})"
    home = os.environ | {"REPOPILOT_HOME": str(program.folder / "home")}
    done = subprocess.run([sys.executable, "-c", code], env=home, cwd=program.folder, capture_output=True, check=True)
    assert done.stdout == b"[]\n"
