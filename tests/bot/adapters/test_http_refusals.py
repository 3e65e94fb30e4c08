"""What is refused, with which status, and that no refusal says more than it should."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from bot import types as domain
from bot.model import Busy
from fakes.answerer import ScriptedAnswerer
from indexer.errors import EmbedderMismatch, IndexDamaged, StorageError

INDEX = domain.Index("acme/demo", "main", "c0ffee", "2026-11-29T12:00:00+00:00")
ANSWER = domain.Answer("a1", "It is 16 [1].", (), False, None, "scripted", INDEX)
JSON = {"Content-Type": "application/json"}


def refusal(response: httpx.Response) -> tuple[int, str]:
    """Status and code of an error, which must have the one shape and be short."""
    error = response.json()["error"]
    assert set(response.json()) == {"error"}
    assert set(error) == {"code", "message"}
    assert len(response.content) < 1000
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["X-Request-ID"]
    return response.status_code, error["code"]


@pytest.mark.parametrize(
    "body, expected",
    [
        (b'{"question": ', (400, "bad_json")),
        (b"", (422, "invalid")),
        (b"[]", (422, "invalid")),
        (b"5", (422, "invalid")),
        (b"null", (422, "invalid")),
        (b"{}", (422, "invalid")),
        (b'{"question": 5}', (422, "invalid")),
        (b'{"question": null}', (422, "invalid")),
        (b'{"question": ""}', (422, "invalid")),
        (b'{"question": " \\n\\u2003 "}', (422, "invalid")),
        (b'{"question": "\\u0000"}', (422, "invalid")),
        (b'{"question": "x", "stream": NaN}', (422, "invalid")),
        (b'{"question": NaN}', (422, "invalid")),
        (b'{"question": "x", "stream": 1e999}', (422, "invalid")),
        (b'{"question": "caf\xe9"}', (400, "bad_request")),
        (b'{"question": ' + b"[" * 30_000 + b"]" * 30_000 + b"}", (400, "bad_request")),
        (b'{"question": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", (413, "too_large")),
        (b'{"question": ' + b"9" * 5_000 + b"}", (400, "bad_request")),
        (b'{"question": "' + b"a" * 8_001 + b'"}', (422, "invalid")),
        (b'{"question": "' + b"a" * 1_000_000 + b'"}', (413, "too_large")),
        (b'{"question": "x", "history": {}}', (422, "invalid")),
        (b'{"question": "x", "history": [{"role": "system", "content": "y"}]}', (422, "invalid")),
        (b'{"question": "x", "history": [' + b'{"role": "user", "content": "y"},' * 50
         + b'{"role": "user", "content": "y"}]}', (422, "invalid")),
        (b'{"question": "x", "repository": "' + b"r" * 201 + b'"}', (422, "invalid")),
    ],
)  # fmt: skip
def test_bodies_that_are_refused(client: httpx.Client, body: bytes, expected: tuple[int, str]) -> None:
    assert refusal(client.post("/ask", content=body, headers=JSON)) == expected


def test_a_number_without_a_fraction_is_an_integer(client: httpx.Client) -> None:
    assert len(client.post("/search", json={"query": "blocks", "limit": 1.0}).json()["passages"]) == 1


@pytest.mark.parametrize("limit", [1e300, 0, 51, -1, 1.5, "10", True, None])
def test_limits_that_are_refused(client: httpx.Client, limit: object) -> None:
    response = client.post("/search", json={"query": "x", "limit": limit})
    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["message"].startswith("limit: ")


def test_faults_are_named_and_the_input_is_not_repeated(client: httpx.Client) -> None:
    turns = [{"role": "user", "content": ""}] + [{"role": "hunter2", "content": ["hunter2"]}] * 4
    response = client.post("/ask", json={"question": {"hunter2": 1}, "history": turns, "hunter2": 1})
    assert refusal(response) == (422, "invalid")
    message = response.json()["error"]["message"]
    assert "question: input should be a valid string; history[1].role: input should be 'user' or" in message
    assert message.endswith("and 6 more.")
    assert "hunter2" not in response.text


CLEANED = {
    r"block\u0000size?": "block size?",
    r"caf\u00e9 \ud83d\ude00": "café 😀",
    r"half \ud83d of a pair \udc00": "half \ufffd of a pair \ufffd",
    r"one\r\ntwo\rthree\tfour": "one\ntwo\nthree\tfour",
    r"\u001b[31mred\u007f\u009b.": " [31mred  .",
}


def test_text_is_cleaned(serve: Any) -> None:
    answerer = ScriptedAnswerer(ANSWER)
    client = serve(answerer)
    for sent, kept in CLEANED.items():
        body = f'{{"question": "{sent}", "history": [{{"role": "user", "content": "{sent}"}}]}}'
        assert client.post("/ask", content=body, headers=JSON).status_code == 200
        assert answerer.asked[-1].text == kept.strip()
        assert answerer.asked[-1].history[0].content == kept


def test_surrogates_as_raw_bytes_are_cleaned_too(client: httpx.Client) -> None:
    response = client.post("/ask", content=b'{"question": "blocks \xed\xa0\xbd"}', headers=JSON)
    assert response.status_code == 200


@pytest.mark.parametrize("kind", ["application/octet-stream", "text/plain", "multipart/form-data", "", "application"])
def test_bodies_of_another_type_are_refused(client: httpx.Client, kind: str) -> None:
    response = client.post("/ask", content=b"\x89PNG\r\n", headers={"Content-Type": kind})
    assert refusal(response) == (415, "unsupported_media_type")


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON", "application/vnd.ask+json"])
def test_json_by_any_of_its_names_is_taken(client: httpx.Client, kind: str) -> None:
    body = b'{"question": "blocks"}'
    assert client.post("/ask", content=body, headers={"Content-Type": kind}).status_code == 200


def test_a_body_without_a_type_is_taken_but_not_from_a_web_page(client: httpx.Client) -> None:
    body = b'{"question": "blocks"}'
    assert client.post("/ask", content=body).status_code == 200
    assert refusal(client.post("/ask", content=body, headers={"Origin": "https://evil.example"}))[0] == 415


def chunks(size: int) -> Iterator[bytes]:
    yield b'{"question": "'
    for _ in range(size // 1000):
        yield b"a" * 1000
    yield b'"}'


def test_a_body_that_does_not_say_its_length_is_limited_too(client: httpx.Client) -> None:
    assert client.post("/ask", content=chunks(5_000), headers=JSON).status_code == 200
    assert refusal(client.post("/ask", content=chunks(2_000_000), headers=JSON)) == (413, "too_large")
    assert client.get("/healthz").status_code == 200


def test_unknown_addresses_and_methods(client: httpx.Client) -> None:
    assert refusal(client.get("/nowhere")) == (404, "not_found")
    assert refusal(client.post("/ask/", json={"question": "x"})) == (404, "not_found")
    wrong = client.get("/ask", headers=JSON)
    assert refusal(wrong) == (405, "method_not_allowed")
    assert wrong.headers["Allow"] == "POST"
    assert client.head("/ask").status_code == 405
    assert refusal(client.delete("/healthz"))[0] == 405
    assert refusal(client.options("/ask"))[0] == 405


@pytest.mark.parametrize(
    "header", [None, "Bearer nope", "Bearer", "Basic sesame", "sesame", "Bearer sesame sesame", "\xff"]
)
def test_without_the_token_nothing_is_told(client: httpx.Client, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    with httpx.Client(base_url=client.base_url, headers=headers, trust_env=False) as stranger:
        for method, path, body in (
            ("POST", "/ask", b"{"),
            ("POST", "/ask", b"a" * 1_000_000),
            ("GET", "/status", b""),
            ("GET", "/source/acme/demo", b""),
            ("GET", "/nowhere", b""),
        ):
            response = stranger.request(method, path, content=body, headers=JSON)
            assert refusal(response) == (401, "unauthorized")
            assert response.headers["WWW-Authenticate"].startswith("Bearer")
        assert {stranger.get(path).status_code for path in ("/healthz", "/readyz", "/openapi.json")} == {200}


def test_the_token_may_hold_any_character(serve: Any) -> None:
    client = serve(api_token="schlüssel")
    headers = {"Authorization": "bearer schlüssel".encode()}
    assert client.get("/status", headers=headers).status_code == 200


def test_over_the_budget(serve: Any) -> None:
    answerer = ScriptedAnswerer(ANSWER)
    client = serve(answerer, per_client_per_minute=3)
    got = [client.post("/ask", json={"question": "x"}) for _ in range(5)]
    assert [response.status_code for response in got] == [200, 200, 200, 429, 429]
    assert refusal(got[-1]) == (429, "rate_limited")
    assert 1 <= int(got[-1].headers["Retry-After"]) <= 60
    assert len(answerer.asked) == 3
    assert {client.get(path).status_code for path in ("/healthz", "/readyz", "/openapi.json") * 3} == {200}


def test_a_stranger_does_not_spend_the_budget_of_the_token(serve: Any) -> None:
    client = serve(api_token="sesame", per_client_per_minute=2)
    guesses = [client.get("/status", headers={"Authorization": f"Bearer {n}"}).status_code for n in range(4)]
    assert guesses == [401, 401, 429, 429]
    assert client.get("/status", headers={"Authorization": "Bearer sesame"}).status_code == 200


@pytest.mark.parametrize(
    "error, expected, retry",
    [
        (Busy(7), (503, "busy"), "7"),
        (IndexDamaged("/home/x/index is torn"), (503, "index_damaged"), "30"),
        (StorageError("/home/x/index has no space"), (503, "storage_unavailable"), "30"),
        (EmbedderMismatch("made with another embedder"), (503, "embedder_mismatch"), "30"),
        (RuntimeError("/home/x/secret"), (500, "internal"), None),
    ],
)
def test_what_fails_in_answering(serve: Any, error: Exception, expected: tuple[int, str], retry: str | None) -> None:
    client = serve(ScriptedAnswerer(error))
    for stream in (False, True):
        response = client.post("/ask", json={"question": "x", "stream": stream})
        assert refusal(response) == expected
        assert response.headers.get("Retry-After") == retry
        assert "/home/x" not in response.text


def test_a_defect_is_logged_with_its_traceback_and_not_shown(serve: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    client = serve(ScriptedAnswerer(RuntimeError("torn")))
    assert refusal(client.post("/ask", json={"question": "x"})) == (500, "internal")
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.name == "repopilot.http"
    assert record.exc_info and "torn" in str(record.exc_info[1])


def test_each_request_has_an_id_and_one_line_in_the_log(
    serve: Any, journal: Any, caplog: pytest.LogCaptureFixture
) -> None:
    client = serve(api_token="sesame")
    client.headers.update({"Authorization": "Bearer sesame", "X-Request-ID": "mine-1"})
    assert client.post("/ask?q=hunter2", json={"question": "hunter2"}).headers["X-Request-ID"] == "mine-1"
    given = client.head("/no%0Awhere", headers={"X-Request-ID": "not {sane}"}).headers["X-Request-ID"]
    assert given.isalnum()
    lines = journal(2)
    assert [(line["id"], line["method"], line["path"], line["status"]) for line in lines] == [
        ("mine-1", "POST", "/ask", 200),
        (given, "HEAD", "/no%0Awhere", 404),
    ]
    assert all(line["ms"] > 0 for line in lines)
    own = [record.getMessage() for record in caplog.records if not record.name.startswith("http")]  # not the client's
    assert "hunter2" not in str(own)
    assert "sesame" not in str(own)
