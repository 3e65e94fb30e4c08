"""What a loopback service answers in place of its own answer, as a test scripts it: shared by all that are scripted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from fakes.openai_script import FOREVER_S, ScriptError

Cut = Literal["before", "after"]
"""When the connection is cut: before the request takes effect, or after it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One scripted answer. `status` None lets the server answer, after `delay_s` and up to the cut."""

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Any = None
    body: str | None = None
    delay_s: float = 0.0
    cut: Cut | None = None

    @property
    def takes_effect(self) -> bool:
        failed = isinstance(self.json, Mapping) and "errors" in self.json
        return self.cut != "before" and not failed and (self.status is None or self.status < 300)


BEHAVIOURS = {
    "ok": Answer(),
    "timeout": Answer(delay_s=FOREVER_S, cut="before"),
    "hang": Answer(delay_s=FOREVER_S, cut="before"),
    "timeout_after": Answer(delay_s=FOREVER_S, cut="after"),
    "connection_reset": Answer(cut="before"),
    "disconnect": Answer(cut="after"),
    "cut_before": Answer(cut="before"),
    "cut_after": Answer(cut="after"),
    "html": Answer(status=502, body="<html><body>bad gateway</body></html>"),
}


def answer_of(service: str, script: Any) -> Answer | None:
    """The answer that a script stands for, None for the service's own. Raises ScriptError, which names the service."""
    if script is None or script in ("ok", {}):
        return None
    if isinstance(script, int):
        return Answer(status=script)
    if isinstance(script, str):
        return _behaviour(service, script)
    fields = dict(script)
    start = _behaviour(service, fields.pop("behavior")) if "behavior" in fields else Answer()
    if unknown := sorted(fields.keys() - Answer.__dataclass_fields__.keys()):
        raise ScriptError(f"unknown {service} script key {unknown[0]}")
    return replace(start, **fields)


def _behaviour(service: str, name: str) -> Answer:
    if status := re.fullmatch(r"http_(\d{3})", name):
        return Answer(status=int(status[1]))
    if name not in BEHAVIOURS:
        raise ScriptError(f"unknown {service} behavior {name}")
    return BEHAVIOURS[name]
