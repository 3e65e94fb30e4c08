"""What stands below an answer to be pressed. Buttons know their answer by their id alone, so they outlive a restart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import discord
from discord.ui import Button, DynamicItem, View

from bot.adapters.discord.answers import Answers
from bot.history import Vote

THANKS: Final = "Thank you, noted."
NO_SOURCES: Final = "The sources of this answer are not kept any more."
# Five in a row, and five rows; the first row has the votes and the sources.
MOST_LINKS: Final = 5
_LONGEST_LABEL: Final = 80
_ANSWER: Final = r"(?P<answer>[\w-]{1,64})"


class VoteButton(DynamicItem[Button[View]], template=rf"rp:(?P<vote>up|down):{_ANSWER}"):
    """👍 or 👎: counted once for each person."""

    answers: Answers

    def __init__(self, vote: Vote, answer: str) -> None:
        emoji = "👍" if vote == "up" else "👎"
        super().__init__(Button(emoji=emoji, style=discord.ButtonStyle.secondary, custom_id=f"rp:{vote}:{answer}"))
        self.vote = vote
        self.answer = answer

    @classmethod
    async def from_custom_id(cls, interaction: Any, item: Any, match: re.Match[str], /) -> VoteButton:
        return cls("up" if match["vote"] == "up" else "down", match["answer"])

    async def callback(self, interaction: Any) -> None:
        await self.answers.vote(self.answer, f"discord:{interaction.user.id}", self.vote)
        await interaction.response.send_message(THANKS, ephemeral=True)


class SourcesButton(DynamicItem[Button[View]], template=rf"rp:sources:{_ANSWER}"):
    """The lines that an answer cites, for whoever pressed it alone."""

    answers: Answers

    def __init__(self, answer: str) -> None:
        super().__init__(Button(label="Sources", style=discord.ButtonStyle.secondary, custom_id=f"rp:sources:{answer}"))
        self.answer = answer

    @classmethod
    async def from_custom_id(cls, interaction: Any, item: Any, match: re.Match[str], /) -> SourcesButton:
        return cls(match["answer"])

    async def callback(self, interaction: Any) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        pages = await self.answers.sources(self.answer) or [NO_SOURCES]
        for page in pages:
            await interaction.followup.send(page, ephemeral=True, suppress_embeds=True)


def below(answer: str, links: Sequence[tuple[str, str]]) -> View:
    """The buttons below an answer; `links` are labels and addresses of its sources."""
    view = View(timeout=None)
    view.add_item(VoteButton("up", answer))
    view.add_item(VoteButton("down", answer))
    if links:
        view.add_item(SourcesButton(answer))
    for label, url in links[:MOST_LINKS]:
        view.add_item(Button(label=_short(label), url=url, row=1))
    return view


def _short(label: str) -> str:
    """A label that fits, with its end, where the file's name and lines are."""
    return label if len(label) <= _LONGEST_LABEL else f"…{label[1 - _LONGEST_LABEL :]}"
