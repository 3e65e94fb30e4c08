"""An answer in the making becomes server-sent events; a client that leaves stops the work for it at once.

FastAPI's own `format_sse_event` frames the events. Its EventSourceResponse serves only endpoints that do nothing but
stream and answers 200 before the index is read, and sse-starlette patches uvicorn's signal handling when imported.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from pydantic import BaseModel
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from bot.adapters.http import wire
from bot.adapters.http.problem import Problem, explained
from bot.types import Answer, Event, PassagesFound, Token

HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


class EventStream(Response):
    """A response of server-sent events, of which nobody knows yet how long it will be."""

    media_type = "text/event-stream"

    def __init__(self) -> None:
        super().__init__(headers=HEADERS)
        del self.headers["Content-Length"]


class AnswerStream(EventStream):
    """The events of an answer. What fails before the first of them is raised, and so becomes an ordinary response.
    Those that are bytes are framed already."""

    def __init__(self, events: AsyncGenerator[Event | bytes], ping_s: float) -> None:
        super().__init__()
        self._events = events
        self._ping_s = ping_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """All events in one task, since what makes them may hold cancel scopes open across them."""
        async with while_connected(receive), aclosing(self._events) as events:
            first = await anext(events)
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            async with pinging(lambda comment: send(_body(comment)), self._ping_s):
                await send(_body(frame(first)))
                try:
                    async for event in events:
                        await send(_body(frame(event)))
                except ClientDisconnect:
                    raise
                except Exception as error:  # noqa: BLE001 - the edge: a status can no longer say it
                    await send(_body(_failed(explained(error))))
            await send(_body(b"", more=False))


async def last_words(send: Send, problem: Problem) -> None:
    """End a stream that was begun with what went wrong."""
    await send(_body(_failed(problem)))
    await send(_body(b"", more=False))


def frame(event: Event | bytes) -> bytes:
    """The event as it goes over the wire; its data is JSON, so that no line end in it matters."""
    match event:
        case bytes():
            return event
        case PassagesFound():
            return _frame("passages", wire.SearchResponse.model_validate(event))
        case Token():
            return _frame("token", wire.Token.model_validate(event))
        case Answer():
            return _frame("answer", wire.Answer.model_validate(event))


def _failed(problem: Problem) -> bytes:
    return _frame("error", wire.ErrorBody.model_validate(problem.body))


def _frame(name: str, data: BaseModel) -> bytes:
    return format_sse_event(event=name, data_str=data.model_dump_json())


def _body(data: bytes, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": data, "more_body": more}


@asynccontextmanager
async def while_connected(receive: Receive) -> AsyncIterator[None]:
    """Cancels what runs inside when the client leaves, and raises ClientDisconnect. The body must have been read.

    asyncio's timeout, not anyio's scope: it cancels once, so that what is cancelled can await its cleaning up.
    """
    scope = asyncio.timeout(None)
    try:
        async with scope:
            watcher = asyncio.create_task(_end_when_left(receive, scope))
            try:
                yield
            finally:
                watcher.cancel()
    except TimeoutError:
        if not scope.expired():
            raise
        raise ClientDisconnect from None


async def _end_when_left(receive: Receive, scope: asyncio.Timeout) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    with suppress(RuntimeError):  # it has ended already
        scope.reschedule(0)


@asynccontextmanager
async def pinging(write: Callable[[bytes], Awaitable[None]], every_s: float) -> AsyncIterator[None]:
    """Writes a comment now and then while the context is open, which keeps the connection from being ended."""

    async def ping() -> None:
        while True:
            await asyncio.sleep(every_s)
            await write(KEEPALIVE_COMMENT)

    pinger = asyncio.create_task(ping())
    try:
        yield
    finally:
        pinger.cancel()
