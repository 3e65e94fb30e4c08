"""The slash commands, and the one in a message's menu. Each is acknowledged at once; Discord waits three seconds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from typing import Any, Final

import discord
from anyio.to_thread import run_sync
from discord import app_commands

from bot.adapters.discord.answers import Answers
from bot.adapters.discord.bot import Bot, command_ask
from bot.adapters.discord.buttons import NO_SOURCES
from bot.adapters.discord.policy import Config, Policy, config_key, configured, may_be_asked
from bot.adapters.discord.types import Ask
from bot.ledger import Ledger

Interaction = discord.Interaction[Any]

NOT_HERE: Final = "I do not answer here."
NOT_YOU: Final = "In this server, only some may ask me."
NOTHING_SAID: Final = "There is no text in that message that I could answer."
NO_ANSWER_YET: Final = "I have not answered anything in this channel yet."
LONGEST_QUESTION: Final = 2_000


class Commands:
    """Adds the commands to the bot. `queue` notes and queues a question; `indexed` says what is indexed (Markdown)."""

    def __init__(
        self,
        bot: Bot,
        ledger: Ledger,
        answers: Answers,
        policy: Policy,
        queue: Callable[[Ask], Awaitable[None]],
        indexed: Callable[[], str],
    ) -> None:
        self._ledger = ledger
        self._answers = answers
        self._policy = policy
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
            role="Who may ask; leave it out for everybody.",
            channel="Only for this channel; leave it out for the whole server.",
        )
        async def config(
            interaction: Interaction,
            repository: str | None = None,
            version: str | None = None,
            threads: bool | None = None,
            role: discord.Role | None = None,
            channel: discord.abc.GuildChannel | None = None,
        ) -> None:
            place = channel.id if channel else interaction.guild_id or 0
            kept = configured(await run_sync(self._ledger.kept, config_key(place)))
            changed = _changed(kept, repository, version, threads, role.id if role else None)
            await run_sync(self._ledger.keep, config_key(place), asdict(changed))
            await interaction.response.send_message(_described(changed), ephemeral=True)

        command: Any = app_commands.Command(name="config", description="How I work here.", callback=config)
        command.default_permissions = discord.Permissions(manage_guild=True)
        command.guild_only = True
        return command

    async def answer(self, interaction: Interaction, ask: Ask) -> None:
        """Acknowledge a question and queue it, where we answer this person."""
        if not may_be_asked(ask, self._policy):
            await interaction.response.send_message(NOT_HERE, ephemeral=True)
        elif not await self._has_role(interaction, ask):
            await interaction.response.send_message(NOT_YOU, ephemeral=True)
        else:
            await interaction.response.defer(thinking=True)
            await self._queue(ask)

    async def _has_role(self, interaction: Interaction, ask: Ask) -> bool:
        found = Config()
        for place in (ask.channel, ask.parent, ask.guild):
            if place:
                found = found.over(configured(await run_sync(self._ledger.kept, config_key(place))))
        roles = {role.id for role in getattr(interaction.user, "roles", ())}
        return found.role is None or found.role in roles


def _changed(
    kept: Config, repository: str | None, version: str | None, threads: bool | None, role: int | None
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
