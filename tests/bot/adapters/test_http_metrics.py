"""What a real service counts of the requests and questions that it gets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import httpx
import pytest
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families as parsed
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from bot.answering import Answerer
from bot.gauges import sources
from bot.metrics import Metrics
from bot.observing import ObservedAnswerer
from fakes.library import REPOSITORY, Library
from fakes.model import ScriptedModel
from indexer.errors import StorageError

TOLD = {"Authorization": "Bearer sesame-open"}


@pytest.fixture
def metrics(library: Library) -> Metrics:
    made = Metrics("1")
    made.sources = sources(library.stores.catalog.snapshots, lambda: {"up": 2}, None, ScriptedModel("tiny"))
    return made


@pytest.fixture
def client(serve: Any, library: Library, metrics: Metrics) -> httpx.Client:
    answerer = ObservedAnswerer(Answerer(library.retriever), "http", [metrics.question])
    made: httpx.Client = serve(answerer, api_token="sesame-open", metrics=metrics)
    made.headers.update(TOLD)
    return made


def value(client: httpx.Client, name: str, **labels: str) -> float:
    """The sum of the samples by that name with these labels."""
    families = parsed(client.get("/metrics").raise_for_status().text)
    found = [s.value for f in families for s in f.samples if s.name == name and labels.items() <= s.labels.items()]
    return sum(found)


def test_questions_move_the_counters(client: httpx.Client) -> None:
    for stream in (False, True):
        client.post("/ask", json={"question": "how many blocks hold the tokens", "stream": stream}).raise_for_status()
    client.post("/ask", json={"question": "what does --no-such-flag-xyz do"}).raise_for_status()
    assert value(client, "repopilot_questions_total", surface="http", outcome="answered") == 2
    assert value(client, "repopilot_questions_total", surface="http", outcome="declined") == 1
    assert value(client, "repopilot_question_seconds_count", stage="whole") == 3
    assert value(client, "repopilot_question_seconds_sum", stage="whole") > 0
    assert value(client, "repopilot_http_requests_total", route="/ask", method="POST", status="200") == 3
    assert value(client, "repopilot_index_chunks", repository=REPOSITORY) >= 2
    assert value(client, "repopilot_votes", vote="up") == 2
    assert value(client, "repopilot_model_ready", model="tiny") == 1


def test_requests_are_counted_by_route_and_never_by_path(client: httpx.Client) -> None:
    for path in ("/source/a/b/c/secret-1", "/source/a/b/c/secret-2", "/secret-3", "/healthz"):
        client.get(path)
    client.head("/healthz")
    assert value(client, "repopilot_http_requests_total", route="/source/{location:path}", status="404") == 2
    assert value(client, "repopilot_http_requests_total", route="unmatched", status="404") == 1
    assert value(client, "repopilot_http_requests_total", route="/healthz", method="HEAD", status="200") == 1
    assert value(client, "repopilot_http_request_seconds_count", route="/healthz") == 2
    assert "secret" not in client.get("/metrics").text


def test_an_endpoint_of_another_protocol_is_a_route_too(serve: Any, library: Library, metrics: Metrics) -> None:
    class Pong:
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            await PlainTextResponse("pong")(scope, receive, send)

    made = serve(Answerer(library.retriever), metrics=metrics, mcp=Pong())
    made.post("/mcp", json={}).raise_for_status()
    assert value(made, "repopilot_http_requests_total", route="/mcp", status="200") == 1


def test_metrics_need_the_key(client: httpx.Client) -> None:
    assert httpx.get(client.base_url.join("/metrics")).status_code == 401
    del client.headers["Authorization"]
    assert client.get("/metrics").json()["error"]["code"] == "unauthorized"


def test_a_scrape_does_not_fail_because_a_source_does(client: httpx.Client, metrics: Metrics) -> None:
    async def broken() -> Iterable[Metric]:
        raise StorageError("The database is away.")

    metrics.sources = {**metrics.sources, "votes": broken}
    assert value(client, "repopilot_source_up", source="votes") == 0
    assert value(client, "repopilot_source_up", source="index") == 1
    assert value(client, "repopilot_index_files", repository=REPOSITORY) == 2


def test_each_replica_counts_for_itself(serve: Any, library: Library) -> None:
    one, other = Metrics("1"), Metrics("1")
    clients = [serve(Answerer(library.retriever), metrics=metrics) for metrics in (one, other)]
    clients[0].get("/healthz")
    assert [value(client, "repopilot_http_requests_total", route="/healthz") for client in clients] == [1, 0]


def test_openmetrics_is_given_to_whoever_asks(client: httpx.Client) -> None:
    response = client.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0, */*;q=0.1"})
    assert response.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
    assert response.text.endswith("# EOF\n")
    assert client.get("/metrics").headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
