"""The tools as an agent sees them, through the real client of a server in this process."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from mcp import Client
from mcp.types import CallToolResult, TextContent

from bot import types as domain
from bot.adapters.mcp.parts import Parts
from bot.adapters.mcp.results import LONGEST
from bot.adapters.mcp.tools import create_server
from bot.lines import LineReader
from bot.model import Busy
from fakes import answers
from fakes.answerer import ScriptedAnswerer
from fakes.library import FILES, GUIDE, REPOSITORY, Library
from indexer.errors import IndexDamaged

T = TypeVar("T")
PATH = "cache/blocks.py"


def talking(parts: Parts, talk: Callable[[Client], Awaitable[T]], explain: Any = str) -> T:
    async def run() -> T:
        async with Client(create_server(lambda: parts, explain)) as client:
            return await talk(client)

    return anyio.run(run)


def call(parts: Parts, tool: str, explain: Any = str, **arguments: Any) -> CallToolResult:
    return talking(parts, lambda client: client.call_tool(tool, arguments), explain)


def text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def test_the_tools_are_described_and_only_read(parts: Parts) -> None:
    tools = {tool.name: tool for tool in talking(parts, lambda client: client.list_tools()).tools}
    assert list(tools) == ["search", "read_lines", "ask", "repositories"]
    for tool in tools.values():
        assert tool.annotations and tool.annotations.read_only_hint and tool.output_schema
        assert tool.description and "\n  " not in tool.description and "context" not in tool.input_schema["properties"]
        assert all("description" in given for given in tool.input_schema["properties"].values())
    assert tools["search"].input_schema["required"] == ["query"]


def test_search_finds_passages(parts: Parts) -> None:
    result = call(parts, "search", query="How many tokens does a block hold?", limit=1)
    (passage,) = result.structured_content["passages"]
    assert passage["text"] in FILES[passage["path"]]
    assert result.structured_content["index"]["repository"] == REPOSITORY
    assert f"1. {passage['path']} lines {passage['start_line']}-{passage['end_line']}" in text(result)
    assert passage["text"] in text(result)


def test_search_points_out_names_that_are_nowhere(parts: Parts) -> None:
    result = call(parts, "search", query="What is BLOCKS_SIZE?")
    assert "BLOCK_SIZE" in result.structured_content["unknown_names"]["BLOCKS_SIZE"]
    assert "BLOCKS_SIZE occurs nowhere in acme/demo" in text(result)


def test_read_lines_reads_what_was_indexed(parts: Parts) -> None:
    result = call(parts, "read_lines", path=PATH, start_line=4, end_line=5)
    lines = FILES[PATH].split("\n")[3:5]
    assert result.structured_content["text"] == "\n".join(lines)
    assert f"4\t{lines[0]}\n5\t{lines[1]}" in text(result)
    assert "lines 4-5 of 6" in text(result) and "1 more lines follow, from start_line=6" in text(result)
    whole = call(parts, "read_lines", path=GUIDE)
    assert whole.structured_content["text"] == FILES[GUIDE].removesuffix("\n")


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"path": "no/such.py"}, "This version has no file no/such.py; `search` finds paths."),
        ({"path": PATH, "start_line": 900}, f"{PATH} has only 6 lines, so there is no line 900."),
        ({"path": PATH, "start_line": 5, "end_line": 2}, "end_line (2) comes before start_line (5)."),
        ({"path": PATH, "repository": "acme/other"}, "There is no index of acme/other; indexed are: acme/demo"),
    ],
)
def test_lines_that_are_not_there_are_an_error_in_a_sentence(parts: Parts, arguments: Any, said: str) -> None:
    result = call(parts, "read_lines", **arguments)
    assert result.is_error and said in text(result)


def test_ask_answers_with_citations(parts: Parts) -> None:
    result = call(parts, "ask", question="How many tokens does a block hold?")
    answer: Any = result.structured_content
    assert answer["declined"] is False and answer["citations"][0]["path"] == PATH
    assert text(result).startswith(answer["answer"]) and "**Sources**" in text(result)


def test_ask_declines_what_nothing_proves(parts: Parts) -> None:
    result = call(parts, "ask", question="What does --no-such-flag do?")
    assert not result.is_error and result.structured_content["declined"] is True


def test_ask_tells_how_far_it_is(parts: Parts) -> None:
    told: list[tuple[float, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))

    talking(parts, lambda c: c.call_tool("ask", {"question": "What is BLOCK_SIZE?"}, progress_callback=note))
    assert told[0] == (1, "Read 2 passages") and told[1:] == [(at, "Writing") for at in range(2, len(told) + 1)]


def test_repositories_says_what_there_is(parts: Parts, tmp_path: Path) -> None:
    result = call(parts, "repositories")
    (version,) = result.structured_content["versions"]
    assert (version["repository"], version["files"], version["stale"]) == (REPOSITORY, 2, False)
    assert f"Without a name, {REPOSITORY} at {version['ref']} answers." in text(result)
    empty = Library.empty(tmp_path)
    nothing = replace(parts, stores=empty.stores, retriever=empty.retriever)
    assert text(call(nothing, "repositories")) == "Nothing is indexed yet."
    assert "Nothing is indexed yet" in text(call(nothing, "search", query="x"))
    empty.close()


@pytest.mark.parametrize("error", [Busy(), IndexDamaged("/home/x is torn.")])
def test_what_is_expected_to_fail_is_told_in_our_words(parts: Parts, error: Exception) -> None:
    broken = replace(parts, answerer=ScriptedAnswerer(error))
    result = call(broken, "ask", question="x")
    assert result.is_error and str(error) in text(result)
    result = call(broken, "ask", lambda error: "Ask the maintainer.", question="x")
    assert text(result) == "Error executing tool ask: Ask the maintainer."


def test_what_is_not_expected_is_only_logged(parts: Parts, caplog: pytest.LogCaptureFixture) -> None:
    broken = replace(parts, answerer=ScriptedAnswerer(RuntimeError("/home/x")))
    result = call(broken, "ask", question="x")
    assert result.is_error and text(result) == "Error executing tool ask"
    assert "/home/x" in caplog.text and any(record.levelno == logging.ERROR for record in caplog.records)


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": "x", "limit": 0}, {"query": "x", "limit": 21}])
def test_arguments_that_are_wrong_are_named(parts: Parts, arguments: Any) -> None:
    result = call(parts, "search", **arguments)
    assert result.is_error and ("query" in text(result) or "limit" in text(result))


def test_odd_characters_do_no_harm(parts: Parts) -> None:
    for query in ("\x00 block", "tokens \u202e \U0001f600", "’" * 2_000):
        assert not call(parts, "search", query=query).is_error
    lone = answers.answer("half \ud83d [1]", 1)
    result = call(replace(parts, answerer=ScriptedAnswerer(lone)), "ask", question="x")
    assert "half ? [1]" in text(result)


def test_what_is_long_is_cut_at_whole_lines(tmp_path: Path) -> None:
    library = Library.empty(tmp_path)
    library.folder.mkdir()
    (library.folder / "long.md").write_text("".join(f"{at} {'word ' * 60}\n" for at in range(1, 301)))
    (library.folder / "wide.txt").write_text("x" * (2 * LONGEST))
    library.index()
    lines = LineReader(library.stores, library.retriever)
    parts = Parts(ScriptedAnswerer(), library.retriever, lines, library.stores)
    result = call(parts, "read_lines", path="long.md", start_line=100)
    read: Any = result.structured_content
    assert read["text"].endswith("word ") and len(read["text"]) <= LONGEST
    assert read["text"].count("\n") == read["end_line"] - 100 and read["end_line"] < 300
    assert f"from start_line={read['end_line'] + 1}." in text(result)
    assert len(text(call(parts, "read_lines", path="wide.txt"))) < LONGEST + 500
    found: Any = call(parts, "search", query="word", limit=20)
    assert sum(len(passage["text"]) for passage in found.structured_content["passages"]) <= LONGEST + 1
    assert len(text(found)) < 1.2 * LONGEST
    library.close()


@pytest.mark.parametrize("steps", [(60.0,), (domain.Token("a"), 60.0)])
def test_an_agent_that_gives_up_stops_the_answer(parts: Parts, steps: Any) -> None:
    script = ScriptedAnswerer(*steps, answers.answer("late"))
    waiting = replace(parts, answerer=script)

    async def give_up(client: Client) -> None:
        with anyio.move_on_after(0.2):
            await client.call_tool("ask", {"question": "x"})
        await anyio.to_thread.run_sync(script.closed.wait, 2)

    talking(waiting, give_up)
    assert script.asked and script.closed.is_set()


def test_the_parts_are_opened_once_and_only_when_needed(parts: Parts) -> None:
    opened = []

    def opening() -> Parts:
        opened.append(1)
        return parts

    async def talk() -> None:
        async with Client(create_server(opening)) as client:
            await client.list_tools()
            assert not opened
            async with anyio.create_task_group() as tasks:
                for _ in range(4):
                    tasks.start_soon(client.call_tool, "repositories", {})

    anyio.run(talk)
    assert opened == [1]
