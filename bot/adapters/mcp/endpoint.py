"""The tools over streamable HTTP, as a part of the service. Nothing of the protocol is loaded until an agent calls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup, TaskStatus
from anyio.to_thread import run_sync
from starlette.types import Receive, Scope, Send

from bot.adapters.mcp.parts import Explain, Opening

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


class Endpoint:
    """An ASGI application. It keeps no sessions, so that any of several replicas can take any request.

    Who may call, how often and from which page is the service's business.
    """

    def __init__(self, opening: Opening, explain: Explain) -> None:
        self._opening = opening
        self._explain = explain
        self._lock = anyio.Lock()
        self._tasks: TaskGroup | None = None
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Requests are answered inside; leaving ends those that are still being worked on."""
        async with anyio.create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        manager = await self._started()
        await manager.handle_request(scope, receive, send)

    async def _started(self) -> StreamableHTTPSessionManager:
        assert self._tasks, "running() comes first"
        async with self._lock:
            if self._manager is None:
                manager = await run_sync(self._made)
                await self._tasks.start(_kept_running, manager)
                self._manager = manager
        return self._manager

    def _made(self) -> StreamableHTTPSessionManager:
        """Importing sse-starlette patches uvicorn's handling of signals; by now uvicorn has its handlers in place."""
        from mcp.server.transport_security import TransportSecuritySettings

        from bot.adapters.mcp.tools import create_server

        server = create_server(self._opening, self._explain)
        anybody = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        server.streamable_http_app(stateless_http=True, transport_security=anybody)
        return server.session_manager


async def _kept_running(manager: StreamableHTTPSessionManager, *, task_status: TaskStatus[None]) -> None:
    async with manager.run():
        task_status.started()
        await anyio.sleep_forever()
