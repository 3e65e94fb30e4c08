"""What one HTTP case showed: the exchanges, what the server logged, and what the model was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cases.sse import Event, events


@dataclass(frozen=True, slots=True)
class Exchange:
    """One response as it was received; `status` is 0 and `failure` says why when there was none."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    seconds: float = 0.0
    failure: str = ""
    disconnected: bool = False

    @property
    def json(self) -> Any:
        """The body as JSON, or None when it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def streamed(self) -> bool:
        return self.header("Content-Type").startswith("text/event-stream")

    @property
    def events(self) -> list[Event]:
        return list(events(self.body)) if self.streamed else []

    @property
    def answer(self) -> Mapping[str, Any]:
        """The Answer of a successful `/ask`, streamed or not; empty when there is none."""
        found = next((e.json for e in self.events if e.name == "answer"), None) if self.streamed else self.json
        return found if self.status == 200 and isinstance(found, dict) else {}

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers.items() if key.lower() == name.lower()), "")


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request that reached the model: its whole prompt, and when it ended after the client had hung up."""

    prompt: str
    outcome: str | None = "finished"
    ended_after_disconnect_s: float | None = None


def _no_status(_: str) -> int:
    raise ValueError("this observation has no such look")


@dataclass(frozen=True, slots=True)
class HttpObservation:
    """`exit_code` is set when the server refused to start or died. `follow_up` is asked after a disconnect."""

    exchanges: Sequence[Exchange] = ()
    log: str = ""
    calls: Sequence[ModelCall] = ()
    llm_concurrency: int = 0
    exit_code: int | None = None
    follow_up: Exchange | None = None
    commits: frozenset[str] = frozenset()
    status_of: Callable[[str], int] = _no_status

    @property
    def last(self) -> Exchange:
        return self.exchanges[-1]

    @property
    def answers(self) -> list[Mapping[str, Any]]:
        return [exchange.answer for exchange in self.exchanges if exchange.answer]
