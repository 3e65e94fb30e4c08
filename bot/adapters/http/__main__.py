"""`python -m bot.adapters.http` prints the OpenAPI document of a service that has everything: docs/openapi.json."""

from __future__ import annotations

import json
from typing import Any

from bot.adapters.http import HttpOptions, create_application
from bot.build import version
from bot.metrics import Metrics


def document() -> str:
    parts: Any = None  # nothing is asked of them
    options = HttpOptions(api_token=None, per_client_per_minute=None, metrics=Metrics(version()))
    described = create_application(parts, parts, parts, options).openapi()
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(document(), end="")  # noqa: T201 - it is what it is for
