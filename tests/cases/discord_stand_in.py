"""A stand-in for the program as a bot, only as good as the driver's own tests need: `python discord_stand_in.py VERB`.

It answers mentions and `/ask` with the model's words, or its own. A setting `flaw` makes it misbehave.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import discord
import yarl
from aiohttp import web
from discord import app_commands

FLAW = os.environ.get("REPOPILOT_DISCORD_FLAW", "")
MODEL, MODEL_NAME = os.environ.get("REPOPILOT_LLM_URL"), os.environ.get("REPOPILOT_LLM_MODEL")
THREADS = os.environ.get("REPOPILOT_DISCORD_THREADS") == "true"
CHANNELS = os.environ.get("REPOPILOT_DISCORD_CHANNELS", "")
LINK = "https://github.com/example-org/engine/blob/0123456789abcdef0123456789abcdef01234567/a.py#L1"
END = f"**Sources**\n\n1. [`a.py`](<{LINK}>)\n\n-# Automated answer, read from `main`."
HELP = "Mention me with a question, or use `/ask`."
LINES = 80


def parts(text: str) -> Iterator[str]:
    """The messages of an answer; a long block of code is reopened in each."""
    lines, language = text.split("\n"), ""
    for start in range(0, len(lines), LINES):
        page = lines[start : start + LINES]
        body = (f"```{language}\n" if language else "") + "\n".join(page)
        for line in page:
            if fence := re.fullmatch(r"```(\w*)", line):
                language = fence[1]
        body += "\n```" if language and FLAW != "open" else ""
        yield body + (f"\n\n{END}" if start + LINES >= len(lines) else "")


async def said(question: str) -> str:
    if not MODEL:
        return "It is 16 [1]."
    message = {"role": "user", "content": f"<question>\n{question}\n</question>"}
    body = {"model": MODEL_NAME, "messages": [message]}
    async with aiohttp.ClientSession() as session, session.post(f"{MODEL}/chat/completions", json=body) as answered:
        return str((await answered.json())["choices"][0]["message"]["content"])


class Bot(discord.Client):
    """It has forgotten everything after a restart, but not within one life."""

    def __init__(self) -> None:
        chosen = discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=True)
        mentions = discord.AllowedMentions.all() if FLAW == "pings" else discord.AllowedMentions.none()
        super().__init__(intents=chosen, allowed_mentions=mentions, guild_ready_timeout=0.1)
        self.tree = app_commands.CommandTree(self)
        self.answers: dict[int, list[discord.Message]] = {}
        self.running = 0

    async def setup_hook(self) -> None:
        @self.tree.command(name="ask", description="Ask")
        async def ask(interaction: discord.Interaction, question: str) -> None:
            if FLAW == "late":
                await asyncio.sleep(3.5)
            await interaction.response.defer(thinking=True)
            await interaction.edit_original_response(content=f"{await said(question)}\n\n{END}")

        await self.tree.sync()

    def asked(self, message: discord.Message) -> str | None:
        """What a message asks, None when it is not for us."""
        role = message.guild.self_role if message.guild else None
        meant = (self.user in message.mentions) or (role in message.role_mentions) or message.guild is None
        if message.author.bot and FLAW != "bots":
            return None
        if not meant or (CHANNELS and str(message.channel.id) not in CHANNELS.split(",")):
            return None
        return re.sub(r"<@[!&]?\d+>", "", message.content).strip()

    async def on_message(self, message: discord.Message) -> None:
        question = self.asked(message)
        if question is None or (message.id in self.answers and FLAW != "twice"):
            return
        self.answers[message.id] = []
        self.running += 1
        try:
            if not question:
                await message.reply(HELP)
            else:
                await self._answer(message, question)
        finally:
            self.running -= 1

    async def _answer(self, message: discord.Message, question: str) -> None:
        where: Any = message.channel
        async with where.typing():
            texts = list(parts(await said(question)))
        if THREADS:
            where = await message.create_thread(name=question.replace("<", "")[:100])
        for number, text in enumerate(texts):
            first: dict[str, Any] = (
                {} if number or THREADS else {"reference": message.to_reference(fail_if_not_exists=False)}
            )
            self.answers[message.id].append(await where.send(text, suppress_embeds=True, **first))

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        if payload.data["edited_timestamp"] and (sent := self.answers.get(payload.message_id)):
            question = self.asked(payload.message) or ""
            await sent[0].edit(content=f"{await said(question)}\n\n{END}")

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        for sent in self.answers.pop(payload.message_id, []):
            await sent.delete()


async def live(port: int | None) -> int:
    discord.http.Route.BASE = os.environ["REPOPILOT_DISCORD_URL"]
    async with aiohttp.ClientSession() as session, session.get(f"{discord.http.Route.BASE}/gateway") as found:
        discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL((await found.json())["url"])
    bot = Bot()
    if port is not None:
        await _serve(bot, port)
    try:
        await bot.start(os.environ["REPOPILOT_DISCORD_TOKEN"])
    except discord.PrivilegedIntentsRequired:
        print("Switch on the MESSAGE CONTENT intent of the application.", file=sys.stderr)
        return 1
    return 0


async def _serve(bot: Bot, port: int) -> None:
    async def status(_: web.Request) -> web.Response:
        return web.json_response({"jobs": {"queued": 0, "running": bot.running, "set_aside": 0}})

    application = web.Application()
    application.router.add_get("/status", status)
    application.router.add_get("/healthz", status)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()


if __name__ == "__main__":
    if sys.argv[1] == "index":
        Path(os.environ["REPOPILOT_HOME"]).mkdir(exist_ok=True)
        sys.exit(0)
    sys.exit(asyncio.run(live(int(sys.argv[-1]) if sys.argv[1] == "serve" else None)))
