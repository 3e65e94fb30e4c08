"""The whole line: a repository is indexed, a server answers from it, and follows it without a restart."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from fakes.checkout import BLOCKS, Checkout, Program

QUESTION = "What does allocate return?"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout.new(tmp_path / "demo")


@pytest.fixture
def program(tmp_path: Path, checkout: Checkout) -> Program:
    return Program.with_index(tmp_path / "home", checkout)


@contextmanager
def serving(program: Program) -> Iterator[httpx.Client]:
    """A client of a real server in a process of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [program.executable, "serve", "--port", str(port)]
    with subprocess.Popen(command, cwd=program.home.parent, env=program.environment({})) as server:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                wait_until_ready(client, server)
                yield client
        finally:
            server.terminate()
            server.wait(30)


def wait_until_ready(client: httpx.Client, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert server.poll() is None, "the server has ended"
        try:
            if client.get("/readyz").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("the server did not become ready")


def posted(client: httpx.Client, route: str, **body: object) -> Any:
    response = client.post(route, json=body)
    assert response.status_code == 200, response.text
    return response.json()


def streamed(client: httpx.Client, question: str) -> list[tuple[str, Any]]:
    """The events of a streamed answer."""
    with client.stream("POST", "/ask", json={"question": question, "stream": True}) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        blocks = response.read().decode().split("\n\n")
    events = [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks if block.startswith("event")]
    return [(event["event"], json.loads(event["data"])) for event in events]


def lines_of(checkout: Checkout, commit: str, citation: Any) -> str:
    text = checkout.git("show", f"{commit}:{citation['path']}")
    return "\n".join(text.split("\n")[citation["start_line"] - 1 : citation["end_line"]])


def test_from_a_repository_to_cited_answers_that_follow_it(checkout: Checkout, program: Program) -> None:
    first = checkout.git("rev-parse", "HEAD")
    with serving(program) as client:
        found = posted(client, "/search", query="how many blocks hold the tokens", limit=3)
        assert found["index"]["commit"] == first and 1 <= len(found["passages"]) <= 3
        top = found["passages"][0]
        assert top["path"] == "src/blocks.py" and lines_of(checkout, first, top) == top["text"].rstrip("\n")
        assert top["url"] == (
            f"https://github.com/acme/demo/blob/{first}/src/blocks.py#L{top['start_line']}-L{top['end_line']}"
        )

        answer = posted(client, "/ask", question=QUESTION)
        assert not answer["declined"] and "[1]" in answer["answer"]
        assert "def allocate" in lines_of(checkout, first, answer["citations"][0])

        (name, passages), *tokens, (last, whole) = streamed(client, QUESTION)
        assert (name, last) == ("passages", "answer") and {token for token, _ in tokens} == {"token"}
        assert passages["passages"] and "".join(token["text"] for _, token in tokens) == whole["answer"]
        assert whole | {"id": ""} == answer | {"id": ""}

        moved = checkout.commit(
            {
                "src/blocks.py": "# moved down\n\n" + BLOCKS.replace("16", "32"),
                "src/new.py": "def brand_new():\n    return 1\n",
            }
        )
        report = program.json("index", str(checkout.folder))
        assert (report["added"], report["updated"], report["unchanged"]) == (1, 1, 1)

        after = posted(client, "/ask", question=QUESTION)
        assert after["index"]["commit"] == moved != first
        assert all(f"/blob/{moved}/" in citation["url"] for citation in after["citations"])
        assert "def allocate" in lines_of(checkout, moved, after["citations"][0])
        assert "src/new.py" in {p["path"] for p in posted(client, "/search", query="brand_new")["passages"]}
        assert client.get("/status").json()["indexes"][0]["files"] == 3


def test_the_command_line_and_the_server_say_the_same(program: Program) -> None:
    with serving(program) as client:
        served, said = posted(client, "/ask", question=QUESTION), program.json("ask", QUESTION)
    assert served | {"id": ""} == said | {"id": ""}
