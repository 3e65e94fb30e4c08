"""What GitHub delivers is verified, noted and queued, well within the ten seconds that it waits. The work comes later.

https://docs.github.com/webhooks/using-webhooks/best-practices-for-using-webhooks
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final
from urllib.parse import parse_qs

from anyio.to_thread import run_sync

from bot.adapters.github.deliveries import read
from bot.adapters.github.policy import Policy, asks, words
from bot.adapters.github.signature import verified
from bot.adapters.github.types import Pushed, Taken, Text
from bot.events import about_event, current_event
from bot.jobs import Jobs
from bot.ledger import FOR_GOOD, Ledger
from bot.logs import Fields

log = logging.getLogger("repopilot.github")

# Of what people write, as much as GitHub lets them.
LONGEST_TEXT: Final = 65_536
ANSWER: Final = "github"
SYNC: Final = "sync"

Response = tuple[int, Mapping[str, Any]]
"""A status and a body, to be sent as JSON."""

WRONG_SIGNATURE: Final = (
    "The signature of this delivery is missing or wrong: is the webhook's secret the same here and there?"
)
UNREADABLE: Final = "This delivery cannot be read ({error}): set the webhook's content type to application/json."


class Webhook:
    """`POST /webhooks/github`, without the HTTP."""

    def __init__(self, secret: str, policy: Policy, ledger: Ledger, jobs: Jobs) -> None:
        self._secret = secret
        self._policy = policy
        self._ledger = ledger
        self._jobs = jobs

    async def receive(self, headers: Mapping[str, str], body: bytes) -> Response:
        """What to answer to a delivery; header names in lower case. What is accepted is not lost."""
        if not verified(self._secret, body, headers.get("x-hub-signature-256")):
            return 401, {"error": {"code": "wrong_signature", "message": WRONG_SIGNATURE}}
        try:
            payload = await run_sync(_payload, headers.get("content-type", ""), body)
        except ValueError as error:
            return 400, {"error": {"code": "unreadable", "message": UNREADABLE.format(error=error)}}
        event = read(headers.get("x-github-event", ""), payload)
        with about_event(headers.get("x-github-delivery") or current_event() or ""):
            queued = await self._queued(event) if event else False
            log.info(_line(headers, payload, queued, subject_of(event) if event else None))
        return (202, {"status": "queued"}) if queued else (202, {"status": "nothing to do"})

    async def _queued(self, event: Text | Taken | Pushed) -> bool:
        """Whether a delivery led to a job: each is known by what it is about, so that none runs twice."""
        if isinstance(event, Pushed):
            await self._jobs.add(SYNC, json.dumps(asdict(event)), event.commit)
            return True
        revision = await run_sync(self._noted, event)
        if revision is not None:
            await self._jobs.add(ANSWER, event.place.key, str(revision))
        return revision is not None

    def _noted(self, event: Text | Taken) -> int | None:
        place = event.place
        if isinstance(event, Taken):
            return self._ledger.note(place.key, place.repository, "", FOR_GOOD, None, None)
        said = words(event) if asks(event, self._policy) else None
        return self._ledger.note(place.key, place.repository, event.author, event.at, said, asdict(event))


def _payload(kind: str, body: bytes) -> Mapping[str, Any]:
    """The JSON of a delivery, also where it came as a form's field. Raises ValueError."""
    if kind.partition(";")[0].strip().lower() == "application/x-www-form-urlencoded":
        body = parse_qs(body, strict_parsing=True, max_num_fields=10).get(b"payload", [b""])[0]
    payload = json.loads(body)
    if not isinstance(payload, dict):
        raise ValueError("it is no JSON object")
    return _shortened(payload)


def _shortened(payload: dict[str, Any]) -> dict[str, Any]:
    """A payload whose texts are no longer than GitHub lets people write: the rest is no text of theirs."""
    for holder in map(payload.get, ("issue", "pull_request", "discussion", "comment", "review")):
        if isinstance(holder, dict) and isinstance(holder.get("body"), str):
            holder["body"] = holder["body"][:LONGEST_TEXT]
    return payload


def subject_of(event: Text | Taken | Pushed) -> str:
    """What the log calls the work on a delivery, which follows later and elsewhere."""
    return sync_event(event) if isinstance(event, Pushed) else event.place.key


def sync_event(pushed: Pushed) -> str:
    return f"{SYNC}:{pushed.repository}@{pushed.commit}"


def _line(headers: Mapping[str, str], payload: Mapping[str, Any], queued: bool, subject: str | None) -> Fields:
    """What is logged of a delivery; none of its words. From here on its `subject` is what lines are about."""
    repository = payload.get("repository")
    return Fields(
        "delivery",
        delivery=headers.get("x-github-delivery"),
        kind=headers.get("x-github-event"),
        action=payload.get("action"),
        repository=repository.get("full_name") if isinstance(repository, dict) else None,
        queued=queued,
        subject=subject,
    )
