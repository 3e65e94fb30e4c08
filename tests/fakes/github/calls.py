"""One request as it came and what is answered: the values that pass between the server, its routes and its log."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.routing import compile_path

from fakes.github import problems
from fakes.github.credentials import Caller, caller
from fakes.github.documents import Document, Documents
from fakes.github.people import Level, Repository
from fakes.github.world import World

if TYPE_CHECKING:
    from fakes.github.deliveries import Deliveries
    from fakes.github.limits import Limits

PER_PAGE, PER_PAGE_MAX = 30, 100  # https://docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api


@dataclass(frozen=True, slots=True)
class Hub:
    """Everything that a route may need."""

    world: World
    documents: Documents
    limits: Limits
    deliveries: Deliveries


@dataclass(eq=False, slots=True)
class Call:
    """A request, and how it ended: `status` is 0 for a connection that was cut, None while it is being answered.

    `path` has no query and no `/api/v3`; header names are in lower case; `at` is monotonic.
    """

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    hub: Hub = field(repr=False)
    at: float = field(default_factory=time.monotonic)
    status: int | None = None
    seconds: float = 0.0

    @property
    def json(self) -> Any:
        """The body as JSON, None when there is none or it is no JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def text(self) -> str:
        """What the client wants to have written: the `body` field, also of a GraphQL mutation's variables."""
        return _text(self.json)

    @property
    def operations(self) -> list[str]:
        """The mutations that a GraphQL request names, or `query`; empty for anything else."""
        if self.path != "/graphql":
            return []
        query = str((self.json or {}).get("query", ""))
        return re.findall(r"\b(\w+)\s*\(\s*input\s*:", query) or ["query"]

    @property
    def caller(self) -> Caller:
        return caller(self.hub.world, self.headers)

    def fields(self) -> Mapping[str, Any]:
        """The body, which must be a JSON object."""
        if not isinstance(self.json, dict):
            raise problems.no_json()
        return self.json

    def repository(self, owner: str, name: str, level: Level, *permissions: str) -> Repository:
        """The repository in the path, when the caller may do this to it; raises a Problem."""
        found = self.hub.world.find_repository(f"{owner}/{name}")
        asking = self.caller
        if found is None:
            raise problems.not_found()
        asking.demand(found, level, *permissions)
        return found


def _text(document: Any) -> str:
    if not isinstance(document, dict):
        return ""
    if isinstance(document.get("body"), str):
        return str(document["body"])
    return next((text for value in document.values() if (text := _text(value))), "")


@dataclass(frozen=True, slots=True)
class Reply:
    status: int = 200
    document: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[..., Reply]


class Routes:
    """Paths with places in braces, and the function that answers each: `handler(call, **places)`."""

    def __init__(self) -> None:
        self._routes: list[tuple[str, re.Pattern[str], Any, Handler]] = []

    def add(self, method: str, path: str) -> Callable[[Handler], Handler]:
        pattern, _, convertors = compile_path(path)

        def register(handler: Handler) -> Handler:
            self._routes.append((method, pattern, convertors, handler))
            return handler

        return register

    def include(self, *others: Routes) -> Routes:
        for other in others:
            self._routes += other._routes
        return self

    def answer(self, call: Call) -> Reply:
        """What the route says; raises a 404 Problem where there is none."""
        for method, pattern, convertors, handler in self._routes:
            if method == call.method and (found := pattern.match(call.path)):
                places = {name: convertors[name].convert(value) for name, value in found.groupdict().items()}
                return handler(call, **places)
        raise problems.not_found()


def paged(call: Call, items: Sequence[Any], document: Callable[[Any], Document]) -> Reply:
    """One page of a list, with the Link header that leads to the others."""
    size = min(max(_number(call, "per_page", PER_PAGE), 1), PER_PAGE_MAX)
    page = max(_number(call, "page", 1), 1)
    last = max(-(-len(items) // size), 1)
    wanted = {"prev": page - 1, "next": page + 1, "first": 1, "last": last}
    if page == 1:
        del wanted["prev"], wanted["first"]
    if page >= last:
        del wanted["next"], wanted["last"]
    shown = [document(item) for item in items[(page - 1) * size : page * size]]
    return Reply(200, shown, _link(call, {relation: {"page": str(to)} for relation, to in wanted.items()}))


def _link(call: Call, relations: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The Link header that leads to the same request with these parts of the query."""
    url = f"{call.hub.documents.api}{call.path}"
    links = [f'<{url}?{urlencode({**call.query, **to})}>; rel="{relation}"' for relation, to in relations.items()]
    return {"Link": ", ".join(links)} if links else {}


def cursor_paged(call: Call, items: Sequence[Any], document: Callable[[Any], Document]) -> Reply:
    """One page of a list that is paged by a cursor: the id of the last item that was shown."""
    size = min(max(_number(call, "per_page", PER_PAGE), 1), PER_PAGE_MAX)
    cursor = call.query.get("cursor", "").removeprefix("v1_")
    start = next((n + 1 for n, item in enumerate(items) if str(item.id) == cursor), 0)
    shown = items[start : start + size]
    more = start + size < len(items)
    links = _link(call, {"next": {"cursor": f"v1_{shown[-1].id}"}}) if more else {}
    return Reply(200, [document(item) for item in shown], links)


def _number(call: Call, name: str, otherwise: int) -> int:
    text = call.query.get(name, "")
    return int(text) if text.isdigit() else otherwise
