"""How servers want it, as the ledger keeps what was decided with `/config`."""

from __future__ import annotations

from dataclasses import asdict

from anyio.to_thread import run_sync

from bot.adapters.discord.policy import Config, config_key, configured
from bot.adapters.discord.types import Ask
from bot.ledger import Ledger


class Configs:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def of(self, ask: Ask) -> Config:
        """What holds for a question: its thread's or channel's choices before those of its server."""
        found = Config()
        for place in (ask.channel, ask.parent, ask.guild):
            if place:
                found = found.over(await self.at(place))
        return found

    async def at(self, place: int) -> Config:
        """What was decided for one server or channel alone."""
        return configured(await run_sync(self._ledger.kept, config_key(place)))

    async def keep(self, place: int, config: Config) -> None:
        await run_sync(self._ledger.keep, config_key(place), asdict(config))
