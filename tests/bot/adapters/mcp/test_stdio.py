"""`repopilot mcp` as an agent starts it: the installed command, over its standard input and output."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp import Client, StdioServerParameters

from fakes.openai_server import OpenAIServer
from fakes.running import FILES, Running

T = TypeVar("T")
COMMAND = str(Path(sys.executable).with_name("repopilot"))
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}},
}


def environment(program: Running, **settings: str) -> dict[str, str]:
    return {"REPOPILOT_HOME": str(program.folder / "home"), **settings}


def talking(program: Running, talk: Callable[[Client], Awaitable[T]], **settings: str) -> T:
    async def run() -> T:
        env = environment(program, **settings)
        server = StdioServerParameters(command=COMMAND, args=["mcp"], env=env, cwd=program.folder)
        async with Client(server, read_timeout_seconds=60) as client:
            return await talk(client)

    return anyio.run(run)


async def everything(client: Client) -> list[Any]:
    assert [tool.name for tool in (await client.list_tools()).tools] == ["search", "read_lines", "ask", "repositories"]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("repositories", {}),
        ("search", {"query": "block size", "limit": 1}),
        ("read_lines", {"path": "docs/cache.md", "start_line": 5, "end_line": 5}),
        ("ask", {"question": "How many tokens does a KV block hold?"}),
        ("search", {"query": "block size", "ref": "v9"}),
    ]
    return [await client.call_tool(name, arguments) for name, arguments in calls]


def test_an_agent_finds_reads_and_asks(program: Running) -> None:
    there, found, read, answered, missing = talking(program, everything)
    assert there.structured_content["versions"][0]["repository"] == "acme/engine"
    assert found.structured_content["passages"][0]["url"].startswith("https://github.com/acme/engine/blob/")
    assert read.structured_content["text"] == FILES["docs/cache.md"].split("\n")[4]
    assert answered.structured_content["citations"] and "#L" in answered.content[0].text
    assert missing.is_error and "There is no index of v9" in missing.content[0].text


def test_giving_up_stops_the_language_model(program: Running) -> None:
    with OpenAIServer("hang") as llm:

        async def give_up(client: Client) -> None:
            with anyio.move_on_after(10) as patience:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(client.call_tool, "ask", {"question": "How many tokens does a block hold?"})
                    await anyio.to_thread.run_sync(llm.wait_until, lambda llm: bool(llm.records), 10)
                    tasks.cancel_scope.cancel()
            assert not patience.cancelled_caught
            assert await anyio.to_thread.run_sync(
                llm.wait_until, lambda llm: [record.outcome for record in llm.records] == ["cancelled"], 5
            )
            assert not (await client.call_tool("repositories", {})).is_error

        talking(program, give_up, REPOPILOT_LLM_URL=llm.url, REPOPILOT_LLM_MODEL="fake")


def test_nothing_but_the_protocol_is_on_stdout(program: Running) -> None:
    """Spoken as most agents do, with the handshake of the protocols before that of 2026."""
    asked = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "repositories", "arguments": {}}}
    started = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    with subprocess.Popen(
        [COMMAND, "mcp"],
        env={"PATH": "", **environment(program)},
        cwd=program.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin and process.stdout
        for message in (HELLO, started, asked):
            print(json.dumps(message), file=process.stdin, flush=True)
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
        assert process.stdout.read() == ""
    assert process.returncode == 0
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[0]["result"]["serverInfo"]["name"] == "repopilot"


def test_wrong_settings_are_one_line_on_stderr(program: Running) -> None:
    done = subprocess.run(
        [COMMAND, "mcp"],
        env=environment(program, REPOPILOT_WORKERS="many"),
        cwd=program.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: Wrong settings: REPOPILOT_WORKERS") and done.stderr.count("\n") == 1
