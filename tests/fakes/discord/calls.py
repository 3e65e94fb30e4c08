"""One request as it came and what is answered: the values that pass between the server, its routes and its log."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fakes.discord import problems
from fakes.discord.people import Channel, Permission
from fakes.discord.posts import Message
from fakes.discord.world import World

if TYPE_CHECKING:
    from fakes.discord.gateway import Gateway

MAJOR = ("channel_id", "guild_id", "application_id", "interaction_id", "token")
"""The parameters of a path that have a rate limit of their own; a token stands for its webhook."""


@dataclass(frozen=True, slots=True)
class Hub:
    """Everything that a route may need; `url` is the server's, without a path."""

    world: World
    gateway: Gateway
    url: str


@dataclass(eq=False, slots=True)
class Call:
    """A request, and how it ended: `status` is 0 for a connection that was cut, None while it is being answered.

    `path` is without `/api/v10`; header names are in lower case; `at` is monotonic; `route` is the path as the
    documentation writes it, with its method. `files` are the names of what was uploaded.
    """

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    json: Any
    hub: Hub = field(repr=False)
    files: list[str] = field(default_factory=list)
    route: str = ""
    at: float = field(default_factory=time.monotonic)
    status: int | None = None
    said: Any = None
    seconds: float = 0.0

    @property
    def world(self) -> World:
        return self.hub.world

    @property
    def body(self) -> Mapping[str, Any]:
        """The body, which must be a JSON object."""
        if not isinstance(self.json, dict):
            raise problems.no_json()
        return self.json | ({"files": self.files} if self.files else {})

    def channel(self, id: int, *permissions: Permission) -> Channel:
        """The channel in the path, where the bot may do this; raises a Problem."""
        found = self.world.channels.get(id)
        if found is None:
            raise problems.unknown_channel()
        if found.guild and self.world.bot.id not in found.guild.members:
            raise problems.missing_access()
        held = found.permissions(self.world.bot)
        if not held & Permission.VIEW_CHANNEL:
            raise problems.missing_access()
        if any(not held & permission for permission in permissions):
            raise problems.missing_permissions()
        return found

    def message(self, channel: Channel, id: int) -> Message:
        """The message in the path; raises a Problem."""
        found = self.world.message(channel, id)
        if found is None:
            raise problems.unknown_message()
        return found

    def dispatch_message(self, event: str, message: Message) -> None:
        self.hub.gateway.message(event, message)


@dataclass(frozen=True, slots=True)
class Reply:
    """204 without a document."""

    status: int = 200
    document: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[..., Reply]


@dataclass(frozen=True, slots=True)
class Route:
    """`open` ones need no bot token: what they do is proven by a token in their path."""

    name: str
    pattern: re.Pattern[str]
    handler: Handler
    open: bool

    def places(self, found: re.Match[str]) -> dict[str, Any]:
        return {name: int(value) if name.endswith("_id") else value for name, value in found.groupdict().items()}


class Routes:
    """Paths with places in braces, and the function that answers each: `handler(call, **places)`.

    A place whose name ends in `_id` is a snowflake.
    """

    def __init__(self) -> None:
        self._routes: list[Route] = []

    def add(self, method: str, path: str, *, open: bool = False) -> Callable[[Handler], Handler]:
        parts = re.split(r"\{(\w+)\}", path)
        shapes = (
            rf"(?P<{part}>{_shape(part)})" if number % 2 else re.escape(part) for number, part in enumerate(parts)
        )
        pattern = re.compile(f"{method} {''.join(shapes)}")

        def register(handler: Handler) -> Handler:
            self._routes.append(Route(f"{method} {path}", pattern, handler, open))
            return handler

        return register

    def include(self, *others: Routes) -> Routes:
        for other in others:
            self._routes += other._routes
        return self

    def find(self, method: str, path: str) -> tuple[Route, re.Match[str]] | None:
        """The route that answers, None where there is none."""
        for route in self._routes:
            if found := route.pattern.fullmatch(f"{method} {path}"):
                return route, found
        return None


def _shape(place: str) -> str:
    return r"\d+" if place.endswith("_id") else r"[^/]+"


def major(found: re.Match[str]) -> str:
    """The parameters of a request that have a bucket of their own."""
    places = found.groupdict()
    return "+".join(places[name] for name in MAJOR if name in places)


def json_of(data: bytes) -> Any:
    """A body as JSON, None when there is none or it is no JSON."""
    try:
        return json.loads(data)
    except ValueError:
        return None
