"""A loopback Discord: the part of its REST API and gateway that a bot meets, with its rules, limits and failures.

    with DiscordServer() as discord:
        question = discord.people.ask("why?")
        discord.wait_until(lambda server: server.sends, 10)
        discord.people.react(discord.sends[0].message, "👎")

The bot is `RepoPilot` (900…1) of the application with the same id; it is in the guild 920…1, whose channel
930…1 is called `general` and whose forum 930…15 `help`. `token` is its token.

discord.py is led here by two attributes of classes; nothing else in it names a host that a bot calls:

    discord.http.Route.BASE = f"{server.url}"                                        # https://discord.com/api/v10
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(server.gateway.url)  # what `GET {url}/gateway` says

`Client` connects to DEFAULT_GATEWAY without asking, and so does a sharded client that is told how many shards it has;
both go back there when a session is invalid. Both attributes are read at each use, so they may be set at any time
before `Client.start`. `GET {url}/gateway` needs no token: a program that is given another base URL can always ask it.
Routes of webhooks and interactions are made by the same class `Route`. Avatars and the like are only loaded by who
asks for them. discord.py asks for zstd-stream where `zstandard` is installed, else for zlib-stream; both are spoken.

https://discord.com/developers/docs/reference
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from aiohttp import web

from fakes.discord import rest_application, rest_channels, rest_interactions, rest_messages
from fakes.discord.calls import Call, Hub, Reply, Routes, json_of, major
from fakes.discord.deeds import Deeds
from fakes.discord.gateway import Gateway
from fakes.discord.limits import BANNED, VIA, Limits
from fakes.discord.people import Application, ChannelType, User
from fakes.discord.problems import Problem, not_found, unauthorized
from fakes.discord.script import Faults
from fakes.discord.world import Change, World
from fakes.faults import Answer
from fakes.github.moments import filled

ROUTES = Routes().include(rest_application.ROUTES, rest_channels.ROUTES, rest_messages.ROUTES, rest_interactions.ROUTES)
BOT_ID, ROLE_ID, GUILD_ID, CHANNEL_ID, FORUM_ID = (
    900_000_000_000_000_001,
    910_000_000_000_000_001,
    920_000_000_000_000_001,
    930_000_000_000_000_001,
    930_000_000_000_000_015,
)
TOKEN = "OTAwMDAwMDAwMDAwMDAwMDAx.FAKEfa.fake-token-of-a-loopback-discord-0001"
API = "/api/v10"
START_LIMIT_S = 10.0


class DiscordServer:
    """The fake, in a thread of its own. `start` after `stop` comes back on the same port with the same state.

    `calls` are the requests in their order; whoever only wants to know what came of them looks at `world.changes`.
    """

    def __init__(self, port: int = 0) -> None:
        self.token = TOKEN
        owner, bot = User(940_000_000_000_000_099, "olivia"), User(BOT_ID, "RepoPilot", bot=True)
        self.world = World(Application(BOT_ID, "RepoPilot", owner, bot, TOKEN))
        self.gateway, self.limits, self.faults = Gateway(self.world), Limits(), Faults()
        self.guild = self.world.guild("Engine", id=GUILD_ID)
        self._number_role()
        self.channel = self.world.channel("general", self.guild, id=CHANNEL_ID)
        self.forum = self.world.channel("help", self.guild, id=FORUM_ID, type=ChannelType.FORUM)
        self.people = Deeds(self.world, self.gateway, self.channel)
        self.calls: list[Call] = []
        self._port = port
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listen()

    def _number_role(self) -> None:
        role = self.world.managed_role(self.guild)
        self.guild.roles[ROLE_ID] = self.guild.roles.pop(role.id)
        role.id = ROLE_ID

    def _listen(self) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", self._port))
        self._port = self._socket.getsockname()[1]
        self.gateway.url = f"ws://127.0.0.1:{self._port}/"

    @property
    def url(self) -> str:
        """The base URL of the API, as `https://discord.com/api/v10` is one."""
        return f"http://127.0.0.1:{self._port}{API}"

    def __enter__(self) -> DiscordServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        if self._socket.fileno() < 0:
            self._listen()
        started = threading.Event()
        self._thread = threading.Thread(target=asyncio.run, args=(self._run(started),), daemon=True)
        self._thread.start()
        if not started.wait(START_LIMIT_S):
            raise RuntimeError("the loopback Discord did not start")

    def stop(self) -> None:
        """Refuse connections from now on; requests in the middle are cut, and so is the gateway."""
        if self._loop and self._thread and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ending.set)
            self._thread.join(START_LIMIT_S)
        self._socket.close()

    # What tests look at and do.

    @property
    def sends(self) -> list[Change]:
        """The messages that the bot has made."""
        return self.world.done("sent")

    @property
    def edits(self) -> list[Change]:
        return self.world.done("edited")

    def called(self, route: str) -> list[Call]:
        """The requests to a route as the documentation writes it: `POST /channels/{channel_id}/messages`."""
        return [call for call in list(self.calls) if call.route == route]

    def play(self, scripts: Mapping[str, Any]) -> None:
        """What goes wrong from now on, by "METHOD /path"; see `fakes.discord.script`."""
        self.faults.play(scripts)

    def wait_until(self, condition: Callable[[DiscordServer], Any], seconds: float) -> bool:
        """Whether the condition came true within that time."""
        deadline = time.monotonic() + seconds
        while not (met := bool(condition(self))) and time.monotonic() < deadline:
            time.sleep(0.02)
        return met

    # What serves.

    async def _run(self, started: threading.Event) -> None:
        self._loop, self._ending = asyncio.get_running_loop(), asyncio.Event()
        application = web.Application()
        application.router.add_get("/", self.gateway.serve)
        application.router.add_get("/resume", self.gateway.serve)
        application.router.add_route("*", f"{API}/{{path:.*}}", self._serve)
        runner = web.AppRunner(application, access_log=None, handle_signals=False, shutdown_timeout=0.01)
        await runner.setup()
        await web.SockSite(runner, self._socket).start()
        started.set()
        await self._ending.wait()
        self.gateway.drop()
        await asyncio.sleep(0)
        await runner.cleanup()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        call = await self._call(request)
        self.calls.append(call)
        try:
            if self.limits.banned:
                call.status = 429
                return web.Response(status=429, text=BANNED, content_type="text/html")
            scripted = self.faults.take(call.method, call.path, call.json)
            reply = await self._reply(call, scripted)
            if reply is None:
                call.status = 0
                return await _cut(request)
            return self._response(call, reply, scripted)
        finally:
            call.seconds = time.monotonic() - call.at

    async def _call(self, request: web.Request) -> Call:
        headers = {name.lower(): value for name, value in request.headers.items()}
        document, files = await _body(request)
        path = request.raw_path.partition("?")[0].removeprefix(API)
        hub = Hub(self.world, self.gateway, self.url.removesuffix(API))
        return Call(request.method, path, dict(request.query), headers, document, hub, files)

    async def _reply(self, call: Call, scripted: Answer | None) -> Reply | None:
        """What is answered; None for a connection that is to be cut."""
        if scripted is None:
            return self._own(call)
        if scripted.cut == "after":
            self._own(call)
        await asyncio.sleep(scripted.delay_s)
        if scripted.cut:
            return None
        if not scripted.takes_effect:
            found = ROUTES.find(call.method, call.path)
            call.route = found[0].name if found else ""
            return _scripted(scripted)
        own = self._own(call)
        if own.status >= 300 or scripted.json is None:
            return Reply(own.status, own.document, {**own.headers, **filled(dict(scripted.headers))})
        return Reply(own.status, {**own.document, **filled(scripted.json)}, own.headers)

    def _own(self, call: Call) -> Reply:
        """What the API answers by its rules."""
        headers: dict[str, str] = {}
        with self.world.lock:
            try:
                found = ROUTES.find(call.method, call.path)
                if found is None:
                    raise not_found()
                route, match = found
                call.route = route.name
                if not route.open and call.headers.get("authorization") != f"Bot {self.token}":
                    raise unauthorized()
                headers = self.limits.count(route.name, major(match))
                reply = route.handler(call, **route.places(match))
                return Reply(reply.status, reply.document, {**headers, **reply.headers})
            except Problem as problem:
                return Reply(problem.status, problem.document, {**headers, **problem.headers})

    def _response(self, call: Call, reply: Reply, scripted: Answer | None) -> web.Response:
        call.status, call.said = reply.status, reply.document
        self.limits.count_answer(reply.status, reply.headers.get("X-RateLimit-Scope", ""))
        headers = {**VIA, **reply.headers}
        if scripted and scripted.body is not None:
            return web.Response(status=reply.status, text=str(filled(scripted.body)), content_type="text/html")
        if reply.status == HTTPStatus.NO_CONTENT:
            return web.Response(status=204, headers=headers)
        # `application/json` exactly: discord.py takes anything else for a text.
        data = json.dumps(reply.document).encode()
        return web.Response(status=reply.status, body=data, headers=headers | {"Content-Type": "application/json"})


async def _body(request: web.Request) -> tuple[Any, list[str]]:
    """The JSON of a request, which lies beside its files when it has some, and their names."""
    if not request.content_type.startswith("multipart/"):
        return json_of(await request.read()), []
    document, files = None, []
    async for part in await request.multipart():
        data = await part.read()  # type: ignore[union-attr]
        if part.name == "payload_json":  # type: ignore[union-attr]
            document = json_of(bytes(data))
        else:
            files.append(part.filename or "file")  # type: ignore[union-attr]
    return document, files


async def _cut(request: web.Request) -> web.StreamResponse:
    """Close the connection without a word, as a crashed proxy does."""
    if request.transport:
        request.transport.abort()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.sleep(0)
    return web.Response()


def _scripted(answer: Answer) -> Reply:
    status = answer.status or 200
    plain = {"message": f"{status}: {HTTPStatus(status).phrase}", "code": 0}
    return Reply(status, filled(answer.json) if answer.json is not None else plain, filled(dict(answer.headers)))
