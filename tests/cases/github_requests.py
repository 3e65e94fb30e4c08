"""A case's deliveries as they are sent: changed, signed again where the case says so, alone or several at once."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

import httpx

from cases.builders import BODY_KEYS, body_bytes
from cases.http_observation import Exchange
from cases.http_request import NO_LIMITS, RESPONSE_LIMIT_S, exchange
from cases.program import CannotRunError
from fakes.github.deliveries import signature
from fakes.github.moments import filled

SIGNATURE = "X-Hub-Signature-256"
FIELDS = frozenset(
    {"method", "path", "headers", "delay_s", "repeat", "concurrent", "action", "note", "resign", *BODY_KEYS}
)
ACTIONS = frozenset({"restart", "kill", "stop", "start"})

Request = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """Requests that leave together after a pause, or an action in their place."""

    requests: Sequence[Request] = ()
    delay_s: float = 0.0
    action: str = ""


def steps(given: Mapping[str, Any], secret: str) -> list[Step]:
    """What a case sends, in order. Raises CannotRunError for what this driver would pass over."""
    requests = [_ready(each, given.get("mutate") or {}, secret) for each in given.get("requests") or ()]
    if given.get("concurrent"):
        copies = given["concurrent"] if given["concurrent"] is not True else 1
        return [Step([request for request in requests for _ in range(copies)])]
    return [step for _ in range(given.get("repeat", 1)) for step in _steps(requests)]


def _steps(requests: Sequence[Request]) -> Iterator[Step]:
    together: list[Request] = []
    for request in requests:
        if request.get("concurrent") is True:
            together.append(request)
            continue
        if together:
            yield Step(together)
            together = []
        yield from _alone(request)
    if together:
        yield Step(together)


def _alone(request: Request) -> Iterator[Step]:
    delay = request.get("delay_s", 0.0)
    if "action" in request:
        yield Step(delay_s=delay, action=request["action"])
        return
    for _ in range(request.get("repeat", 1)):
        yield Step([request] * request.get("concurrent", 1), delay)


def _ready(request: Request, mutate: Mapping[str, Any], secret: str) -> Request:
    """The request with the case's changes, checked, and signed again when its bytes are others now."""
    changed: dict[str, Any] = filled(copy.deepcopy(dict(request)))
    for path, value in mutate.items():
        if path != "resign" and "action" not in request:
            _put(changed, path.split("."), value)
    if unknown := sorted(changed.keys() - FIELDS):
        raise CannotRunError(f"unknown request field {unknown[0]}")
    if changed.get("action", "restart") not in ACTIONS:
        raise CannotRunError(f"unknown action {changed['action']}")
    if mutate.get("resign") or changed.get("resign"):
        changed["headers"] = {**changed["headers"], SIGNATURE: signature(secret, body_bytes(changed) or b"")[SIGNATURE]}
    return changed


def _put(document: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for name in path[:-1]:
        document = document.setdefault(name, {})
    document[path[-1]] = value


def header(request: Request, name: str) -> str:
    return next((value for key, value in (request.get("headers") or {}).items() if key.lower() == name.lower()), "")


def payload_of(request: Request) -> Mapping[str, Any] | None:
    """What a request tells, as JSON or in a form; None when that cannot be read."""
    if "action" in request:
        return None
    body = body_bytes(request) or b""
    if body.startswith(b"payload="):
        body = parse_qs(body)[b"payload"][0]
    try:
        told = json.loads(body)
    except ValueError:
        return None
    return told if isinstance(told, dict) else None


def sent(url: str, requests: Sequence[Request], before: Callable[[Request], None]) -> list[Exchange]:
    """The responses to requests that leave together; `before` is told of each when it leaves."""
    with httpx.Client(base_url=url, timeout=RESPONSE_LIMIT_S, limits=NO_LIMITS, trust_env=False) as client:
        for request in requests:
            before(request)
        with ThreadPoolExecutor(max(len(requests), 1)) as pool:
            return list(pool.map(lambda request: exchange(client, _encoded(request)), requests))


def _encoded(request: Request) -> Request:
    """The request with its headers as bytes: what is no ASCII travels as Latin-1."""
    headers = [(name.encode(), value.encode("latin-1")) for name, value in (request.get("headers") or {}).items()]
    return {**request, "headers": headers}
