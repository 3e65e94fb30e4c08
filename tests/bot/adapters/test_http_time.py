"""Time: a body that trickles, an answer that takes too long, a client that leaves; and what the server bounds."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from queue import Queue
from typing import Any
from urllib.parse import urlsplit

import httpx
import httpx_sse
import pytest
from fastapi import FastAPI

from bot import types as domain
from bot.adapters.http.serving import LARGEST_HEAD, server_of
from bot.history import Record
from bot.observing import ObservedAnswerer
from fakes.answerer import ScriptedAnswerer

INDEX = domain.Index("acme/demo", "main", "c0ffee", "2026-11-29T12:00:00+00:00")
FOUND = domain.PassagesFound((), INDEX)
ANSWER = domain.Answer("a1", "It is 16 [1].", (), False, None, "scripted", INDEX)
HEAD = "POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def connected(client: httpx.Client) -> socket.socket:
    address = urlsplit(str(client.base_url))
    assert address.hostname and address.port
    return socket.create_connection((address.hostname, address.port), timeout=5)


def told(connection: socket.socket) -> str:
    """Everything until the other side closes."""
    received = b""
    while piece := connection.recv(65_536):
        received += piece
    return received.decode()


def test_a_body_that_trickles_in_is_ended(serve: Any) -> None:
    client = serve(ScriptedAnswerer(FOUND, ANSWER), body_timeout_s=0.4)
    with connected(client) as connection:
        connection.sendall(f"{HEAD}Content-Length: 1000\r\n\r\n".encode() + b'{"question": "')
        for _ in range(3):
            time.sleep(0.1)
            connection.sendall(b"a")
        began = time.monotonic()
        said = told(connection)
    assert said.startswith("HTTP/1.1 408 ") and '"too_slow"' in said
    assert time.monotonic() - began < 2


def test_a_body_that_comes_in_time_is_read_and_the_answer_may_take_longer(serve: Any) -> None:
    client = serve(ScriptedAnswerer(FOUND, 0.5, ANSWER), body_timeout_s=0.3)
    assert client.post("/ask", json={"question": "x"}).json()["id"] == "a1"


def test_an_answer_that_takes_too_long_is_ended(serve: Any) -> None:
    answerer = ScriptedAnswerer(60.0, ANSWER)
    client = serve(answerer, request_timeout_s=0.3)
    for body in ({"question": "x"}, {"question": "x", "stream": True}):
        response = client.post("/ask", json=body)
        assert (response.status_code, response.json()["error"]["code"]) == (504, "too_late")
        assert response.headers["X-Request-ID"]
        assert answerer.closed.wait(2)
        answerer.closed.clear()
    assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize("body", [{"question": "x"}, {"question": "x", "stream": True}])
def test_what_the_service_ends_is_not_recorded_as_left_by_its_asker(serve: Any, body: dict[str, Any]) -> None:
    told = Queue[Record]()
    answerer = ObservedAnswerer(ScriptedAnswerer(FOUND, 60.0, ANSWER), "http", [told.put])
    serve(answerer, request_timeout_s=0.3).post("/ask", json=body)
    with pytest.raises(httpx.ReadTimeout):
        serve(answerer).post("/ask", json=body, timeout=0.3)
    ends = [told.get(timeout=5) for _ in range(2)]
    assert [(record.outcome, record.failure) for record in ends] == [("failed", "too_late"), ("abandoned", "abandoned")]


def test_a_stream_that_takes_too_long_ends_with_what_went_wrong(serve: Any) -> None:
    answerer = ScriptedAnswerer(FOUND, domain.Token("a"), 60.0, ANSWER)
    client = serve(answerer, request_timeout_s=0.4)
    with httpx_sse.connect_sse(client, "POST", "/ask", json={"question": "x", "stream": True}) as source:
        events = [(event.event, json.loads(event.data)) for event in source.iter_sse()]
    assert [name for name, _ in events] == ["passages", "token", "error"]
    assert events[-1][1]["error"]["code"] == "too_late"
    assert answerer.closed.wait(2)


def test_a_client_that_reads_no_more_does_not_hold_its_place(serve: Any, journal: Any) -> None:
    endless = [domain.Token("x" * 60_000)] * 2_000
    answerer = ScriptedAnswerer(FOUND, *endless, ANSWER)
    client = serve(answerer, request_timeout_s=0.5)
    with connected(client) as connection:
        body = b'{"question": "x", "stream": true}'
        connection.sendall(f"{HEAD}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        assert answerer.closed.wait(5)
        assert len(journal(1)) == 1


def test_openai_programs_are_told_in_their_form(serve: Any) -> None:
    client = serve(ScriptedAnswerer(60.0, ANSWER), request_timeout_s=0.3)
    body = {"model": "repopilot", "messages": [{"role": "user", "content": "x"}]}
    response = client.post("/v1/chat/completions", json=body)
    assert response.status_code == 504
    assert response.json()["error"]["type"] == "server_error"


@pytest.mark.parametrize("body", [{"question": "x"}, {"question": "x", "stream": True}])
def test_a_client_that_leaves_stops_the_answer_behind_every_door(serve: Any, tmp_path: Any, body: Any) -> None:
    answerer = ScriptedAnswerer(60.0, ANSWER)
    client = serve(answerer, api_token="sesame", attempts_url=f"sqlite:///{tmp_path / 'jobs.sqlite'}")
    headers = {"Authorization": "Bearer sesame", "Idempotency-Key": "k1"}
    with pytest.raises(httpx.ReadTimeout):
        client.post("/ask", json=body, headers=headers, timeout=0.4)
    assert answerer.closed.wait(2)


def test_headers_without_end_are_refused(serve: Any) -> None:
    client = serve()
    with connected(client) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * (LARGEST_HEAD + 65_536))
        said = told(connection)
    assert said.startswith("HTTP/1.1 400 ") and '"code":"bad_http"' in said and "Traceback" not in said
    assert client.get("/healthz", headers={"X-Long": "a" * 20_000}).status_code == 200


@pytest.mark.parametrize(
    "head, status",
    [
        ("Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", 400),
        ("Content-Length: -1\r\n\r\n", 400),
        ("Content-Length: x\r\n\r\n", 400),
        ("Content-Length: 999999999999999999999\r\n\r\n", 400),
        ("Content-Length: 999999999999\r\n\r\n", 413),
        ("Content-Length: 22\r\nContent-Length: 22\r\n\r\n" + '{"question": "blocks"}', 200),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 422),
        ("Transfer-Encoding: gzip\r\n\r\n", 400),
        ("Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        ("Bad Header: x\r\n\r\n", 400),
        ("X-Folded: a\r\n b\r\nContent-Length: 0\r\n\r\n", 422),
    ],
)
def test_heads_that_are_wrong(serve: Any, head: str, status: int) -> None:
    client = serve(ScriptedAnswerer(FOUND, ANSWER))
    with connected(client) as connection:
        connection.sendall(f"{HEAD}Connection: close\r\n{head}".encode())
        assert int(told(connection).split()[1]) == status
    assert client.get("/healthz").status_code == 200


def test_a_body_that_goes_wrong_after_its_answer_ends_the_connection(
    serve: Any, caplog: pytest.LogCaptureFixture
) -> None:
    client = serve(api_token="sesame")
    with connected(client) as connection:
        connection.sendall(f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 401 ")
        connection.sendall(b"not a chunk\r\n")
        assert told(connection) == ""
    assert client.get("/healthz").status_code == 200
    assert not [record for record in caplog.records if record.exc_info]


def test_who_asks_first_whether_to_send_is_told(serve: Any) -> None:
    client = serve(ScriptedAnswerer(FOUND, ANSWER), api_token="sesame")
    body = b'{"question": "x"}'
    expecting = f"{HEAD}Expect: 100-continue\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
    with connected(client) as connection:
        connection.sendall(f"{expecting}Authorization: Bearer sesame\r\n\r\n".encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 100 ")
        connection.sendall(body)
        assert told(connection).startswith("HTTP/1.1 200 ")
    with connected(client) as connection:
        connection.sendall(f"{expecting}\r\n".encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 401 ")


def test_no_connection_is_closed_while_its_client_waits_as_it_was_told() -> None:
    """What is sent on a connection just as the server closes it is lost, and a POST is not sent again by itself."""
    longest_told, kept_by_proxies = 60, 60
    assert server_of(FastAPI()).config.timeout_keep_alive > max(longest_told, kept_by_proxies)


def test_a_service_may_open_as_many_files_as_its_system_lets_it() -> None:
    script = (
        "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (256, r.getrlimit(r.RLIMIT_NOFILE)[1]));"
        "from bot.adapters.http.serving import open_many_files, MOST_FILES as most; open_many_files();"
        "soft, hard = r.getrlimit(r.RLIMIT_NOFILE); print(soft == (min(hard, most) if hard > 0 else most))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "True\n"
