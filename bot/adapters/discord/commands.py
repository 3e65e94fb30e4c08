"""The slash commands, and the one in a message's menu. Each is acknowledged at once; Discord waits three seconds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from typing import Any, Final

import discord
from anyio.to_thread import run_sync
from discord import app_commands

from bot.adapters.discord.answers import Answers
from bot.adapters.discord.bot import Bot, command_ask
from bot.adapters.discord.buttons import NO_SOURCES
from bot.adapters.discord.configs import Configs
from bot.adapters.discord.limits import SLOW_DOWN, Limits, excess
from bot.adapters.discord.policy import Config, Policy, admitted, may_be_asked
from bot.adapters.discord.types import Ask
from bot.ledger import Ledger

Interaction = discord.Interaction[Any]

NOT_HERE: Final = "I do not answer here."
NOT_YOU: Final = "In this server, only some may ask me."
ADMINISTRATORS: Final = "Only those who may manage this server may change how I work here."
NOTHING_SAID: Final = "There is no text in that message that I could answer."
NO_ANSWER_YET: Final = "I have not answered anything in this channel yet."
LONGEST_QUESTION: Final = 2_000


class Commands:
    """Adds the commands to the bot, which registers them. `queue` notes and queues a question; `indexed` says what is
    indexed (Markdown)."""

    def __init__(
        self,
        bot: Bot,
        ledger: Ledger,
        answers: Answers,
        policy: Policy,
        limits: Limits,
        queue: Callable[[Ask], Awaitable[None]],
        indexed: Callable[[], str],
    ) -> None:
        self._ledger = ledger
        self._answers = answers
        self._bot = bot
        self._configs = Configs(ledger)
        self._policy = policy
        self._limits = limits
        self._queue = queue
        self._indexed = indexed
        tree = bot.tree
        tree.add_command(
            app_commands.Command(name="ask", description="Ask about the code.", callback=self._ask_callback())
        )
        tree.add_command(
            app_commands.Command(
                name="sources",
                description="The lines that the latest answer here cites.",
                callback=self._sources_callback(),
            )
        )
        tree.add_command(
            app_commands.Command(
                name="status", description="What I have read, and how old it is.", callback=self._status_callback()
            )
        )
        tree.add_command(self._config_command())
        tree.add_command(app_commands.ContextMenu(name="Ask RepoPilot about this", callback=self._about_callback()))

    async def register(self) -> None:
        """Tell Discord of the commands unless it knows them as they are: how often it may be told is limited."""
        tree, key = self._bot.tree, f"discord:commands:{self._bot.application_id}"
        ours = [command.to_dict(tree) for command in tree.get_commands()]
        digest = hashlib.sha256(json.dumps(ours, sort_keys=True).encode()).hexdigest()
        there = {(command.name, command.type.value) for command in await tree.fetch_commands()}
        if there != {(one["name"], one["type"]) for one in ours} or await run_sync(self._ledger.kept, key) != digest:
            await tree.sync()
            await run_sync(self._ledger.keep, key, digest)

    def _ask_callback(self) -> Any:
        @app_commands.describe(
            question="What you want to know.", version="The version that it is about, such as v1.2.0."
        )
        async def ask(
            interaction: Interaction, question: app_commands.Range[str, 1, LONGEST_QUESTION], version: str | None = None
        ) -> None:
            await self.answer(interaction, command_ask(interaction, "ask", question.strip(), version, None))

        return ask

    def _about_callback(self) -> Any:
        async def about(interaction: Interaction, message: discord.Message) -> None:
            if not message.content.strip():
                await interaction.response.send_message(NOTHING_SAID, ephemeral=True)
                return
            asked = command_ask(interaction, "about", message.content.strip(), None, None)
            await self.answer(interaction, asked)

        return about

    def _sources_callback(self) -> Any:
        async def sources(interaction: Interaction) -> None:
            await interaction.response.defer(ephemeral=True, thinking=True)
            number = await self._answers.latest(interaction.channel_id or 0)
            pages = (await self._answers.sources(number) or [NO_SOURCES]) if number else [NO_ANSWER_YET]
            for page in pages:
                await interaction.followup.send(page, ephemeral=True, suppress_embeds=True)

        return sources

    def _status_callback(self) -> Any:
        async def status(interaction: Interaction) -> None:
            await interaction.response.defer(ephemeral=True, thinking=True)
            await interaction.followup.send(await run_sync(self._indexed), ephemeral=True, suppress_embeds=True)

        return status

    def _config_command(self) -> Any:
        @app_commands.describe(
            repository="Which repository answers here, as OWNER/NAME; - for the default.",
            version="Which version answers here; - for the default.",
            threads="Whether answers go into a thread of their own.",
            role="Who may ask; @everyone for everybody.",
            channel="Only for this channel; leave it out for the whole server.",
        )
        async def config(
            interaction: Interaction,
            repository: str | None = None,
            version: str | None = None,
            threads: bool | None = None,
            role: discord.Role | None = None,
            channel: app_commands.AppCommandChannel | None = None,
        ) -> None:
            if not interaction.permissions.manage_guild:
                await interaction.response.send_message(ADMINISTRATORS, ephemeral=True)
                return
            place = channel.id if channel else interaction.guild_id or 0
            chosen = None if role is None else "-" if role.is_default() else role.id
            changed = _changed(await self._configs.at(place), repository, version, threads, chosen)
            await self._configs.keep(place, changed)
            await interaction.response.send_message(_described(changed), ephemeral=True)

        command: Any = app_commands.Command(name="config", description="How I work here.", callback=config)
        command.default_permissions = discord.Permissions(manage_guild=True)
        command.guild_only = True
        return command

    async def answer(self, interaction: Interaction, ask: Ask) -> None:
        """Acknowledge a question and queue it, where we answer this person."""
        if not may_be_asked(ask, self._policy):
            await interaction.response.send_message(NOT_HERE, ephemeral=True)
        elif not admitted(await self._configs.of(ask), {role.id for role in getattr(interaction.user, "roles", ())}):
            await interaction.response.send_message(NOT_YOU, ephemeral=True)
        elif over := await excess(self._ledger, self._limits, ask, noted=False):
            await interaction.response.send_message(SLOW_DOWN.format(limit=over.limit), ephemeral=True)
        else:
            shown = await interaction.response.defer(thinking=True)
            await self._queue(replace(ask, message=(shown and shown.message_id) or 0))


def _changed(
    kept: Config, repository: str | None, version: str | None, threads: bool | None, role: int | str | None
) -> Config:
    """The configuration with what was given; `-` takes a choice back."""
    given: dict[str, Any] = {"repository": repository, "ref": version, "threads": threads, "role": role}
    changes = {name: None if value == "-" else value for name, value in given.items() if value is not None}
    return replace(kept, **changes)


def _described(config: Config) -> str:
    values = {name: value for name, value in asdict(config).items() if value is not None}
    if not values:
        return "Nothing is set here: the defaults hold."
    shown = ", ".join(f"{name}: `{value}`" for name, value in values.items())
    return f"Set here: {shown}."
