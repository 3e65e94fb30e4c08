"""Server-sent events as a browser reads them: https://html.spec.whatwg.org/multipage/server-sent-events.html"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LINE_END = re.compile(r"\r\n|\n|\r")
FIELDS = frozenset({"event", "data", "id", "retry"})
TEXT_KEYS = ("text", "token", "delta", "content")


@dataclass(frozen=True, slots=True)
class Event:
    """One dispatched event; `data` has its lines joined by a newline."""

    name: str
    data: str

    @property
    def json(self) -> Any:
        """The data as JSON, or None when it is none."""
        try:
            return json.loads(self.data)
        except ValueError:
            return None

    @property
    def text(self) -> str:
        """The words of a token event: a JSON string, an object with the text under one of its usual names, or plain."""
        value = self.json
        if isinstance(value, dict):
            return next((value[key] for key in TEXT_KEYS if isinstance(value.get(key), str)), "")
        return value if isinstance(value, str) else self.data


def events(stream: str) -> Iterator[Event]:
    """The events of a whole stream; one that the final blank line does not close is not dispatched."""
    name, data = "", list[str]()
    *lines, _unfinished = LINE_END.split(stream.removeprefix("\ufeff"))
    for line in lines:
        if not line:
            if data:
                yield Event(name or "message", "\n".join(data))
            name, data = "", []
        else:
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            name = value if field == "event" else name
            if field == "data":
                data.append(value)


def stray_lines(stream: str) -> list[str]:
    """Lines that are neither blank, a comment nor a known field: a browser drops them, so their words are lost."""
    return [line for line in LINE_END.split(stream) if line and line.partition(":")[0] not in FIELDS | {""}]
