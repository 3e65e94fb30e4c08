"""The routes: what they give, and how the service describes itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest

from bot import types as domain
from bot.adapters.http import wire
from bot.adapters.http.paths import LARGEST_BODY, LARGEST_DELIVERY
from bot.model import Readiness
from fakes.answerer import ScriptedAnswerer
from fakes.library import FILES, GUIDE, REPOSITORY, Library
from fakes.model import ScriptedModel
from indexer.errors import EmbedderError

INDEX = domain.Index("acme/demo", "main", "c0ffee", "2026-11-29T12:00:00+00:00")


def answer(text: str = "It is 16 [1].") -> domain.Answer:
    return domain.Answer("a1", text, (), False, None, "scripted", INDEX)


def test_search_gives_passages_and_the_index(client: httpx.Client) -> None:
    found = client.post("/search", json={"query": "how many blocks hold the tokens", "limit": 1}).json()
    assert [(p["path"], p["kind"], p["start_line"]) for p in found["passages"]] == [("cache/blocks.py", "code", 1)]
    assert found["index"]["repository"] == REPOSITORY
    assert found["index"]["commit"] in found["passages"][0]["url"]


def test_ask_gives_a_cited_answer(client: httpx.Client) -> None:
    asked = {"question": "how many blocks hold the tokens", "history": [{"role": "assistant", "content": ""}]}
    answer = client.post("/ask", json=asked).json()
    assert set(answer) == {"id", "answer", "citations", "declined", "reason", "model", "index", "warnings", "usage"}
    assert answer["citations"][0]["number"] == 1
    assert "[1]" in answer["answer"]


@pytest.mark.parametrize(
    "model, value",
    [(wire.Passage, domain.Passage), (wire.Citation, domain.Citation), (wire.Answer, domain.Answer),
     (wire.Index, domain.Index), (wire.Token, domain.Token)],
)  # fmt: skip
def test_the_wire_has_the_fields_of_the_domain(model: type[Any], value: type[Any]) -> None:
    assert list(model.model_fields) == [field.name for field in dataclasses.fields(value)]


def test_a_question_is_passed_on_whole(serve: Any) -> None:
    answerer = ScriptedAnswerer(answer())
    history = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
    body = {"question": " Why? ", "history": history, "repository": REPOSITORY, "ref": None, "unknown": 1}
    assert serve(answerer).post("/ask", json=body).json()["id"] == "a1"
    turns = (domain.Turn("user", "Hello"), domain.Turn("assistant", "Hi"))
    assert answerer.asked == [domain.Question("Why?", turns, REPOSITORY, None)]


def test_links_of_a_repository_without_a_page_lead_to_the_source(client: httpx.Client) -> None:
    passages = client.post("/search", json={"query": "guide sixteen"}).json()["passages"]
    link = next(p["url"] for p in passages if p["path"] == GUIDE)
    shown = client.get(urljoin("/", link))
    assert shown.text == FILES[GUIDE]
    assert shown.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert shown.headers["X-Content-Type-Options"] == "nosniff"
    assert shown.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


@pytest.mark.parametrize("path", ["acme/demo/nope/cache/blocks.py", "acme/demo", "../../etc/passwd", "%2e%2e/x", ""])
def test_a_source_that_is_not_indexed_is_not_found(client: httpx.Client, path: str) -> None:
    response = client.get(f"/source/{path}")
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"


def test_status_tells_what_is_indexed_and_what_was_skipped(client: httpx.Client) -> None:
    status = client.get("/status").json()
    assert (status["embedder"], status["model"]) == ("hashing-64", "tiny")
    (index,) = status["indexes"]
    assert (index["repository"], index["files"], index["embedder"]) == (REPOSITORY, 2, "hashing-64")
    assert index["skipped"] == sum(index["skipped_by_reason"].values()) == 1
    assert index["chunks"] >= 2


def test_status_tells_why_the_model_cannot_be_asked(serve: Any) -> None:
    model = ScriptedModel("tiny", readiness=Readiness(False, "The language model's server cannot be reached."))
    status = serve(model=model).get("/status").json()
    assert status["model_problem"] == "The language model's server cannot be reached."
    model.readiness = Readiness(True)
    assert serve(model=model).get("/status").json()["model_problem"] is None


def test_a_delivery_goes_to_its_hook_as_it_came(serve: Any) -> None:
    hook = Hook()
    client = serve(github=hook, api_token="sesame")
    body = b"payload=%7B%22a%22%3A+1%7D" + b" " * LARGEST_BODY
    headers = {"Content-Type": "application/x-www-form-urlencoded", "X-GitHub-Event": "ping"}
    response = client.post("/webhooks/github", content=body, headers=headers)
    assert (response.status_code, response.json()) == (202, {"status": "queued"})
    assert hook.bodies == [body] and hook.headers["x-github-event"] == "ping"


def test_a_delivery_where_github_is_not_set_up(client: httpx.Client) -> None:
    response = client.post("/webhooks/github", content=b"{}")
    assert response.status_code == 404 and "REPOPILOT_GITHUB_WEBHOOK_SECRET" in response.json()["error"]["message"]


def test_a_delivery_that_is_larger_than_githubs(serve: Any) -> None:
    client = serve(github=Hook())
    assert client.post("/webhooks/github", content=b"x" * (LARGEST_DELIVERY + 1)).status_code == 413


class Hook:
    """Takes whatever comes."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.headers: Mapping[str, str] = {}

    async def receive(self, headers: Mapping[str, str], body: bytes) -> tuple[int, Mapping[str, Any]]:
        self.bodies.append(body)
        self.headers = headers
        return 202, {"status": "queued"}


