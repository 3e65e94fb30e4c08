"""Values that a case writes in short form: long strings by rule, and request bodies as exact bytes."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

BODY_KEYS = ("body_b64", "body_text", "body", "payload", "json")


class UnknownBuilderError(ValueError):
    """A `$name` that this driver cannot build."""


def built(value: Any) -> Any:
    """The value with each `{"$repeat": [text, n]}` and `{"$concat": [part, …]}` replaced by its string."""
    match value:
        case {"$repeat": [text, int(times)]} if len(value) == 1:
            return built(text) * times
        case {"$concat": [*parts]} if len(value) == 1:
            return "".join(built(part) for part in parts)
        case dict():
            if unknown := [key for key in value if key.startswith("$")]:
                raise UnknownBuilderError(f"unknown builder {unknown[0]}")
            return {key: built(item) for key, item in value.items()}
        case list():
            return [built(item) for item in value]
        case _:
            return value


def body_bytes(request: Mapping[str, Any]) -> bytes | None:
    """The exact bytes of a request's body, whichever of its forms the case uses; None when it has no body."""
    key = next((key for key in BODY_KEYS if key in request), None)
    if key is None:
        return None
    value = request[key]
    if key == "body_b64":
        return base64.b64decode(value)
    if key == "payload":
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    if key == "json" or not isinstance(value, str):
        return json.dumps(value).encode()
    return value.encode("utf-8", "surrogatepass")
