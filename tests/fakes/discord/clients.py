"""Clients of the fake for its own tests: the real discord.py in a thread of its own, and plain HTTP."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import discord
import httpx
import yarl
from discord import app_commands

from fakes.discord.server import DiscordServer

T = TypeVar("T")
LIMIT_S = 20.0


def intents(*names: str) -> discord.Intents:
    chosen = discord.Intents.none()
    for name in names or ("guilds", "guild_messages", "message_content", "dm_messages", "guild_reactions"):
        setattr(chosen, name, True)
    return chosen


class Listener(discord.Client):
    """Notes what it hears; `before_identify_hook` does not wait five seconds between two shards."""

    def __init__(self, chosen: discord.Intents, **options: Any) -> None:
        super().__init__(intents=chosen, guild_ready_timeout=0.03, **options)
        self.tree = app_commands.CommandTree(self)
        self.heard: list[tuple[str, Any]] = []
        self.ended: BaseException | None = None

    def names(self) -> list[str]:
        return [name for name, _ in self.heard]

    def of(self, name: str) -> list[Any]:
        return [what for heard, what in self.heard if heard == name]

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Identify at once."""

    async def on_ready(self) -> None:
        self.heard.append(("ready", None))

    async def on_resumed(self) -> None:
        self.heard.append(("resumed", None))

    async def on_message(self, message: discord.Message) -> None:
        if message.author != self.user:
            self.heard.append(("message", message))

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        if payload.data["author"]["id"] != str(self.application_id):
            self.heard.append(("edit", payload))

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        self.heard.append(("delete", payload))

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        self.heard.append(("reaction", payload))

    async def on_thread_create(self, thread: discord.Thread) -> None:
        self.heard.append(("thread", thread))

    # What tests do with it, from another thread.

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine, run where the client is."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(LIMIT_S)


class ShardedListener(Listener, discord.AutoShardedClient):
    """The same with a connection a shard."""


@contextmanager
def running(server: DiscordServer, client: Listener, *, token: str = "", until: str = "ready") -> Iterator[Listener]:
    """The client, connected to the fake; `until` is what it must have heard first, "" for nothing."""
    discord.http.Route.BASE = server.url
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(server.gateway.url)

    async def live() -> None:
        try:
            await client.start(token or server.token)
        except (discord.DiscordException, OSError) as error:
            client.ended = error
        finally:
            await client.close()

    thread = threading.Thread(target=asyncio.run, args=(live(),), daemon=True)
    thread.start()
    try:
        if until:
            assert server.wait_until(lambda _: until in client.names() or client.ended, LIMIT_S)
        yield client
    finally:
        if thread.is_alive():
            client.do(client.close())
        thread.join(LIMIT_S)


def heard(server: DiscordServer, client: Listener, name: str, count: int = 1, seconds: float = 10.0) -> list[Any]:
    """What the client has heard of this kind, as soon as there is enough of it."""
    server.wait_until(lambda _: len(client.of(name)) >= count, seconds)
    found = client.of(name)
    assert len(found) >= count, f"{len(found)} {name} of {count}: {client.names()}"
    return found


def plain(server: DiscordServer, token: str | None = None) -> httpx.Client:
    """httpx with the bot's token, or another, or none ("")."""
    shown = server.token if token is None else token
    headers = {"Authorization": f"Bot {shown}"} if shown else {}
    # no certificates: reading them takes longer than a test
    return httpx.Client(base_url=server.url, headers=headers, timeout=10, verify=False)