def test_probes(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "alive"}
    assert client.get("/readyz").json() == {"status": "ready"}


def test_without_an_index_the_service_lives_but_is_not_ready(serve: Any, tmp_path: Path) -> None:
    empty = Library.empty(tmp_path)
    client = serve(over=empty)
    assert client.get("/healthz").status_code == 200
    ready = client.get("/readyz")
    for response in (
        ready,
        client.post("/ask", json={"question": "x"}),
        client.post("/ask", json={"question": "x", "stream": True, "repository": "no/such"}),
        client.post("/search", json={"query": "x"}),
    ):
        assert response.status_code == 503
        assert int(response.headers["Retry-After"]) > 0
        assert response.json()["error"]["code"] == "index_missing"
        assert "index" in response.json()["error"]["message"]
    assert client.get("/status").json()["indexes"] == []
    empty.close()


def test_an_index_that_appears_is_used(serve: Any, tmp_path: Path) -> None:
    late = Library.empty(tmp_path)
    client = serve(over=late)
    assert client.post("/ask", json={"question": "x"}).status_code == 503
    commit = late.index()
    assert client.post("/ask", json={"question": "blocks"}).json()["index"]["commit"] == commit
    late.close()


def test_an_embedder_that_is_down_makes_it_not_ready(serve: Any, tmp_path: Path) -> None:
    library = Library.empty(tmp_path)
    library.index()
    library.embedder.failure = EmbedderError("http://127.0.0.1:9/v1 refuses the connection")
    client = serve(over=library)
    for response in (client.get("/readyz"), client.post("/search", json={"query": "x"})):
        assert response.status_code == 503
        assert response.json()["error"]["code"] == "embedder_unavailable"
        assert "127.0.0.1" not in response.text
    library.close()


def test_a_version_that_is_not_indexed_is_not_found(client: httpx.Client) -> None:
    for body in ({"repository": "no/such"}, {"ref": "v9"}, {"repository": REPOSITORY, "ref": "v9"}):
        response = client.post("/ask", json={"question": "x"} | body)
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "unknown_version"


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/status", "/openapi.json"])
def test_head_is_get_without_a_body(client: httpx.Client, path: str) -> None:
    response = client.head(path)
    assert response.status_code == 200
    assert response.content == b""
    assert client.post(path).headers["Allow"] == "GET, HEAD"
