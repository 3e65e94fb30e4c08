"""The OpenAPI document, whole: what FastAPI knows of the routes, and what any request may get from around them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fastapi import FastAPI

from bot.adapters.http import examples, wire
from bot.adapters.http.bodies import SLOW, UNSUPPORTED, too_large
from bot.adapters.http.budget import Quota, spent
from bot.adapters.http.deadline import TOO_LATE
from bot.adapters.http.description import REF, TAGS, header, refusal
from bot.adapters.http.doorkeeper import UNAUTHORIZED
from bot.adapters.http.openai import PREFIX as OPENAI
from bot.adapters.http.openai import error_body
from bot.adapters.http.paths import Rule, rule_of
from bot.adapters.http.problem import BAD_HTTP, DATABASE, INTERNAL, Problem, unavailable
from bot.adapters.http.rebinding import MISNAMED

_SCHEME: Final = {
    "type": "http",
    "scheme": "bearer",
    "description": "A key of `repopilot keys add`, or REPOPILOT_API_TOKEN; needed where there are any.",
}
_HEADERS: Final = {
    "X-Request-ID": header("The request's id, in the service's log too: the one that was sent, or a new one."),
    "RateLimit-Policy": header('Requests a minute, where they are limited: `"client";q=60;w=60`.'),
    "RateLimit": header('What is left of them, and the seconds until there is more: `"client";r=59;t=60`.'),
}
_ALWAYS: Final = ("X-Request-ID",)


class Described(FastAPI):
    """An application whose document says what its middlewares answer, by the table of paths that they go by."""

    def openapi(self) -> dict[str, Any]:
        if not self.openapi_schema:
            self.openapi_schema = _completed(super().openapi())
        return self.openapi_schema


def _completed(document: dict[str, Any]) -> dict[str, Any]:
    components = document["components"]
    error = wire.ErrorBody.model_json_schema(ref_template=REF)
    components["schemas"] |= error.pop("$defs") | {"ErrorBody": error, "Token": wire.Token.model_json_schema()}
    for unused in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(unused, None)
    components["securitySchemes"] = {"key": _SCHEME}
    components["headers"] = _HEADERS
    for (path, method), example in examples.WHOLE.items():  # FastAPI has left out what is null
        responses = document["paths"][path][method]["responses"]
        responses["200"]["content"]["application/json"]["example"] = example
    document["tags"] = TAGS
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _complete(operation, path, rule_of(method.upper(), path))
    return document


def _complete(operation: dict[str, Any], path: str, rule: Rule) -> None:
    guarded = rule.access in ("page", "keyed")
    if guarded:
        operation["security"] = [{"key": []}]
    responses = operation["responses"]
    if "HTTPValidationError" in str(responses.get("422")):  # FastAPI's own, which is never given
        del responses["422"]
    told = _refusal_of_openai if path.startswith(OPENAI) else refusal
    for words, problem in _around(rule, "requestBody" in operation):
        response = told(words, problem)
        there = responses.setdefault(str(problem.status), response)
        there["headers"] = response.get("headers", {}) | there.get("headers", {})
    for response in responses.values():
        names = _HEADERS if guarded else _ALWAYS
        more = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
        response["headers"] = response.get("headers", {}) | more
    operation["responses"] = dict(sorted(responses.items()))


def _around(rule: Rule, has_body: bool) -> Iterator[tuple[str, Problem]]:
    """What a request may get before it reaches its route, or when that takes too long."""
    if rule.access in ("page", "keyed"):
        yield "The key is missing or wrong.", UNAUTHORIZED
        yield "No key is needed, and it was called by a name that could be a web page's.", MISNAMED
        yield "Too many requests of this key or address.", spent(Quota("client", "", 60), 7)
        yield "The database of keys cannot be reached.", unavailable("database_unavailable", DATABASE)
        if has_body:
            yield "The body is not said to be JSON in UTF-8.", UNSUPPORTED
    if has_body:
        yield "The body did not come in time.", SLOW
        yield "The body is too large.", too_large(rule.largest)
    yield "The request is not valid HTTP.", BAD_HTTP
    yield "Something is wrong with the service; its log has more.", INTERNAL
    yield "It took longer than a request may.", TOO_LATE


def _refusal_of_openai(words: str, problem: Problem) -> dict[str, Any]:
    content = {"schema": {"$ref": REF.format(model="FailureBody")}, "example": error_body(problem).model_dump()}
    return refusal(words, problem) | {"content": {"application/json": content}}
