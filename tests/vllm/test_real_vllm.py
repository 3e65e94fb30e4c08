"""The program from end to end: a git repository, `repopilot index`, `repopilot serve`, and answers from a real vLLM.

The model is far too small to answer well. What is asserted must hold whatever it says.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from server import VllmServer, free_port

# The first test of a machine makes the environment and the model.
pytestmark = [pytest.mark.vllm, pytest.mark.timeout(1800)]

ANSWER_SECONDS = 240  # a bounded answer takes well under a minute on an idle machine
READY_SECONDS = 120
REPOSITORY = "acme/warehouse"
QUESTION = "How does the warehouse evict old items, and what does WAREHOUSE_LIMIT do? Explain in detail."
# No file holds a number in brackets, so that every [n] in an answer can only be a citation.
FILES = {
    "README.md": """# Warehouse

Keeps items in memory and evicts the oldest when it is full.

## Configuration

The environment variable `WAREHOUSE_LIMIT` is the number of items that the warehouse keeps. The default is 100.
When one more arrives, the item that was stored first is evicted.

## Usage

    warehouse = Warehouse(limit=2)
    warehouse.store("apple", 1)
""",
    "warehouse/store.py": '''"""The warehouse: a bounded store of items."""

import os
from collections import OrderedDict


def limit_from_environment() -> int:
    """Return WAREHOUSE_LIMIT, or 100 when it is not set."""
    return int(os.environ.get("WAREHOUSE_LIMIT", "100"))


class Warehouse:
    """Keeps at most `limit` items; the one stored first leaves first."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit_from_environment() if limit is None else limit
        self.items: OrderedDict[str, object] = OrderedDict()

    def store(self, name: str, item: object) -> None:
        """Store an item, and evict the oldest when there are too many. Größe zählt."""
        self.items.update({name: item})
        if len(self.items) > self.limit:
            self.evict()

    def evict(self) -> str:
        """Remove the item that was stored first and return its name."""
        name, _ = self.items.popitem(last=False)
        return name
''',
    "warehouse/report.py": '''"""Prints what a warehouse holds."""


def report(names: list[str]) -> str:
    """Return one line for each item name, sorted."""
    return "\\n".join(sorted(names))
