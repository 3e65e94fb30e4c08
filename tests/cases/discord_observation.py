"""What one case of section C showed: what the bot did on Discord, what its model was asked, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cases.http_observation import HttpObservation
from cases.rendering_markup_operators import ABOUT
from cases.rendering_observation import shown
from fakes.discord.calls import Call
from fakes.discord.posts import Interaction, Message
from fakes.discord.world import Change


@dataclass(frozen=True, slots=True)
class DiscordObservation(HttpObservation):
    """`api` are the bot's requests, `sent`, `edited`, … what they came to, in order; `later_edits` those after an event
    that was waited for. `messages` are the bot's messages as they stand in the end, without what was withdrawn.
    """

    api: Sequence[Call] = ()
    sent: Sequence[Change] = ()
    edited: Sequence[Change] = ()
    later_edits: Sequence[Change] = ()
    deleted: Sequence[Change] = ()
    reacted: Sequence[Change] = ()
    messages: Sequence[Message] = ()
    interactions: Sequence[Interaction] = ()
    questions: Sequence[str] = ()
    said: str = ""
    """what the model was told to answer"""
    connections: int = 0

    @property
    def texts(self) -> list[str]:
        """What can be read in the end."""
        return [message.content for message in self.messages if message.content]

    @property
    def answers(self) -> int:
        """How many answers there are: each ends with one line that says what it is."""
        return sum(len(ABOUT.findall(shown(text))) for text in self.texts)

    def to(self, pattern: Any) -> list[Call]:
        """The requests whose method and path are as the pattern says."""
        return [call for call in self.api if pattern.search(f"{call.method} {call.path}")]


def body_of(call: Call) -> Mapping[str, Any]:
    """The message in a request: the body, or what an answer to an interaction holds."""
    body = call.json if isinstance(call.json, dict) else {}
    return (body.get("data") or {}) if call.path.endswith("/callback") else body
