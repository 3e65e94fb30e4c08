"""Who may ask where, and how a server wants it: settings of the operator, and of each server's administrators. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from bot.adapters.discord.types import Ask, Heard


@dataclass(frozen=True, slots=True)
class Policy:
    """What the operator decides: sets of ids, empty where any will do."""

    guilds: frozenset[int] = frozenset()
    channels: frozenset[int] = frozenset()
    denied: frozenset[int] = frozenset()
    """servers, channels and people that are not answered"""
    direct: bool = True
    threads: bool = False
    streaming: bool = True
    editable_s: float = 900.0
    """seconds after which an edited question does not change its answer any more"""


@dataclass(frozen=True, slots=True)
class Config:
    """What a server's administrators decided with `/config`, for the server or one channel; None: as it is above."""

    repository: str | None = None
    ref: str | None = None
    threads: bool | None = None
    role: int | None = None
    """who may ask"""

    def over(self, other: Config) -> Config:
        """This, with the other's where this says nothing."""
        ours = {field.name: getattr(self, field.name) for field in fields(self)}
        return Config(**{name: getattr(other, name) if value is None else value for name, value in ours.items()})


def config_key(place: int) -> str:
    """Under what the ledger keeps the configuration of a server or channel."""
    return f"discord:config:{place}"


def configured(kept: Mapping[str, Any] | None) -> Config:
    """The configuration that was kept; nothing decided when there is none."""
    known = {field.name for field in fields(Config)}
    return Config(**{name: value for name, value in (kept or {}).items() if name in known})


def may_be_asked(ask: Ask, policy: Policy) -> bool:
    """Whether we answer this person in this place."""
    places = {place for place in (ask.guild, ask.channel, ask.parent) if place}
    if ask.author in policy.denied or not places.isdisjoint(policy.denied):
        return False
    if ask.guild is None:
        return policy.direct
    in_guild = not policy.guilds or ask.guild in policy.guilds
    in_channel = not policy.channels or not policy.channels.isdisjoint({ask.channel, ask.parent})
    return in_guild and in_channel


def in_time(heard: Heard, policy: Policy) -> bool:
    """Whether a message is new, or was edited soon enough to change its answer."""
    age = datetime.fromisoformat(heard.at) - datetime.fromisoformat(heard.written)
    return age.total_seconds() <= policy.editable_s


def admitted(config: Config, held: Collection[int]) -> bool:
    """Whether somebody who holds these roles may ask there."""
    return config.role is None or config.role in held