''',
}

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Program:
    """A running `repopilot serve`, and the commit of the repository that it knows."""

    url: str
    commit: str

    def ask(self) -> Json:
        """Return the Answer of one plain request."""
        reply = httpx.post(f"{self.url}/ask", json={"question": QUESTION}, timeout=ANSWER_SECONDS)
        assert reply.status_code == httpx.codes.OK, reply.text
        answer: Json = reply.json()
        return answer

    def events(self) -> Iterator[tuple[str, Json]]:
        """Yield (event, data) of one streamed request as they arrive."""
        body = {"question": QUESTION, "stream": True}
        with httpx.stream("POST", f"{self.url}/ask", json=body, timeout=ANSWER_SECONDS) as reply:
            assert reply.status_code == httpx.codes.OK
            assert reply.headers["content-type"].startswith("text/event-stream")
            yield from server_sent_events(reply.iter_lines())


def server_sent_events(lines: Iterator[str]) -> Iterator[tuple[str, Json]]:
    """Yield (event, data) as the WHATWG rules read them: `data` lines joined, comments and other fields ignored."""
    event, data = "message", list[str]()
    for line in lines:
        name, _, value = line.partition(":")
        if name == "event":
            event = value.removeprefix(" ")
        elif name == "data":
            data.append(value.removeprefix(" "))
        elif not line and data:
            yield event, json.loads("\n".join(data))
            event, data = "message", []


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with FILES in one commit."""
    folder = tmp_path_factory.mktemp("warehouse")
    for path, text in FILES.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=Test", "-c", "user.email=test@example.org", "commit", "--quiet", "--message=All")
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """A REPOPILOT_HOME that holds the index of the repository, made without a language model."""
    folder = tmp_path_factory.mktemp("home")
    command = [program(), "index", str(repository), "--repository", REPOSITORY, "--json"]
    done = subprocess.run(command, env=environment(folder), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["files"] == len(FILES)
    return folder


@pytest.fixture
def served(vllm_server: VllmServer, home: Path, repository: Path, tmp_path: Path) -> Iterator[Program]:
    """`repopilot serve`, answering through the real vLLM server."""
    with running(vllm_server, home, repository, tmp_path) as program:
        yield program


@contextlib.contextmanager
def running(
    vllm_server: VllmServer, home: Path, repository: Path, tmp_path: Path, **settings: str
) -> Iterator[Program]:
    """`repopilot serve` with these further settings."""
    port = free_port()
    told = settings | {"REPOPILOT_LLM_URL": vllm_server.base_url, "REPOPILOT_LLM_MODEL": vllm_server.model}
    log = tmp_path / "serve.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [program(), "serve", "--host", "127.0.0.1", "--port", str(port)],
            env=environment(home) | told,
            cwd=tmp_path,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until_ready(f"http://127.0.0.1:{port}", process, log)
        yield Program(f"http://127.0.0.1:{port}", git(repository, "rev-parse", "HEAD"))
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def test_an_answer_is_cited(served: Program, vllm_server: VllmServer) -> None:
    before = vllm_server.metric("vllm:generation_tokens_total")
    answer = served.ask()
    assert vllm_server.metric("vllm:generation_tokens_total") > before, "vLLM was not asked"
    assert_holds(answer, served.commit)
    assert_from_model_or_warned(answer, vllm_server.model)


def test_a_streamed_answer_is_cited_from_its_passages(served: Program, vllm_server: VllmServer) -> None:
    names, data = zip(*served.events(), strict=True)
    passages, answer = passages_of(data[0]), data[-1]
    assert (names[0], names[-1]) == ("passages", "answer")
    assert set(names[1:-1]) <= {"token"}
    assert_passages_are_the_files_lines(passages, served.commit)
    assert_holds(answer, served.commit)
    assert_from_model_or_warned(answer, vllm_server.model)
    assert_cites_only(answer, passages)
    if answer["model"] == vllm_server.model:
        assert "token" in names


def test_sixteen_questions_at_once_are_all_answered(
    vllm_server: VllmServer, home: Path, repository: Path, tmp_path: Path
) -> None:
    before = vllm_server.metric("vllm:request_success_total")
    told = {"REPOPILOT_LLM_ANSWER_TOKENS": "24"}
    with running(vllm_server, home, repository, tmp_path, **told) as program, ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: program.ask(), range(16)))
    assert vllm_server.metric("vllm:request_success_total") == before + 16
    for answer in answers:
        assert_holds(answer, program.commit)
        assert_from_model_or_warned(answer, vllm_server.model)


# Kills the server, which the next test that asks for it starts again: last in the file, so that none has to.
def test_a_server_killed_in_the_middle_loses_no_question(served: Program, vllm_server: VllmServer) -> None:
    before = vllm_server.metric("vllm:generation_tokens_total")
    events = []
    for event, data in served.events():
        events.append((event, data))
        if event == "passages":
            kill_while_it_generates(vllm_server, before)
    assert events[-1][0] == "answer", [event for event, _ in events]
    assert_extractive(events[-1][1], served.commit, vllm_server.model)
    assert_extractive(served.ask(), served.commit, vllm_server.model)  # nobody listens any more


def kill_while_it_generates(server: VllmServer, before: float) -> None:
    """Kill the server once it has generated a token of the request that is running."""
    deadline = time.monotonic() + ANSWER_SECONDS
    while server.metric("vllm:generation_tokens_total") <= before:
        assert time.monotonic() < deadline, "vLLM was not asked"
        time.sleep(0.02)
    assert server.metric("vllm:num_requests_running") == 1, "the answer was too short to be cut off"
    server.kill()


def assert_holds(answer: Json, commit: str) -> None:
    """Assert what the contract promises of every Answer, whoever wrote it."""
    assert answer["answer"].strip()
    assert answer["index"]["repository"] == REPOSITORY
    assert answer["index"]["commit"] == commit
    assert answer["citations"] or answer["declined"]
    numbers = [citation["number"] for citation in answer["citations"]]
    used = [int(number) for number in re.findall(r"\[(\d+)\]", answer["answer"])]
    assert numbers == list(range(1, len(numbers) + 1))
    assert list(dict.fromkeys(used)) == numbers, answer
    for citation in answer["citations"]:
        assert_points_into_a_file(citation, commit)


def assert_from_model_or_warned(answer: Json, model: str) -> None:
    assert answer["model"] == model or answer["warnings"], answer


def assert_extractive(answer: Json, commit: str, model: str) -> None:
    """Assert that the passages' own words answered in the model's place, and that the answer says so."""
    assert_holds(answer, commit)
    assert answer["citations"], answer
    assert not answer["declined"], answer
    assert answer["warnings"], answer
    assert answer["model"] != model, answer


def assert_passages_are_the_files_lines(passages: list[Json], commit: str) -> None:
    assert passages
    for passage in passages:
        assert_points_into_a_file(passage, commit)
        assert passage["text"].splitlines() == lines_of(passage)


def passages_of(data: Json | list[Json]) -> list[Json]:
    """Return the passages of the first event, which may be the list itself or an object like that of /search."""
    passages: list[Json] = data if isinstance(data, list) else data["passages"]
    return passages


def assert_cites_only(answer: Json, passages: list[Json]) -> None:
    """Assert that every citation lies inside a retrieved passage: its lines come from the index, not from the model."""
    for citation in answer["citations"]:
        assert any(
            passage["path"] == citation["path"]
            and passage["start_line"] <= citation["start_line"] <= citation["end_line"] <= passage["end_line"]
            for passage in passages
        ), citation


def assert_points_into_a_file(place: Json, commit: str) -> None:
    """Assert that the lines exist, are not blank, and that the permalink names the commit, the path and the lines."""
    assert "".join(lines_of(place)).strip(), place
    assert 1 <= place["start_line"] <= place["end_line"]
    assert f"/{commit}/{place['path']}#L{place['start_line']}" in place["url"]


def lines_of(place: Json) -> list[str]:
    """Return the lines of the file as it was committed."""
    lines = FILES[place["path"]].splitlines()
    assert place["end_line"] <= len(lines), place
    return lines[place["start_line"] - 1 : place["end_line"]]


def environment(home: Path) -> dict[str, str]:
    """Return this environment with no other RepoPilot setting than where things are stored."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("REPOPILOT_")}
    return kept | {"REPOPILOT_HOME": str(home), "HF_HUB_OFFLINE": "1"}


def program() -> str:
    return str(Path(sys.executable).with_name("repopilot"))


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{url}/readyz", timeout=5).status_code == httpx.codes.OK:
                return
        time.sleep(0.2)
    pytest.fail(f"repopilot serve did not become ready:\n{log.read_text(errors='replace')}")
