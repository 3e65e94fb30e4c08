"""Webhooks as GitHub sends them: signed, with its headers, remembered, and sent again when somebody asks.

https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers
"""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import httpx

from fakes.github.moments import iso
from fakes.github.world import World

PATIENCE_S = 10.0  # GitHub hangs up after ten seconds
REDELIVERY_LIMIT_S = 3 * 24 * 3_600


@dataclass(frozen=True, slots=True)
class Delivery:
    """One delivery that was tried. `status` is 0 when nobody answered in time; `failure` then says why."""

    id: int
    guid: str
    event: str
    payload: Mapping[str, Any]
    url: str
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    status: int = 0
    seconds: float = 0.0
    response_headers: Mapping[str, str] = field(default_factory=dict)
    response: str = ""
    failure: str = ""
    redelivery: bool = False
    at: float = field(default_factory=time.time)

    @property
    def item(self) -> dict[str, Any]:
        """As the list of deliveries shows it."""
        ids = {f"{name}_id": (self.payload.get(name) or {}).get("id") for name in ("installation", "repository")}
        said = {"status": "OK" if self.ok else self.failure or "Invalid HTTP Response", "status_code": self.status}
        head = {"id": self.id, "guid": self.guid, "delivered_at": iso(self.at), "redelivery": self.redelivery}
        about = {"event": self.event, "action": self.payload.get("action"), "throttled_at": None}
        return head | {"duration": round(self.seconds, 2)} | said | about | ids

    @property
    def document(self) -> dict[str, Any]:
        request = {"headers": dict(self.headers), "payload": dict(self.payload)}
        return self.item | {
            "url": self.url,
            "request": request,
            "response": {"headers": dict(self.response_headers), "payload": self.response},
        }

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


class Deliveries:
    """Sends to the App's webhook, or to the address that a call names; `made` are all of them in order."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.made: list[Delivery] = []

    def send(
        self,
        event: str,
        payload: Mapping[str, Any],
        *,
        url: str = "",
        guid: str = "",
        form: bool = False,
        secret: str | None = None,
        target: str = "integration",
    ) -> Delivery:
        """Post a payload as GitHub does and return what became of it; a `target` repository sends its own hook."""
        text = json.dumps(payload, separators=(",", ":"), ensure_ascii=False)
        body = (urlencode({"payload": text}) if form else text).encode()
        about = {
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": guid or str(uuid.uuid4()),
            "X-GitHub-Hook-ID": "109948940",
            "X-GitHub-Hook-Installation-Target-Type": target,
            "X-GitHub-Hook-Installation-Target-ID": str(self._target(payload, target)),
            "User-Agent": "GitHub-Hookshot/044aadd",
            "Accept": "*/*",
            "Content-Type": "application/x-www-form-urlencoded" if form else "application/json",
        }
        headers = about | signature(self._world.app.hook_secret if secret is None else secret, body)
        return self._try(event, payload, url or self._world.app.hook_url, headers, body)

    def redeliver(self, delivery: Delivery) -> Delivery:
        """Send the same bytes with the same GUID again."""
        return self._try(delivery.event, delivery.payload, delivery.url, delivery.headers, delivery.body, True)

    def redeliver_later(self, delivery: Delivery) -> None:
        threading.Thread(target=self.redeliver, args=(delivery,), daemon=True).start()

    def find(self, id_: int) -> Delivery | None:
        return next((each for each in self.made if each.id == id_), None)

    def _target(self, payload: Mapping[str, Any], target: str) -> Any:
        return self._world.app.id if target == "integration" else (payload.get(target) or {}).get("id", 0)

    def _try(
        self,
        event: str,
        payload: Mapping[str, Any],
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        redelivery: bool = False,
    ) -> Delivery:
        started, said = time.monotonic(), dict[str, Any]()
        try:
            response = httpx.post(url, content=body, headers=dict(headers), timeout=PATIENCE_S, trust_env=False)
            said = {
                "status": response.status_code,
                "response": response.text,
                "response_headers": dict(response.headers),
            }
        except httpx.TimeoutException:
            said = {"failure": "timed out"}
        except httpx.HTTPError as error:
            said = {"failure": f"failed to connect to host: {error}"}
        more: dict[str, Any] = {"seconds": time.monotonic() - started, "redelivery": redelivery}
        with self._world.lock:
            id_ = self._world.new_id()
            made = Delivery(id_, headers["X-GitHub-Delivery"], event, payload, url, headers, body, **said, **more)
            self.made.append(made)
        return made


def signature(secret: str, body: bytes) -> dict[str, str]:
    """The two headers that sign the raw bytes; none without a secret."""
    if not secret:
        return {}
    sums = {"": hashlib.sha1, "-256": hashlib.sha256}
    names = {"": "sha1", "-256": "sha256"}
    return {
        f"X-Hub-Signature{end}": f"{names[end]}={hmac.new(secret.encode(), body, sum_).hexdigest()}"
        for end, sum_ in sums.items()
    }
