"""The Discord adapter at a loopback Discord, without a queue: the real client hears, and a test does the jobs."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import anyio

from bot.adapters.discord.app import CannotListen, DiscordOptions, DiscordSurface
from bot.adapters.discord.limits import Limits
from bot.adapters.discord.policy import Policy
from bot.history import History
from bot.ledger import Ledger, Subject
from bot.observing import ObservedAnswerer
from bot.steps import Steps
from bot.types import Answer, Citation, Event, Question, Token
from fakes.answers import answer
from fakes.discord import documents
from fakes.discord.people import Channel, Permission, Role
from fakes.discord.posts import Interaction, InteractionType, Message
from fakes.discord.server import DiscordServer
from fakes.steps import RememberedSteps

ANSWER = "Blocks hold 16 tokens [1]."
LIMIT_S = 15.0
Said = Answer | Exception | str | Sequence[str | float | Exception]
"""An answer, what is raised in its place, its text, or its text in pieces with seconds (or an end) between them."""


class NotedJobs:
    """What would have been queued, and what would do it."""

    def __init__(self) -> None:
        self.added: list[tuple[str, str, str]] = []
        self.kinds: dict[str, Callable[[Steps, str], Coroutine[Any, Any, None]]] = {}

    def define(self, kind: str, work: Callable[[Steps, str], Coroutine[Any, Any, None]]) -> None:
        self.kinds[kind] = work

    async def add(self, kind: str, key: str, occasion: str) -> None:
        self.added.append((kind, key, occasion))


@dataclass(frozen=True, slots=True)
class Streaming:
    """An answerer that does nothing but stream."""

    stream: Callable[[Question], AsyncGenerator[Event]]


class Desk:
    """`says` are the answers to come, the last one again and again. `asked`: the questions; `ended`: why it listens no
    more; `meanwhile` happens while an answer is made."""

    def __init__(self, discord: DiscordServer, folder: Path, policy: Policy, limits: Limits, **options: Any) -> None:
        self.discord = discord
        self.asked: list[Question] = []
        self.says: list[Said] = [ANSWER]
        self.meanwhile: Callable[[], object] = lambda: None
        self.ended: CannotListen | None = None
        self.jobs = NotedJobs()
        self._folder = folder
        self.options = DiscordOptions(
            **{"token": discord.token, "url": discord.url, "policy": policy, "limits": limits} | options
        )

    def start(self, wait: bool = True) -> None:
        """Begin to listen, in a new life of the program."""
        before = self.discord.gateway.identified
        self.ledger = Ledger(f"sqlite:///{self._folder / 'jobs.sqlite'}")
        self.history = History(f"sqlite:///{self._folder / 'jobs.sqlite'}")
        answerer = ObservedAnswerer(Streaming(self._stream), "discord", [self.history.record])  # type: ignore[arg-type]
        surface = DiscordSurface(
            self.options,
            self.ledger,
            self.history,
            self.jobs,  # type: ignore[arg-type]
            answerer.stream,
            _lines,
            lambda: "- **example-org/boat** `v1.2.0`",
        )
        begun = threading.Event()

        async def live() -> None:
            self._loop = asyncio.get_running_loop()
            with anyio.CancelScope() as self._listening:
                begun.set()
                try:
                    await surface.listen()
                except CannotListen as error:
                    self.ended = error

        self._thread = threading.Thread(target=asyncio.run, args=(live(),), daemon=True)
        self._thread.start()
        assert begun.wait(LIMIT_S)
        if wait:
            gateway = self.discord.gateway
            assert self.discord.wait_until(lambda _: gateway.identified > before and gateway.ready, LIMIT_S)

    def stop(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._listening.cancel)
            self._thread.join(LIMIT_S)
        self.ledger.close()
        self.history.close()

    def restart(self) -> None:
        self.stop()
        self.start()

    async def _stream(self, question: Question) -> AsyncGenerator[Event]:
        self.asked.append(question)
        self.meanwhile()
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(said, Exception):
            raise said
        made = said if isinstance(said, Answer) else None
        pieces = [made.answer] if made else [said] if isinstance(said, str) else said
        for piece in pieces:  # type: ignore[union-attr]
            if isinstance(piece, Exception):
                raise piece
            if isinstance(piece, float):
                await asyncio.sleep(piece)
            else:
                yield Token(piece)
        text = "".join(piece for piece in pieces if isinstance(piece, str))  # type: ignore[union-attr]
        yield replace(made or answer(text, 1), id=f"answer{len(self.asked)}")

    # What tests do.

    def hears(self, write: Callable[[], object], count: int = 1) -> str:
        """Let something be written; the key of what that queued, `count` times."""
        known = len(self.jobs.added)
        write()
        assert self.discord.wait_until(lambda _: len(self.jobs.added) >= known + count, LIMIT_S), "nothing was queued"
        return self.jobs.added[-1][1]

    def ignores(self, write: Callable[[], object]) -> None:
        """Let something be written that queues nothing: what comes after it is queued, and it is not."""
        known = len(self.jobs.added)
        write()
        channel = self.discord.world.channel("afterwards", self.discord.guild)
        key = self.hears(lambda: self.discord.people.ask("and this?", "zoe", channel))
        time.sleep(0.05)
        assert [one for _, one, _ in self.jobs.added[known:]] == [key]
        self.jobs.added.pop()

    def do(self, key: str, steps: RememberedSteps | None = None) -> RememberedSteps:
        """The job for a message, to its end."""
        steps = steps or RememberedSteps()
        job = self.jobs.kinds["discord"]
        while not asyncio.run_coroutine_threadsafe(steps.life(lambda: job(steps, key)), self._loop).result(60):
            pass
        return steps

    def ask(self, write: Callable[[], object] | str = "what is the block size?", count: int = 1) -> RememberedSteps:
        """Let something be written (or a mention with this question), and do what was queued."""
        asking = write if callable(write) else lambda: self.discord.people.ask(write)
        return self.do(self.hears(asking, count))

    def subject(self, key: str = "") -> Subject:
        """What is known of a message; the last one of which something was heard."""
        found = self.ledger.subject(key or self.jobs.added[-1][1])
        assert found
        return found

    def use(self, interaction: Interaction) -> Interaction:
        """An interaction, once it is acknowledged."""
        assert self.discord.wait_until(lambda _: interaction.answered_at, LIMIT_S), "not acknowledged"
        return interaction

    def configure(self, by: str = "olivia", **options: Any) -> Interaction:
        """Use `/config`: its options may be roles and channels, which Discord sends along."""
        world = self.discord.world
        command = world.command("config", self.discord.guild)
        assert command
        resolved = {"roles": {}, "channels": {}}
        given = [_option(name, value, resolved) for name, value in options.items()]
        data = {"id": command["id"], "name": "config", "type": 1, "options": given, "resolved": resolved}
        user = self.discord.people.person(by, self.discord.guild)
        made = Interaction(
            id=world.new_id(),
            type=InteractionType.APPLICATION_COMMAND,
            token=f"token-{world.new_id()}",
            user=user,
            channel=self.discord.channel,
            data=data,
        )
        return self.use(self.discord.people.begin(made))


def _option(name: str, value: Any, resolved: dict[str, dict[str, Any]]) -> dict[str, Any]:
    if isinstance(value, Role):
        resolved["roles"][str(value.id)] = documents.role(value)
        return {"name": name, "type": 8, "value": str(value.id)}
    if isinstance(value, Channel):
        resolved["channels"][str(value.id)] = documents.channel(value) | {"permissions": "0"}
        return {"name": name, "type": 7, "value": str(value.id)}
    return {"name": name, "type": 5 if isinstance(value, bool) else 3, "value": value}


def _lines(answer: Answer, citation: Citation) -> str | None:
    return f"lines of {citation.path}" if answer.index.ref == "v1.2.0" else None


def shown(message: Message) -> str:
    """What people read of a message."""
    return "(deleted)" if message.deleted else message.content


def promote(discord: DiscordServer, name: str, permission: Permission = Permission.ADMINISTRATOR) -> None:
    """Give somebody a role with a permission."""
    role = discord.world.role(discord.guild, "leads", permissions=int(permission))
    discord.world.join(discord.guild, discord.people.person(name), role)
