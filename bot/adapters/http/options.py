"""How the service is to behave: values that the composition root decides."""

from __future__ import annotations

from dataclasses import dataclass

# A question, its history and much room: what is larger is a mistake or an attack.
LARGEST_BODY = 64 * 1024
# Proxies commonly end connections that are silent for 30 to 60 seconds.
PING_S = 15.0


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """`api_token` None: open to everybody. `embedder` and `model` are names that `/status` shows. Sizes in bytes."""

    api_token: str | None
    per_client_per_minute: int | None
    embedder: str | None = None
    model: str | None = None
    largest_body: int = LARGEST_BODY
    ping_s: float = PING_S
