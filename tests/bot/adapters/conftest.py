"""The real HTTP service on loopback, over a small real index."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from bot import types
from bot.adapters.github.policy import Policy
from bot.adapters.github.webhook import Webhook
from bot.adapters.http import HttpOptions, create_application, wire
from bot.adapters.http.serving import server_of
from bot.answering import Answerer
from bot.database import now
from bot.history import History, Record
from bot.keys import Keyring
from bot.ledger import Ledger
from bot.metrics import Metrics
from bot.observing import ObservedAnswerer
from fakes.library import Library
from fakes.model import ScriptedModel

Serve = Callable[..., httpx.Client]


@contextmanager
def serving(application: FastAPI) -> Iterator[str]:
    """The address of a real server on a free port."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        server = server_of(application, lifespan=False)
        thread = threading.Thread(target=server.run, args=([bound],))
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                time.sleep(0.01)
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)


@contextmanager
def _starter(library: Library) -> Iterator[Serve]:
    with ExitStack() as held:

        def start(answerer: Any = None, *, over: Library = library, **options: Any) -> httpx.Client:
            """A client of a new service; `over` is the library that it reads, `options` are HttpOptions."""
            chosen = HttpOptions(**{"api_token": None, "per_client_per_minute": None} | options)
            application = create_application(answerer or Answerer(over.retriever), over.retriever, over.stores, chosen)
            url = held.enter_context(serving(application))
            return held.enter_context(httpx.Client(base_url=url, timeout=10, trust_env=False))

        yield start


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.indexed(tmp_path_factory.mktemp("library")) as made:
        yield made


@pytest.fixture
def serve(library: Library) -> Iterator[Serve]:
    with _starter(library) as start:
        yield start


@pytest.fixture(scope="module")
def serve_long(library: Library) -> Iterator[Serve]:
    """The same for services that all tests of a module may share."""
    with _starter(library) as start:
        yield start


@pytest.fixture(scope="session")
def client(library: Library) -> Iterator[httpx.Client]:
    """A client of a service that all tests may share: it asks for the token `sesame`."""
    with _starter(library) as start:
        client = start(api_token="sesame", embedder="hashing-64", model=ScriptedModel("tiny"))
        client.headers["Authorization"] = "Bearer sesame"
        yield client


@pytest.fixture(scope="session")
def equipped(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a service that has all there is over one database: keys, history, attempts, metrics. It asks for the
    token `sesame`; what it is asked becomes history, as where it is served."""
    url = f"sqlite:///{tmp_path_factory.mktemp('database') / 'jobs.sqlite'}"
    history = History(url)
    index = types.Index("acme/demo", "main", "c0ffee", now())
    answer = types.Answer(wire.ID, "It is 16 [1].", (), False, None, "scripted", index)
    history.record(Record(wire.ID, now(), "http", None, "how many", answer))  # the one of the document's examples
    options = {"keys": Keyring(url), "history": history, "attempts_url": url, "metrics": Metrics("0")}
    nobody: Any = None  # whom no delivery reaches, since none here is signed
    options["github"] = Webhook("secret", Policy("RepoPilot"), Ledger(url), nobody)
    answerer = ObservedAnswerer(Answerer(library.retriever), "http", [history.record])
    with _starter(library) as start:
        client = start(answerer, api_token="sesame", **options)
        client.headers["Authorization"] = "Bearer sesame"
        yield client


Journal = Callable[[int], list[dict[str, Any]]]


@pytest.fixture
def journal(caplog: pytest.LogCaptureFixture) -> Journal:
    """Waits for that many lines of the log (they come after the response) and returns what they say."""
    caplog.set_level(logging.INFO)

    def entries(count: int) -> list[dict[str, Any]]:
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            lines = [r.getMessage() for r in caplog.records if (r.name, r.levelname) == ("repopilot.http", "INFO")]
            if len(lines) >= count:
                return [json.loads(line) for line in lines]
            time.sleep(0.01)
        raise AssertionError(f"fewer than {count} lines")

    return entries
