"""`repopilot mcp`: the tools for coding agents, over standard input and output."""

from __future__ import annotations

import click

from bot.cli import open_app, verb


@click.command()
@verb
def mcp() -> None:
    """Give a coding agent RepoPilot's tools (MCP over stdio): search, read_lines, ask, repositories.

    The agent starts this itself; its configuration names the command `repopilot` with the argument `mcp`. A running
    `serve` has the same tools at /mcp.
    """
    from bot.adapters.mcp.tools import create_server

    app = open_app()
    app.open_log()
    create_server(app.agent_parts).run("stdio")
