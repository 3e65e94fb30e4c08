"""Operators of section G on the exchange itself: status, headers, errors, time, the server and its log."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import partial

from cases.expectations import Check, Operators, expected, operand
from cases.families import add_numbers, add_texts
from cases.http_observation import Exchange, HttpObservation

OPERATORS: Operators[HttpObservation] = Operators()
TRACEBACK = re.compile(r"Traceback \(most recent call last\)|Exception in ASGI application|Unhandled exception", re.I)
ERROR_LINE = re.compile(r"^.*(?:\b(?:ERROR|CRITICAL)\b|\"level\": ?\"(?:error|critical)\").*$", re.M)
TYPES: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool, "list": list, "dict": dict}


def _percentile(share: float, seen: HttpObservation) -> list[float]:
    ordered = sorted(exchange.seconds for exchange in seen.exchanges)
    return [ordered[math.ceil(share * len(ordered)) - 1]] if ordered else []


def _status(exchange: Exchange) -> int | str:
    """The status, or why there was no response: no number equals it."""
    return exchange.failure or exchange.status


def _route_status(route: str, seen: HttpObservation) -> list[int]:
    return [seen.status_of(f"/{route}")]


add_numbers(OPERATORS, "status", lambda seen: [_status(e) for e in seen.exchanges if not e.disconnected])
add_numbers(OPERATORS, "first_status", lambda seen: [_status(seen.exchanges[0])])
add_numbers(OPERATORS, "last_status", lambda seen: [_status(seen.last)])
add_numbers(OPERATORS, "seconds", lambda seen: [exchange.seconds for exchange in seen.exchanges])
add_numbers(OPERATORS, "p50_seconds", lambda seen: _percentile(0.50, seen))
add_numbers(OPERATORS, "p95_seconds", lambda seen: _percentile(0.95, seen))
add_numbers(OPERATORS, "p99_seconds", lambda seen: _percentile(0.99, seen))
for _route in ("healthz", "readyz", "status", "metrics", "openapi.json"):
    add_numbers(OPERATORS, f"{_route}_status", partial(_route_status, _route))
add_texts(OPERATORS, "body", lambda seen: [exchange.body for exchange in seen.exchanges])
add_texts(OPERATORS, "log", lambda seen: [seen.log])


@OPERATORS.operator
def server(seen: HttpObservation, check: Check) -> str | None:
    """`alive`: the process runs and answers `/healthz`. A server that rightly refused to start is judged by `start`."""
    if operand(check) != "alive":
        return f"unknown server {operand(check)}"
    if seen.exit_code is not None:
        return None if not seen.exchanges else f"the server ended with exit {seen.exit_code}"
    return None if seen.status_of("/healthz") == 200 else "/healthz does not answer 200"


@OPERATORS.operator
def start(seen: HttpObservation, check: Check) -> str | None:
    """Any one of `refused` (exit 1 or 2, with words), `loud warning` (running, and the log warns) or `ok`."""
    warned = re.search(r"warn|insecure|unauthenticated|danger", seen.log, re.I) is not None
    meanings = {
        "refused": seen.exit_code in (1, 2) and bool(seen.log.strip()) and not TRACEBACK.search(seen.log),
        "loud warning": seen.exit_code is None and warned,
        "ok": seen.exit_code is None,
    }
    wanted = str(operand(check)).split(" or ")
    if unknown := [word for word in wanted if word not in meanings]:
        return f"unknown start {unknown[0]}"
    got = f"exit {seen.exit_code}, log {seen.log.strip()!r}"
    return None if any(meanings[word] for word in wanted) else expected(operand(check), got)


@OPERATORS.operator
def contract(seen: HttpObservation, check: Check) -> str | None:
    """What the design promises for each response, beyond the tolerant `status_in`."""
    meanings = {
        "status": lambda each, wanted: each.status == wanted,
        "warnings_min": lambda each, wanted: len(each.answer.get("warnings", ())) >= wanted,
        "citations_min": lambda each, wanted: len(each.answer.get("citations", ())) >= wanted,
        "answer_nonempty": lambda each, wanted: bool((each.answer.get("answer") or "").strip()) == wanted,
        "declined": lambda each, wanted: each.answer.get("declined") == wanted,
    }
    demands = {name: wanted for name, wanted in check["value"].items() if name not in ("from", "note", "why")}
    if unknown := sorted(demands.keys() - meanings.keys()):
        return f"unknown contract field {unknown[0]}"
    for each in seen.exchanges:
        wrong = [name for name, wanted in demands.items() if not meanings[name](each, wanted)]
        if wrong:
            return f"expected {wrong[0]} {demands[wrong[0]]} got status {each.status} {each.body!r}"
    return None if seen.exchanges else "there was no response"


@OPERATORS.operator
def if_error_then_shape(seen: HttpObservation, check: Check) -> str | None:
    """Each error, as a status or as an event of a stream, has this JSON shape."""
    shape = check["json"]
    for each in seen.exchanges:
        wrong = [e.data for e in each.events if e.name == "error" and _misfit(e.json, shape)]
        if each.status >= 400 and (words := _misfit(each.json, shape)):
            return f"status {each.status} {words} in {each.body!r}"
        if wrong:
            return f"the error event is {wrong[0]!r}"
    return None


def _misfit(value: object, shape: object) -> str | None:
    """Where a JSON value lacks the shape; a shape names types, and further keys are allowed."""
    if isinstance(shape, Mapping):
        if not isinstance(value, dict):
            return "no object"
        found = (f"{key}: {words}" for key, inner in shape.items() if (words := _misfit(value.get(key), inner)))
        return next(found, None)
    return None if isinstance(value, TYPES[str(shape)]) else f"no {shape}"


@OPERATORS.operator
def header(seen: HttpObservation, check: Check) -> str | None:
    """The last response has the header, and its value matches the regex when there is one."""
    value = seen.last.header(check["name"])
    fits = value and re.search(check.get("regex") or check.get("pattern") or "", value)
    return None if fits else expected(f"{check['name']}: {check.get('regex', '')}", value or "no such header")


@OPERATORS.operator
def header_absent(seen: HttpObservation, check: Check) -> str | None:
    value = seen.last.header(check["name"])
    return f"{check['name']}: {value} was sent" if value else None


@OPERATORS.operator
def header_if_status(seen: HttpObservation, check: Check) -> str | None:
    status, name, regex = check["status"], check["name"], check.get("regex", ".")
    bare = [e for e in seen.exchanges if e.status == status and not re.search(regex, e.header(name))]
    return f"a {status} came without {name}" if bare else None


@OPERATORS.operator
def each_has_retry_after(seen: HttpObservation, check: Check) -> str | None:
    statuses = operand(check)
    bare = [e for e in seen.exchanges if e.status in statuses and not e.header("Retry-After")]
    return f"{len(bare)} responses came without Retry-After, the first with {bare[0].status}" if bare else None


@OPERATORS.operator
def status_share_min(seen: HttpObservation, check: Check) -> str | None:
    share = _share(seen, check["status"])
    return None if share >= check["share"] else expected(f"at least {check['share']}", share)


@OPERATORS.operator
def status_share_max(seen: HttpObservation, check: Check) -> str | None:
    share = _share(seen, check["status"])
    return None if share <= check["share"] else expected(f"at most {check['share']}", share)


def _share(seen: HttpObservation, status: int) -> float:
    return sum(each.status == status for each in seen.exchanges) / len(seen.exchanges)


@OPERATORS.operator
def not_charged_for_health(seen: HttpObservation, check: Check) -> str | None:
    got = {route: seen.status_of(route) for route in ("/healthz", "/readyz")}
    return None if set(got.values()) == {200} else expected("200 for a client over its budget", got)


@OPERATORS.operator
def no_exception_logged(seen: HttpObservation, check: Check) -> str | None:
    """No traceback in the log; with `level`, no line of that level either."""
    level = check.get("level")
    found = TRACEBACK.search(seen.log) or (ERROR_LINE.search(seen.log) if level else None)
    return f"the log has {seen.log[found.start() : found.start() + 300]!r}" if found else None
