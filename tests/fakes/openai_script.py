"""What the fake model says: a case's `llm` script becomes a queue of replies, each of them a value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

DEFAULT_ANSWER = "The KV block size is 16 [1]."
FOREVER_S = 3600.0  # longer than any client waits: the reply never comes
STATUS_TYPES = {400: "BadRequestError", 401: "AuthenticationError", 404: "NotFoundError", 429: "RateLimitError"}


class ScriptError(ValueError):
    """A script asks for something this fake cannot play; silently playing something else would prove nothing."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One scripted reply. A raw `body` replaces the completion; `drop_after_tokens` cuts the connection there."""

    message: Mapping[str, Any] = field(default_factory=lambda: {"content": DEFAULT_ANSWER})
    finish_reason: str = "stop"
    status: int = 200
    body: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    delay_per_token_s: float = 0.0
    drop_after_tokens: int | None = None


def error_body(status: int, message: str) -> str:
    """The error document of vLLM's OpenAI-compatible server."""
    kind = STATUS_TYPES.get(status, "InternalServerError")
    return json.dumps({"error": {"message": message, "type": kind, "param": None, "code": status}})


def error(status: int, message: str = "scripted failure") -> Reply:
    return Reply(status=status, body=error_body(status, message))


BEHAVIOURS = {
    "ok": Reply(),
    "empty": Reply(message={"content": ""}),
    "null_content": Reply(message={"content": None}),
    "cut_off": Reply(finish_reason="length"),
    "html": Reply(body="<html><body>bad gateway</body></html>"),
    "truncated_json": Reply(body='{"choices":[{"mess'),
    "timeout": Reply(delay_s=FOREVER_S),
    "hang": Reply(delay_s=FOREVER_S),
    "empty_choices": Reply(body='{"id": "x", "object": "chat.completion", "model": "fake", "choices": []}'),
    "connection_reset": Reply(drop_after_tokens=0),
    "disconnect": Reply(drop_after_tokens=2),
}


def reply(script: str | Mapping[str, Any]) -> Reply:
    """The reply that one step of a script describes; raises ScriptError for words or keys it does not know."""
    if isinstance(script, str):
        return _behaviour(script)
    fields = dict(script)
    changes: dict[str, Any] = {}
    start = _behaviour(fields.pop("behavior")) if "behavior" in fields else Reply()
    if "status" in fields and not {"body", "json"} & fields.keys() and fields["status"] >= 400:
        start = error(fields["status"])
    if "answer" in fields:
        changes["message"] = {"content": fields.pop("answer")}
    if "tokens" in fields:
        changes["message"] = {"content": "word " * fields.pop("tokens")}
    if "json" in fields:
        changes["body"] = json.dumps(fields.pop("json"))
    unknown = fields.keys() - Reply.__dataclass_fields__.keys()
    if unknown:
        raise ScriptError(f"unknown llm script key {sorted(unknown)[0]}")
    return replace(start, **changes, **fields)


def replies(script: object) -> Iterator[Reply]:
    """The endless queue of replies of a script: a sequence ends by repeating its last step, as a broken peer would."""
    if isinstance(script, Mapping) and "sequence" in script:
        script = script["sequence"]
    steps: list[Any] = script if isinstance(script, list) else [script or "ok"]
    return _endless([reply(step) for step in steps])


def _behaviour(name: str) -> Reply:
    if status := re.fullmatch(r"http_(\d{3})", name):
        return error(int(status[1]))
    if name not in BEHAVIOURS:
        raise ScriptError(f"unknown llm behavior {name}")
    return BEHAVIOURS[name]


def _endless(steps: Sequence[Reply]) -> Iterator[Reply]:
    yield from steps
    while True:
        yield steps[-1]
