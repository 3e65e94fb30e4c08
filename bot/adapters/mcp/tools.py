"""The four tools. Their docstrings and the descriptions of their parameters are what an agent chooses them by."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from inspect import getdoc
from typing import Annotated, Any, Final
from uuid import uuid4

import anyio
from anyio.to_thread import run_sync
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from bot.adapters.mcp.parts import Explain, Opening, Parts
from bot.adapters.mcp.results import (
    AnswerResult,
    LinesResult,
    SearchResult,
    VersionsResult,
    answer_result,
    answer_text,
    bounded,
    lines_text,
    lines_that_fit,
    passages_text,
    search_result,
    versions_result,
    versions_text,
)
from bot.build import version
from bot.events import about_event, current_event
from bot.lines import Excerpt
from bot.model import Busy
from bot.retrieval import index_of
from bot.searching import on_a_core
from bot.types import Answer, PassagesFound, Question
from indexer.decoding import without_lone_surrogates
from indexer.errors import IndexMissing, RepoPilotError

INSTRUCTIONS: Final = (
    "RepoPilot knows the code and the documentation of whole repositories, each at exact versions. Use `search` to find"
    " where something is said or done, `read_lines` to see what stands around it, `ask` for a question that needs an"
    " answer with its proof, and `repositories` to learn which versions there are. Every result names the version that"
    " was read; its links lead to exactly those lines."
)
READS: Final = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
PASSAGES: Final = 8
MOST_PASSAGES: Final = 20
LONGEST_QUESTION: Final = 8_000
LONGEST_PATH: Final = 1_000

Repository = Annotated[
    str | None, Field(max_length=200, description="OWNER/NAME, if not the default one; `repositories` lists them.")
]
Ref = Annotated[
    str | None,
    Field(max_length=200, description="A branch, tag, version (0.8.5) or commit, if not the newest release."),
]


def create_server(opening: Opening, explain: Explain = str) -> MCPServer:
    """The server with its tools, which open their parts when the first of them is called."""
    logging.getLogger("mcp").setLevel(logging.WARNING)  # it logs each request, and whatever an agent was told
    tools = Tools(opening, explain)
    server = MCPServer(
        "repopilot", title="RepoPilot", instructions=INSTRUCTIONS, version=version(), subscriptions=False
    )
    offered: tuple[Callable[..., object], ...] = (tools.search, tools.read_lines, tools.ask, tools.repositories)
    for tool in offered:
        server.add_tool(tool, description=getdoc(tool), annotations=READS)
    return server


class Tools:
    """What an agent may call. Whatever is expected to fail is told in a sentence, as the tool's result."""

    def __init__(self, opening: Opening, explain: Explain) -> None:
        self._opening = opening
        self._explain = explain
        self._lock = anyio.Lock()
        self._opened: Parts | None = None

    async def search(
        self,
        query: Annotated[
            str,
            Field(
                min_length=1,
                max_length=LONGEST_QUESTION,
                description="A question, a task in words, a symbol, a flag or an error message.",
            ),
        ],
        limit: Annotated[int, Field(ge=1, le=MOST_PASSAGES, description="How many passages at most.")] = PASSAGES,
        repository: Repository = None,
        ref: Ref = None,
    ) -> Annotated[CallToolResult, SearchResult]:
        """Find the passages of a repository's code and documentation that say most about a query, best first.

        It knows words, meanings and identifiers, so plain English works where grep would need the exact name. Each
        passage comes with its path, lines and a permanent link. Names in the query that are nowhere in the repository
        are pointed out, with the nearest that are.
        """
        question = Question(_clean(query), (), repository or None, ref or None)
        with self._told():
            parts = await self._parts()
            found = await on_a_core(parts.retriever.search, question, limit)
        result = search_result(found)
        return _given(result, passages_text(found, result))

    async def read_lines(
        self,
        path: Annotated[str, Field(min_length=1, max_length=LONGEST_PATH, description="As `search` gives it.")],
        start_line: Annotated[int, Field(ge=1, description="The first line, from 1.")] = 1,
        end_line: Annotated[int | None, Field(ge=1, description="The last line, itself included.")] = None,
        repository: Repository = None,
        ref: Ref = None,
    ) -> Annotated[CallToolResult, LinesResult]:
        """Read lines of an indexed file, such as what stands around a passage: up to 400 lines at once.

        The text is that of the indexed version, which may differ from a checkout at hand.
        """
        with self._told():
            lines = (await self._parts()).lines
            at = (repository or None, ref or None)
            excerpt = await run_sync(lines.read, path, start_line, end_line, *at)
            if excerpt is None:
                whole = await run_sync(lines.read, path, 1, 1, *at)
                raise ToolError(_no_lines(path, start_line, end_line, whole))
            if (fitting := lines_that_fit(excerpt.text)) <= excerpt.end_line - excerpt.start_line:
                excerpt = await run_sync(lines.read, path, start_line, start_line + fitting - 1, *at) or excerpt
        excerpt = replace(excerpt, text=bounded(excerpt.text))
        return _given(LinesResult.model_validate(excerpt, from_attributes=True), lines_text(excerpt))

    async def ask(
        self,
        question: Annotated[
            str, Field(min_length=1, max_length=LONGEST_QUESTION, description="In any words; one thing at a time.")
        ],
        context: Context[Any, Any],
        repository: Repository = None,
        ref: Ref = None,
    ) -> Annotated[CallToolResult, AnswerResult]:
        """Answer a question about a repository, with links to the exact lines that prove each sentence.

        What cannot be proven is declined, with the nearest places to look. Takes seconds, with a language model up to
        a minute; `search` is faster where the passages themselves will do.
        """
        asked = Question(_clean(question), (), repository or None, ref or None)
        with self._told(), about_event(current_event() or uuid4().hex):
            answer = await _cancelled_once(self._answer(asked, context))
        return _given(answer_result(answer), answer_text(answer))

    async def repositories(self) -> Annotated[CallToolResult, VersionsResult]:
        """List the repositories and versions that can be searched and asked, and how old each index is."""
        with self._told():
            parts = await self._parts()
            snapshots = await run_sync(parts.stores.catalog.snapshots)
            try:
                default = index_of(await run_sync(parts.retriever.snapshot))
            except IndexMissing:
                default = None
        result = versions_result(snapshots, default)
        return _given(result, versions_text(result))

    async def _answer(self, question: Question, context: Context[Any, Any]) -> Answer:
        """The answer; the agent is told of every step, so that it knows that it need not give up."""
        parts, steps = await self._parts(), 0
        async with aclosing(parts.answerer.stream(question)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    return event
                steps += 1
                read = f"Read {len(event.passages)} passages" if isinstance(event, PassagesFound) else "Writing"
                await context.report_progress(steps, message=read)
        raise AssertionError("a stream of events ends with its answer")

    async def _parts(self) -> Parts:
        async with self._lock:
            if self._opened is None:
                self._opened = await run_sync(self._opening)
            return self._opened

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (RepoPilotError, Busy) as error:
            raise ToolError(self._explain(error)) from error


async def _cancelled_once(answering: Coroutine[Any, Any, Answer]) -> Answer:
    """What is answered. The library's cancel scopes cancel again whatever still awaits; an answer that is given up has
    to close its request to the model, and to write down that it was."""
    task = asyncio.create_task(answering)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])
        raise


def _given(result: BaseModel, text: str) -> CallToolResult:
    content = TextContent(type="text", text=text)
    return CallToolResult(content=[content], structured_content=result.model_dump(mode="json"))


def _clean(text: str) -> str:
    return without_lone_surrogates(text).replace("\0", " ").strip()


def _no_lines(path: str, start_line: int, end_line: int | None, whole: Excerpt | None) -> str:
    if whole is None:
        return f"This version has no file {path}; `search` finds paths."
    if start_line > whole.total_lines:
        return f"{path} has only {whole.total_lines} lines, so there is no line {start_line}."
    return f"end_line ({end_line}) comes before start_line ({start_line})."
