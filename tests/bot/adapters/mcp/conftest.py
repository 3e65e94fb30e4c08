"""Agents: the real MCP client, of a server in the same process or of the installed program."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from bot.adapters.mcp.parts import Parts
from bot.answering import Answerer
from bot.lines import LineReader
from fakes.library import Library
from fakes.running import Running

KEY = "sesame"


@pytest.fixture
def parts(library: Library) -> Parts:
    lines = LineReader(library.stores, library.retriever)
    return Parts(Answerer(library.retriever), library.retriever, lines, library.stores)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The program over an index of a small repository; not started."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
    settings = {"REPOPILOT_API_TOKEN": KEY}
    with Running(tmp_path_factory.mktemp("program"), port, settings, "acme/engine") as running:
        yield running
