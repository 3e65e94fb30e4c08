"""The parts of the Discord adapter put together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

import aiohttp
import anyio
import discord
import yarl
from anyio.to_thread import run_sync

from bot.adapters.discord.answers import Answers, Lines
from bot.adapters.discord.bot import Bot, now
from bot.adapters.discord.buttons import SourcesButton, VoteButton
from bot.adapters.discord.catching_up import missed
from bot.adapters.discord.channels import Channels
from bot.adapters.discord.commands import Commands
from bot.adapters.discord.configs import Configs
from bot.adapters.discord.hearing import addressed, question_in
from bot.adapters.discord.limits import Limits
from bot.adapters.discord.policy import Config, Policy, admitted, in_time, may_be_asked
from bot.adapters.discord.types import Ask, Heard, Me
from bot.adapters.discord.work import Stream, Work
from bot.events import about_event
from bot.history import History
from bot.jobs import Jobs
from bot.ledger import FOR_GOOD, Ledger
from indexer.errors import RepoPilotError

log = logging.getLogger("repopilot.discord")

ANSWER = "discord"
# https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
_AUTHENTICATION_FAILED = 4004
_FAILURES = (aiohttp.ClientError, OSError, TimeoutError, discord.GatewayNotFound, discord.HTTPException)
FIRST_WAIT_S = 5.0
LONGEST_WAIT_S = 300.0
CLOSING_S = 3.0
DEFAULT_URL = "https://discord.com/api/v10"


class CannotListen(RepoPilotError):
    """Discord does not let us in; the message says what to do."""


WRONG_TOKEN = "Discord refuses the token: is REPOPILOT_DISCORD_TOKEN the bot's, and current?"
NO_INTENT = (
    "Discord refuses the intent MESSAGE_CONTENT: switch it on in the developer portal (Bot, Privileged Gateway"
    " Intents), or set REPOPILOT_DISCORD_MESSAGE_CONTENT=false to hear only what mentions the bot."
)


@dataclass(frozen=True, slots=True)
class DiscordOptions:
    """How we are set up on Discord; `url` is the API's address."""

    token: str
    url: str = DEFAULT_URL
    policy: Policy = field(default_factory=Policy)
    limits: Limits = field(default_factory=Limits)
    message_content: bool = True
    shards: int | None = None


class DiscordSurface:
    """What listens, and what works on the jobs that come of it."""

    def __init__(
        self,
        options: DiscordOptions,
        ledger: Ledger,
        history: History,
        jobs: Jobs,
        stream: Stream,
        lines: Lines,
        indexed: Callable[[], str],
    ) -> None:
        self._options = options
        self._ledger = ledger
        self._jobs = jobs
        self._configs = Configs(ledger)
        self._indexed = indexed
        self._let_in = asyncio.Event()
        self._answers = VoteButton.answers = SourcesButton.answers = Answers(history, ledger, lines)
        work = Work(Channels(self._client), ledger, self._answers, stream, options.policy, options.limits)
        jobs.define(ANSWER, work.reply)

    def _new_bot(self) -> Bot:
        """A client that has not connected yet: one that was closed does not open again."""
        o, ledger = self._options, self._ledger
        bot = Bot(self.hear, self.forget, lambda bot: missed(bot, ledger), o.message_content, o.shards)
        bot.add_dynamic_items(VoteButton, SourcesButton)
        commands = Commands(bot, ledger, self._answers, o.policy, o.limits, self.queue, self._indexed)

        async def set_up() -> None:
            await commands.register()
            self._let_in.set()

        bot.set_up = set_up
        return bot

    async def _client(self) -> Bot:
        """The client, as soon as Discord has let it in: jobs of an earlier life begin before that."""
        await self._let_in.wait()
        return self._bot

    async def listen(self) -> None:
        """Listen until cancelled, also while Discord is away for a time. Raises CannotListen."""
        wait_s = FIRST_WAIT_S
        while True:
            began = anyio.current_time()
            try:
                await self._listened()
            except _FAILURES as error:
                if isinstance(error, discord.HTTPException) and error.status < 500 and error.status != 429:
                    raise CannotListen(f"Discord refuses us ({error.status}: {error.text}).") from error
                if anyio.current_time() - began > LONGEST_WAIT_S:  # it was there for a good while
                    wait_s = FIRST_WAIT_S
                log.warning("Discord cannot be reached (%s); again in %.0f s", type(error).__name__, wait_s)
                await anyio.sleep(wait_s)
                wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    async def _listened(self) -> None:
        await self._point_at(self._options.url)
        self._bot = self._new_bot()
        try:
            await self._bot.start(self._options.token)
        except discord.LoginFailure as error:
            raise CannotListen(WRONG_TOKEN) from error
        except discord.PrivilegedIntentsRequired as error:
            raise CannotListen(NO_INTENT) from error
        except discord.ConnectionClosed as error:
            told = WRONG_TOKEN if error.code == _AUTHENTICATION_FAILED else f"Discord's gateway closed: {error.code}."
            raise CannotListen(told) from error
        finally:
            self._let_in.clear()
            with anyio.move_on_after(CLOSING_S, shield=True):
                await self._bot.close()

    async def _point_at(self, url: str) -> None:
        """Lead discord.py to an API elsewhere; it names its host in two places."""
        if url == DEFAULT_URL:
            return
        discord.http.Route.BASE = url
        async with aiohttp.ClientSession() as session, session.get(f"{url}/gateway") as response:
            gateway = (await response.json())["url"]
        discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)

    async def hear(self, heard: Heard, me: Me) -> None:
        """Note and queue a message that is for us, or was."""
        policy, ask = self._options.policy, _ask(heard, question_in(heard, me))
        for_us = addressed(heard, me) and may_be_asked(ask, policy)
        config = await self._configs.of(ask) if for_us else Config()
        if not in_time(heard, policy) or (config.role and heard.held is None):
            return
        for_us = for_us and admitted(config, heard.held or ())
        await self._noted(ask, heard.at, ask.text if for_us else None)

    async def forget(self, channel: int, message: int) -> None:
        """Note that a message is gone."""
        key = f"discord:{channel}:{message}"
        with about_event(key):
            revision = await run_sync(self._ledger.note, key, "", "", FOR_GOOD, None, None)
            if revision is not None:
                await self._jobs.add(ANSWER, key, str(revision))

    async def queue(self, ask: Ask) -> None:
        """Note and queue a command."""
        await self._noted(ask, now(), ask.text)

    async def _noted(self, ask: Ask, at: str, words: str | None) -> None:
        author = f"discord:{ask.author}"
        with about_event(ask.key):
            revision = await run_sync(self._ledger.note, ask.key, ask.scope, author, at, words, asdict(ask))
            if revision is not None:
                await self._jobs.add(ANSWER, ask.key, str(revision))


def _ask(heard: Heard, text: str) -> Ask:
    return Ask(
        channel=heard.channel,
        guild=heard.guild,
        parent=heard.parent,
        message=heard.id,
        author=heard.author,
        name=heard.name,
        text=text,
        thread=heard.thread,
        opens=heard.opens,
        replied_to=heard.replied_to,
    )
