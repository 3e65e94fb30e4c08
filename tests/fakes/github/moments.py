"""Points in time as GitHub writes them, and as a script may write them: `{now+5s epoch}`, `{now-1h iso}`, `{now}`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

_MOMENT = re.compile(r"\{now(?:\s*(?P<sign>[+-])\s*(?P<count>\d+)\s*(?P<unit>[smhd])?)?(?:\s+(?P<form>epoch|iso))?\}")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def filled(value: Any, now: Callable[[], float] = time.time) -> Any:
    """The value with each moment in its strings written out; `epoch` (seconds) is the default form."""
    match value:
        case str():
            return _MOMENT.sub(lambda found: _written(found, now()), value)
        case dict():
            return {key: filled(item, now) for key, item in value.items()}
        case list():
            return [filled(item, now) for item in value]
    return value


def _written(found: re.Match[str], now: float) -> str:
    offset = int(found["count"] or 0) * _SECONDS[found["unit"] or "s"]
    moment = now - offset if found["sign"] == "-" else now + offset
    return iso(moment) if found["form"] == "iso" else str(int(moment + 0.999))
