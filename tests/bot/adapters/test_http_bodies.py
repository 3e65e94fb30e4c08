"""Bodies of every kind: none brings the service down, and none is echoed."""

from __future__ import annotations

import gzip
import json
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

JSON = {"Content-Type": "application/json"}
ASKED = b'{"query": "blocks"}'


def code(response: httpx.Response) -> tuple[int, str]:
    assert len(response.content) < 1_000
    return response.status_code, response.json()["error"]["code"]


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "GZIP", "identity, gzip", "x"])
def test_bodies_that_are_packed_are_refused(client: httpx.Client, encoding: str) -> None:
    response = client.post("/search", content=gzip.compress(ASKED), headers=JSON | {"Content-Encoding": encoding})
    assert code(response) == (415, "unsupported_encoding")
    assert response.headers["Accept-Encoding"] == "identity"


def test_a_body_that_is_said_to_be_as_it_is_is_taken(client: httpx.Client) -> None:
    assert client.post("/search", content=ASKED, headers=JSON | {"Content-Encoding": "identity"}).status_code == 200


@pytest.mark.parametrize(
    "charset, status",
    [("utf-8", 200), ('"UTF-8"', 200), ("utf8", 200), ("us-ascii", 200), ("latin-1", 415), ("utf-16", 415), ("", 415)],
)
def test_charsets(client: httpx.Client, charset: str, status: int) -> None:
    headers = {"Content-Type": f"application/json; charset={charset}"}
    assert client.post("/search", content=ASKED, headers=headers).status_code == status


def test_a_byte_order_mark_is_taken(client: httpx.Client) -> None:
    assert client.post("/search", content=b"\xef\xbb\xbf" + ASKED, headers=JSON).status_code == 200


def test_of_two_fields_of_one_name_the_last_counts(client: httpx.Client) -> None:
    twice = b'{"query": "", "limit": 1, "query": "blocks"}'
    assert client.post("/search", content=twice, headers=JSON).status_code == 200
    assert code(client.post("/search", content=b'{"query": "blocks", "query": ""}', headers=JSON)) == (422, "invalid")


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "PUT", "PATCH", "DELETE", "QUERY", "FOO"])
def test_methods_that_nothing_takes(client: httpx.Client, method: str) -> None:
    for path, allowed in (("/ask", "POST"), ("/status", "GET, HEAD"), ("/healthz", "GET, HEAD")):
        response = client.request(method, path)
        assert code(response) == (405, "method_not_allowed")
        assert response.headers["Allow"] == allowed


def test_a_page_elsewhere_is_not_let_in(client: httpx.Client) -> None:
    preflight = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    response = client.options("/ask", headers=preflight)
    assert not [name for name in response.headers if name.lower().startswith("access-control-")]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
FIELDS = st.sampled_from(["query", "question", "history", "limit", "repository", "ref", "stream", "answer_id", "vote"])
ANYHOW = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
MARK = "zqx-marked-zqx"


@ANYHOW
@given(body=st.dictionaries(FIELDS, VALUES, max_size=5), path=st.sampled_from(["/search", "/ask", "/feedback"]))
@example(body={"query": {MARK: [MARK]}, "limit": MARK, "history": [{"role": MARK, "content": MARK}]}, path="/search")
@example(body={"answer_id": "x\ud800", "vote": "up", "voter": MARK + " "}, path="/feedback")
def test_any_json_is_answered_shortly_and_not_echoed(client: httpx.Client, body: dict[str, Any], path: str) -> None:
    response = client.post(path, content=json.dumps(body).encode("utf-8", "surrogatepass"), headers=JSON)
    assert response.status_code in (200, 400, 404, 422)
    if response.status_code != 200:
        code(response)
        assert MARK not in response.text


@ANYHOW
@given(body=st.binary(max_size=60))
@example(body=b"\xff\xfe{\x00}\x00")
@example(body=b"\x00" * 10)
@example(body=b'{"query": 1' + b"0" * 4_400 + b"}")
@example(body=b'{"query": "' + b"\\ud83d" * 100 + b'"}')
@example(body=b"1e99999")
def test_any_bytes_are_answered_shortly(client: httpx.Client, body: bytes) -> None:
    response = client.post("/search", content=body, headers=JSON)
    assert response.status_code in (200, 400, 422)
