"""A loopback server that keeps the contract of vLLM's OpenAI-compatible API and plays a script instead of a model.

It records every chat request, how many were in flight at once, and whether the client hung up before the end.
The contract: https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
"""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from fakes import openai_wire as wire
from fakes.openai_script import Reply, error_body, replies


class ClientGoneError(Exception):
    """The client closed its side before the reply was complete."""


@dataclass(slots=True)
class Record:
    """One chat request: what was asked, when, and how it ended (None while it is being answered)."""

    body: Mapping[str, Any]
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    outcome: Literal["finished", "cancelled"] | None = None

    @property
    def prompt(self) -> str:
        """Every message of the request, in order, as one text."""
        return "\n".join(wire.message_text(message) for message in self.body.get("messages", ()))


class OpenAIServer:
    """The fake, in a thread of its own: `with OpenAIServer() as llm: … llm.url … llm.records`.

    `refuses` are fields of a request that it does not know. A `bare` one has only what OpenAI's own API has: no
    `/tokenize`, no `/health`, and no length of the context. `tokenized` are the texts that were counted.
    """

    def __init__(
        self,
        script: object = None,
        *,
        model: str = "fake",
        max_model_len: int = 8192,
        api_key: str | None = None,
        refuses: Collection[str] = (),
        bare: bool = False,
    ) -> None:
        self.model, self.max_model_len, self.api_key = model, max_model_len, api_key
        self.refuses, self.bare, self.well = refuses, bare, True
        self.tokenized: list[str] = []
        self._lock = threading.Lock()
        self.play(script)
        handler = type("Handler", (_Handler,), {"fake": self})
        self._server = _Server(("127.0.0.1", 0), handler)

    @property
    def url(self) -> str:
        """The base URL that clients are given, `/v1` included."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> OpenAIServer:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def play(self, script: object) -> None:
        """Start another script and forget what was recorded; raises ScriptError when it cannot be played."""
        queue = replies(script)
        with self._lock:
            self._replies = queue
            self.records: list[Record] = []
            self.concurrency_max = 0

    @property
    def in_flight(self) -> Sequence[Record]:
        return [record for record in self.records if record.outcome is None]

    def wait_until(self, condition: Callable[[OpenAIServer], bool], seconds: float) -> bool:
        """Whether the condition came true within that time."""
        deadline = time.monotonic() + seconds
        while not (met := condition(self)) and time.monotonic() < deadline:
            time.sleep(0.02)
        return met

    def open(self, body: Mapping[str, Any]) -> tuple[Record, Reply]:
        """Record a request and take the next reply of the script."""
        with self._lock:
            record = Record(body)
            self.records.append(record)
            self.concurrency_max = max(self.concurrency_max, len(self.in_flight))
            return record, next(self._replies)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a scripted hang must not hold up the end of a test
    request_queue_size = 512

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are part of the script, not worth a traceback."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a token is sent when it is made, as vLLM does
    fake: OpenAIServer

    def log_message(self, format: str, *args: object) -> None:
        """Silence: the records say what was asked."""

    def do_GET(self) -> None:
        card = {"id": self.fake.model, "object": "model", "created": 0, "owned_by": "vllm"}
        more = {} if self.fake.bare else {"root": self.fake.model, "max_model_len": self.fake.max_model_len}
        if self.path == "/health" and not self.fake.bare:
            self._send(200 if self.fake.well else 503, "")
        elif self.path == "/v1/models" and self._allowed():
            self._send(200, json.dumps({"object": "list", "data": [card | more]}))
        elif self.path != "/v1/models":
            self._send(404, json.dumps({"detail": "Not Found"}))

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        route = {"/v1/chat/completions": self._chat, "/tokenize": self._tokenize}.get(self.path)
        if route is None or (self.fake.bare and not self.path.startswith("/v1")):
            self._send(404, json.dumps({"detail": "Not Found"}))
        elif self._allowed():
            route(json.loads(data))

    def _allowed(self) -> bool:
        """Whether the key is right; like vLLM, only `/v1` asks for one."""
        right = self.fake.api_key is None or self.headers.get("Authorization") == f"Bearer {self.fake.api_key}"
        if not right and self.path.startswith("/v1"):
            self._send(401, json.dumps({"error": "Unauthorized"}))
            return False
        return True

    def _tokenize(self, body: Mapping[str, Any]) -> None:
        text = body.get("prompt") or "".join(map(wire.message_text, body.get("messages", ())))
        self.fake.tokenized.append(text)
        pieces = wire.tokens(text)
        counts = {"count": len(pieces), "max_model_len": self.fake.max_model_len}
        self._send(200, json.dumps(counts | {"tokens": list(range(len(pieces))), "token_strs": None}))

    def _chat(self, body: Mapping[str, Any]) -> None:
        if refused := wire.refusal(body, self.fake.model, self.fake.max_model_len, self.fake.refuses):
            self._send(refused[0], error_body(*refused))
            return
        record, reply = self.fake.open(body)
        outcome: Literal["finished", "cancelled"] = "cancelled"
        try:
            self._answer(body, reply)
            outcome = "finished"
        except (ClientGoneError, ConnectionError):
            self.close_connection = True
        finally:
            record.ended, record.outcome = time.monotonic(), outcome

    def _answer(self, body: Mapping[str, Any], reply: Reply) -> None:
        self._wait(reply.delay_s)
        if reply.body is not None:
            self._send(reply.status, reply.body, reply.headers)
        elif body.get("stream"):
            self._stream(wire.chunks(body, reply), reply)
        elif reply.drop_after_tokens is not None:
            self._drop()
        else:
            self._wait(reply.delay_per_token_s * len(wire.tokens(wire.message_text(reply.message))))
            self._send(reply.status, json.dumps(wire.completion(body, reply)), reply.headers)

    def _stream(self, chunks: Iterable[wire.Document], reply: Reply) -> None:
        self._head(200, {"Content-Type": "text/event-stream; charset=utf-8", "Transfer-Encoding": "chunked"})
        for sent, chunk in enumerate(chunks):
            if sent == reply.drop_after_tokens:
                self._drop()
                return
            self._wait(reply.delay_per_token_s)
            self._write_chunk(wire.event(chunk))
        self._write_chunk(b"data: [DONE]\n\n")
        self._write_chunk(b"")

    def _wait(self, seconds: float) -> None:
        """Think for that long; raises ClientGoneError as soon as the client hangs up, as vLLM's abort does."""
        readable, _, _ = select.select([self.connection], [], [], max(seconds, 0))
        if readable and self.connection.recv(1, socket.MSG_PEEK) == b"":
            raise ClientGoneError

    def _drop(self) -> None:
        """Cut the connection in the middle of a reply, as a crashed server or a proxy does."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, status: int, body: str, headers: Mapping[str, str] | None = None) -> None:
        data = body.encode()
        kind = "text/html" if body.lstrip().startswith("<") else "application/json"
        self._head(status, {"Content-Type": kind, "Content-Length": str(len(data))} | dict(headers or {}))
        self.wfile.write(data)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _write_chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
