"""A loopback GitHub: the part of its REST and GraphQL API that a bot meets, with its rules, limits and failures.

    with GitHubServer() as github:
        issue = github.world.issue("Title", "Body")
        github.world.app.hook_url = "http://127.0.0.1:8080/webhooks/github"
        github.deliver(github.world.comment(issue, "@RepoPilot why?"))
        github.replies

The App is 424242 (`repopilot[bot]`), installed as 5550001 on `example-org/engine`; `private_key` is its key.
https://docs.github.com/rest
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import uvicorn

from fakes.github.calls import Call, Hub
from fakes.github.credentials import key_pair
from fakes.github.deliveries import Deliveries, Delivery
from fakes.github.documents import Documents
from fakes.github.limits import Limits
from fakes.github.payloads import Payloads
from fakes.github.people import App, Repository, User
from fakes.github.posts import Post
from fakes.github.script import Faults
from fakes.github.service import Service
from fakes.github.world import Change, World

APP_ID, INSTALLATION_ID, REPOSITORY = 424_242, 5_550_001, "example-org/engine"
START_LIMIT_S = 10.0


class GitHubServer:
    """The fake, in a thread of its own. `start` after `stop` comes back on the same port with the same state.

    `calls` are the requests in their order; whoever only wants to know what came of them looks at `world.changes`.
    """

    def __init__(self, port: int = 0) -> None:
        self.private_key, public = key_pair()
        owner, bot = User("example-org", 9_001, "Organization"), User("repopilot[bot]", 424_243, "Bot")
        self.world = World(App(APP_ID, "repopilot", "RepoPilot", owner, bot, public))
        self.world.users["alice-dev"] = User("alice-dev", 1_001)
        self.repository: Repository = self.world.repository(REPOSITORY, id=7_001)
        self.installation = self.world.install(INSTALLATION_ID, self.repository)
        self.limits = Limits()
        self.deliveries = Deliveries(self.world)
        self._port = port
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self._listen()
        self._service = Service(Hub(self.world, self.documents, self.limits, self.deliveries), Faults())

    def _listen(self) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", self._port))
        self._port = self._socket.getsockname()[1]

    @property
    def url(self) -> str:
        """The base URL of the API, as `https://api.github.com` is one."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def enterprise_url(self) -> str:
        """The base URL as an Enterprise server has it."""
        return f"{self.url}/api/v3"

    def __enter__(self) -> GitHubServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        if self._socket.fileno() < 0:
            self._listen()
        options: dict[str, Any] = {
            "lifespan": "off",
            "access_log": False,
            "log_config": None,
            "log_level": "error",
            "interface": "asgi3",
        }
        config = uvicorn.Config(
            self._service, server_header=False, proxy_headers=False, timeout_keep_alive=60, **options
        )
        self._server = _Prompt(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()
        deadline = time.monotonic() + START_LIMIT_S
        while not self._server.started and time.monotonic() < deadline:
            time.sleep(0.005)

    def stop(self) -> None:
        """Refuse connections from now on; requests in the middle are cut."""
        if self._server and self._thread:
            self._server.should_exit = self._server.force_exit = True
            self._thread.join(START_LIMIT_S)
        self._socket.close()

    # What tests look at and do.

    @property
    def calls(self) -> list[Call]:
        return self._service.calls

    @property
    def documents(self) -> Documents:
        return Documents(self.url)

    @property
    def payloads(self) -> Payloads:
        return Payloads(self.world, self.documents)

    @property
    def replies(self) -> list[Change]:
        """The comments that the App's bot has made."""
        return self.world.done("created")

    @property
    def edits(self) -> list[Change]:
        return self.world.done("edited")

    def called(self, method: str, path: str) -> list[Call]:
        """The requests to exactly this path."""
        return [call for call in list(self.calls) if (call.method, call.path) == (method, path)]

    @property
    def faults(self) -> Faults:
        """What goes wrong; a test may put its own there."""
        return self._service.faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        self._service.faults = faults

    def play(self, scripts: Mapping[str, Any]) -> None:
        """What goes wrong from now on, by "METHOD /path"; see `fakes.github.script`."""
        self.faults.play(scripts)

    def hurry(self) -> None:
        """Let no answer wait any longer, whatever its script says."""
        self._service.hurried.set()

    def deliver(
        self, post: Post, action: str = "", *, before: str | None = None, sender: str = "", label: str = "", **how: Any
    ) -> Delivery:
        """Send the webhook about a text; `how` goes to `Deliveries.send`."""
        event, payload = self.payloads.about(post, action, before=before, sender=sender, label=label)
        return self.deliveries.send(event, payload, **how)

    def wait_until(self, condition: Callable[[GitHubServer], Any], seconds: float) -> bool:
        """Whether the condition came true within that time."""
        deadline = time.monotonic() + seconds
        while not (met := bool(condition(self))) and time.monotonic() < deadline:
            time.sleep(0.02)
        return met


class _Prompt(uvicorn.Server):
    """uvicorn, which looks oftener whether it is to end, and ends at once: a test should not wait for it."""

    async def main_loop(self) -> None:
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            await asyncio.sleep(0.02)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.transport.abort()
