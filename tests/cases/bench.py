"""A started server with a scripted model behind it: one case's request goes in, an observation comes out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from cases.case import Case
from cases.http_observation import Exchange, HttpObservation, ModelCall
from cases.http_request import demand_known, exchanges
from cases.program import CannotRunError, Server
from fakes.openai_server import OpenAIServer, Record

GIVEN = frozenset({"config", "request", "override", "llm", "store", "note"})
BUSY_LIMIT_S = 2.0  # a client that hangs up gives the server this long to have the model at work
CANCEL_LIMIT_S = 7.0
LOOK_LIMIT_S = 30.0
LOG_SETTLES_S = 0.05
REFUSED = "connection_refused"  # played by the address, not by the fake


@dataclass(frozen=True, slots=True)
class Bench:
    """`between` is what happens to the store between two requests of one case."""

    server: Server
    llm: OpenAIServer
    between: Callable[[], None]
    commits: frozenset[str]

    def observe(self, case: Case) -> HttpObservation:
        """Send the case's request and collect what it left: responses, log lines and calls of the model."""
        if unknown := sorted(case.given.keys() - GIVEN):
            raise CannotRunError(f"unknown given {unknown[0]}")
        request = case.given["request"]
        demand_known(request)
        self.llm.play(_playable(case.given.get("llm")))
        if request.get("action") == "start":
            return HttpObservation(log=self.server.log, exit_code=self.server.exit_code, status_of=self._status_of)
        if self.server.exit_code is not None:
            raise CannotRunError(f"the server ended with exit {self.server.exit_code}: {self.server.log[-300:]}")
        return self._observe(request, logged=len(self.server.log))

    def _observe(self, request: Mapping[str, Any], logged: int) -> HttpObservation:
        received = exchanges(self.server.url, request, self.between, self._wait_until_busy)
        hung_up_at = time.monotonic()
        if received[-1].disconnected:
            self.llm.wait_until(lambda llm: not llm.in_flight, CANCEL_LIMIT_S)
        calls = [_call(record, hung_up_at) for record in self.llm.records]
        concurrency = self.llm.concurrency_max
        follow_up = self._ask_again(request) if received[-1].disconnected else None
        time.sleep(LOG_SETTLES_S)
        log = self.server.log[logged:]
        return HttpObservation(
            received, log, calls, concurrency, self.server.exit_code, follow_up, self.commits, self._status_of
        )

    def _wait_until_busy(self) -> None:
        self.llm.wait_until(lambda llm: bool(llm.in_flight), BUSY_LIMIT_S)

    def _ask_again(self, request: Mapping[str, Any]) -> Exchange:
        """The same question of a client that stays, to a model that is quick again."""
        self.llm.play("ok")
        patient = {key: value for key, value in request.items() if not key.startswith("disconnect_")}
        return exchanges(self.server.url, patient, lambda: None, lambda: None)[-1]

    def _status_of(self, path: str) -> int:
        """The status of a GET without credentials, 0 when nothing answers."""
        try:
            return httpx.get(self.server.url + path, timeout=LOOK_LIMIT_S, trust_env=False).status_code
        except httpx.HTTPError:
            return 0


def _playable(script: object) -> object:
    return "ok" if isinstance(script, Mapping) and script.get("behavior") == REFUSED else script


def _call(record: Record, hung_up_at: float) -> ModelCall:
    ended = None if record.ended is None else max(record.ended - hung_up_at, 0.0)
    return ModelCall(record.prompt, record.outcome, ended)
