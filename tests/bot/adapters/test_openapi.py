"""The OpenAPI document: valid, complete, and the one that docs/openapi.json holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openapi_spec_validator
import pytest
from fastapi.routing import APIRoute
from openapi_schema_validator import OAS31Validator

from bot.adapters.http import HttpOptions, create_application
from bot.adapters.http.__main__ import document
from bot.metrics import Metrics

KEPT = Path(__file__).parents[3] / "docs" / "openapi.json"
WRITTEN: dict[str, Any] = json.loads(document())
OPEN = {"/healthz", "/readyz", "/webhooks/github"}


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in WRITTEN["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


OPERATIONS = [pytest.param(operation, id=name) for name, operation in operations()]


def test_the_document_that_is_kept_is_current() -> None:
    assert KEPT.read_text() == document(), "run: make openapi"


def test_it_is_valid() -> None:
    openapi_spec_validator.validate(WRITTEN)


def test_a_service_serves_it_to_everybody(client: httpx.Client) -> None:
    served = client.get("/openapi.json", headers={"Authorization": ""}).json()
    assert set(WRITTEN["paths"]) - set(served["paths"]) == {"/metrics"}  # it counts nothing
    assert served["paths"]["/ask"] == WRITTEN["paths"]["/ask"]


def test_every_route_is_in_it() -> None:
    parts: Any = None
    application = create_application(parts, parts, parts, HttpOptions(None, None, metrics=Metrics("0")))
    routes = {r.path_format for r in application.routes if isinstance(r, APIRoute) and r.include_in_schema}
    assert routes <= set(WRITTEN["paths"])
    assert {"/ask", "/search", "/feedback", "/status", "/metrics", "/healthz", "/v1/models"} <= set(WRITTEN["paths"])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_operation_says_what_it_does_and_what_may_go_wrong(operation: dict[str, Any]) -> None:
    assert operation["description"] and len(operation["tags"]) == 1
    assert {tag["name"] for tag in WRITTEN["tags"]} >= set(operation["tags"])
    responses = operation["responses"]
    assert {"500", "504"} <= set(responses)
    assert all("X-Request-ID" in response["headers"] for response in responses.values())
    for status, response in responses.items():
        if status >= "400":
            (content,) = response["content"].values()
            assert content["schema"]["$ref"].endswith(("/ErrorBody", "/FailureBody"))
    for status in {"429", "503"} & set(responses):
        assert "Retry-After" in responses[status]["headers"]
    if "requestBody" in operation:
        assert {"408", "413"} <= set(responses)


def test_operations_have_names_of_their_own() -> None:
    names = [operation["operationId"] for _, operation in operations()]
    assert len(names) == len(set(names))


def test_what_needs_a_key_says_so() -> None:
    for name, operation in operations():
        if name.split()[1] in OPEN:
            assert "security" not in operation
        else:
            assert operation["security"] == [{"key": []}]
            assert {"401", "429", "503"} <= set(operation["responses"])
            assert "WWW-Authenticate" in operation["responses"]["401"]["headers"]


def test_asking_says_all_that_it_may_answer() -> None:
    ask = WRITTEN["paths"]["/ask"]["post"]["responses"]
    expected = "200 400 401 404 408 409 413 415 421 422 429 500 503 504"
    assert list(ask) == expected.split()
    assert set(ask["200"]["content"]) == {"application/json", "text/event-stream"}
    assert "Idempotent-Replayed" in ask["200"]["headers"]


def test_schemas_are_described_and_none_is_the_frameworks() -> None:
    schemas = WRITTEN["components"]["schemas"]
    assert not {"HTTPValidationError", "ValidationError"} & set(schemas)
    assert not [name for name in schemas if "__" in name]
    ours = {"AskRequest", "SearchRequest", "FeedbackRequest", "Answer", "Passage", "Citation", "Index", "ErrorBody"}
    assert [name for name in ours if not schemas[name].get("description")] == []


def test_examples_are_of_the_schema_that_they_are_of() -> None:
    checked = 0
    for name, operation in operations():
        for response in operation["responses"].values():
            content = response.get("content", {}).get("application/json", {})
            if "example" in content:
                schema = content["schema"] | {"components": WRITTEN["components"]}
                assert not list(OAS31Validator(schema).iter_errors(content["example"])), name
                checked += 1
    assert checked > 40


def test_requests_have_examples() -> None:
    schemas = WRITTEN["components"]["schemas"]
    for schema in (schemas["AskRequest"], schemas["SearchRequest"], schemas["FeedbackRequest"]):
        required = {name: schema["properties"][name] for name in schema["required"]}
        assert all(field.get("examples") or field.get("enum") for field in required.values())
