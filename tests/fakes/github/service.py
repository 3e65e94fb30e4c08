"""What answers requests: the API by its rules, or the script of a test in its place. An ASGI application."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from datetime import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from fakes.faults import Answer
from fakes.github import graph, rest_app, rest_posts, rest_repositories
from fakes.github.calls import Call, Hub, Reply, Routes
from fakes.github.moments import filled
from fakes.github.posts import Post
from fakes.github.problems import Problem
from fakes.github.script import Faults
from fakes.github.world import World

ROUTES = Routes().include(rest_app.ROUTES, rest_repositories.ROUTES, rest_posts.ROUTES, graph.ROUTES)
ENTERPRISE = {"/api/v3": "", "/api/graphql": "/graphql"}
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
# How soon it is seen that waiting is over.
POLL_S = 0.05


class Service:
    """`calls` are the requests in their order."""

    def __init__(self, hub: Hub, faults: Faults) -> None:
        self._hub, self.faults = hub, faults
        self.hurried = threading.Event()
        self.calls: list[Call] = []

    @property
    def _world(self) -> World:
        return self._hub.world

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        call = await self._call(scope, receive)
        self.calls.append(call)
        try:
            scripted = self.faults.take(call)
            reply = await self._reply(call, scripted, receive)
            if reply is None:
                call.status = 0
                await _cut(send)
            else:
                await self._send(call, reply, scripted, send)
        finally:
            call.seconds = time.monotonic() - call.at

    async def _call(self, scope: Scope, receive: Receive) -> Call:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        path = scope["path"]
        for prefix, plain in ENTERPRISE.items():
            if path.startswith(prefix):
                path = plain + path.removeprefix(prefix)
        return Call(scope["method"], path, query, headers, body, self._hub)

    async def _reply(self, call: Call, scripted: Answer | None, receive: Receive) -> Reply | None:
        """What is answered; None for a connection that is to be cut."""
        if scripted is None:
            return self._own(call)
        if scripted.cut == "after":
            self._own(call)
        if not await _patient(scripted.delay_s, receive, self.hurried) or scripted.cut:
            return None
        if not scripted.takes_effect:
            return self._scripted(scripted, call, None)
        known = len(self._world.posts)
        own = self._own(call)
        made = self._world.posts[known] if len(self._world.posts) > known else None
        return own if scripted.status is None else self._scripted(scripted, call, own, made)

    def _own(self, call: Call) -> Reply:
        """What the API answers by its rules."""
        with self._world.lock:
            try:
                if "user-agent" not in call.headers:
                    raise Problem(403, "Request forbidden by administrative rules. Please set a User-Agent header.")
                if call.path != "/rate_limit":
                    self._hub.limits.count()
                return ROUTES.answer(call)
            except Problem as problem:
                if call.path == "/graphql" and problem.message.startswith("API rate limit"):
                    return Reply(200, graph.error_document("RATE_LIMITED", problem.message))
                return Reply(problem.status, problem.document, problem.headers)

    def _scripted(self, answer: Answer, call: Call, own: Reply | None, made: Post | None = None) -> Reply:
        """The answer of the script; of a success, the fields it names stand over those of what was made."""
        status, told = answer.status or 200, filled(answer.json)
        if own is None or own.status >= 300 or not isinstance(told, dict):
            return Reply(status, told if told is not None else _default(status), filled(dict(answer.headers)))
        document = own.document
        with self._world.lock:
            if made is not None:
                _rename(made, told, self._world)
                document = _again(call, made, document)
            if {"token", "expires_at"} & told.keys():
                token = self._world.tokens.pop(document["token"])
                token.value = told.get("token", token.value)
                token.expires_at = datetime.fromisoformat(told.get("expires_at", document["expires_at"])).timestamp()
                self._world.add_token(token)
        return Reply(status, _merged(document, told), {**own.headers, **filled(dict(answer.headers))})

    async def _send(self, call: Call, reply: Reply, scripted: Answer | None, send: Send) -> None:
        empty = reply.status == HTTPStatus.NO_CONTENT
        data = b"" if empty else json.dumps(reply.document).encode()
        if scripted and scripted.body is not None:
            data = str(filled(scripted.body)).encode()
        about = {"X-GitHub-Request-Id": _request_id(), "X-GitHub-Media-Type": "github.v3; format=json"}
        kind = {} if empty else {"Content-Type": "application/json; charset=utf-8"}
        headers = _overlaid(kind | about | self._hub.limits.headers, reply.headers)
        headers |= {"content-length": str(len(data))}
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        call.status = reply.status
        await send({"type": "http.response.start", "status": reply.status, "headers": raw})
        await send({"type": "http.response.body", "body": data})


async def _cut(send: Send) -> None:
    """Close the connection without a word, as a crashed proxy does; uvicorn's `send` belongs to the connection."""
    send.__self__.transport.abort()  # type: ignore[attr-defined]
    await asyncio.sleep(0.01)  # until the server has noticed


async def _patient(seconds: float, receive: Receive, hurried: threading.Event) -> bool:
    """Wait so long, or until hurried; returns whether the client did, too."""
    if not seconds:
        return True
    gone = asyncio.ensure_future(receive())
    until, done = time.monotonic() + seconds, set[asyncio.Future[MutableMapping[str, Any]]]()
    while not done and time.monotonic() < until and not hurried.is_set():
        done, _ = await asyncio.wait({gone}, timeout=min(POLL_S, until - time.monotonic()))
    if not done:
        gone.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await gone
    return not done


def _rename(made: Post, told: Mapping[str, Any], world: World) -> None:
    """Give what was made the ids that a script names, at the top or within a mutation's data; each but once."""
    inner = told
    for name in ("data", None, "comment"):
        step = inner.get(name) if name else next(iter(inner.values()), None)
        if not isinstance(step, Mapping):
            break
        inner = step
    taken = {id_ for post in world.of(type(made)) for id_ in (post.id, post.node_id)}
    if isinstance(told.get("id"), int) and told["id"] not in taken:
        made.node_id = told.get("node_id") or made.node_id.replace(str(made.id), str(told["id"]))
        made.id = told["id"]
    elif inner is not told and isinstance(inner.get("id"), str) and inner["id"] not in taken:
        made.node_id = inner["id"]


def _again(call: Call, made: Post, document: Any) -> Any:
    """The document of a new comment with its new ids."""
    if call.path == "/graphql":
        return document
    documents = call.hub.documents
    return documents.review_comment(made) if "/pulls/" in call.path else documents.comment(made)  # type: ignore[arg-type]


def _merged(document: Any, told: Any) -> Any:
    if not isinstance(document, dict) or not isinstance(told, dict):
        return told
    return document | {name: _merged(document.get(name), value) for name, value in told.items()}


def _default(status: int) -> Any:
    return None if status < 300 else Problem(status, HTTPStatus(status).phrase).document


def _overlaid(under: Mapping[str, str], over: Mapping[str, str]) -> dict[str, str]:
    """Headers by their names in lower case."""
    return {name.lower(): value for headers in (under, over) for name, value in headers.items()}


def _request_id() -> str:
    return ":".join(secrets.token_hex(2).upper() for _ in range(5))
