"""Every block of docs/programs.md is run against a served index."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
import yaml
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from fakes.openai_script import DEFAULT_ANSWER
from fakes.openai_server import OpenAIServer
from fakes.running import Running

ROOT = Path(__file__).parents[1]
KEY = "sesame"
MODEL = "Qwen/Qwen2.5-Coder-7B-Instruct"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", (ROOT / "docs/programs.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [text for kind, text in BLOCKS if kind == language]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
    folder = tmp_path_factory.mktemp("programs")
    with Running(folder, port, {"REPOPILOT_API_TOKEN": KEY}, "acme/engine") as running:
        running.start()
        yield running
        running.stop()


@pytest.fixture(scope="module")
def llm() -> Iterator[OpenAIServer]:
    with OpenAIServer(model=MODEL) as fake:
        yield fake


def here(text: str, served: Running, llm: OpenAIServer | None = None) -> str:
    """The block with this machine's addresses and key in place of the example's."""
    text = text.replace("http://localhost:8080", served.url).replace("YOUR-KEY", KEY)
    return text.replace("http://localhost:8000/v1", llm.url) if llm else text


def environment(served: Running) -> dict[str, str]:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return {"PATH": path, "REPOPILOT_HOME": str(served.folder / "home"), "PYTHONPATH": str(ROOT)}


def printed(command: list[str], served: Running) -> str:
    done = subprocess.run(
        command, env=environment(served), cwd=served.folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_is_nothing_that_is_not_run() -> None:
    assert {kind for kind, _ in BLOCKS} == {"sh", "python", "yaml", "json", "toml"}


@pytest.mark.parametrize("block", blocks("sh"))
def test_a_command_prints_a_completion(served: Running, block: str) -> None:
    completion = json.loads(printed(["bash", "-euo", "pipefail", "-c", here(block, served)], served))
    assert completion["citations"] and "[1]" in completion["choices"][0]["message"]["content"]
    assert f'{{"surface": "openai", "answer": "{completion["answer_id"]}"' in served.log


@pytest.mark.parametrize("block", blocks("python"))
def test_a_program_prints_what_it_found(
    served: Running,
    llm: OpenAIServer,
    block: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("REPOPILOT_HOME", str(served.folder / "home"))
    monkeypatch.chdir(served.folder)
    exec(here(block, served, llm), {"__name__": "__main__"})  # in this process, since imports take seconds
    said = capsys.readouterr().out
    if MODEL in block:  # a chain: what was found goes to its model
        assert "https://github.com/acme/engine/blob/" in llm.records[-1].prompt and DEFAULT_ANSWER in said
    else:
        assert "https://github.com/acme/engine/blob/" in said


@pytest.mark.parametrize("block", blocks("yaml"))
def test_a_front_end_finds_the_models(served: Running, block: str) -> None:
    for endpoint in yaml.safe_load(here(block, served))["endpoints"]["custom"]:
        headers = {"Authorization": f"Bearer {endpoint['apiKey']}"}
        found = httpx.get(f"{endpoint['baseURL']}/models", headers=headers).json()
        assert set(endpoint["models"]["default"]) <= {model["id"] for model in found["data"]}


def servers(served: Running) -> list[dict[str, Any]]:
    loaded = [json.loads(here(block, served))["mcpServers"] for block in blocks("json")]
    loaded += [tomllib.loads(block)["mcp_servers"] for block in blocks("toml")]
    return [entry for entries in loaded for entry in entries.values()]


def test_an_agent_finds_the_tools(served: Running) -> None:
    async def tools(entry: dict[str, Any]) -> list[str]:
        if command := entry.get("command"):
            program = Path(sys.executable).with_name(command)
            server: Any = StdioServerParameters(command=str(program), args=entry["args"], env=environment(served))
            async with Client(server) as client:
                return [tool.name for tool in (await client.list_tools()).tools]
        async with (
            httpx2.AsyncClient(headers=entry["headers"]) as http,
            Client(streamable_http_client(entry["url"], http_client=http)) as client,
        ):
            return [tool.name for tool in (await client.list_tools()).tools]

    stdio, http, toml = servers(served)
    assert stdio == toml
    for entry in (stdio, http):
        assert anyio.run(tools, entry) == ["search", "read_lines", "ask", "repositories"]
