"""One event is answered in one process, with no queue and no memory: what a GitHub Action does.

Our reply to a text is known by a marker that follows from the text. So an edit, a deletion or a second run finds it on
GitHub, where a service would know it from its ledger.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, replace
from typing import Any, Final, TypeVar

import anyio

from bot.adapters.github.client import Client
from bot.adapters.github.deliveries import read
from bot.adapters.github.failures import GitHubError, wait_s
from bot.adapters.github.policy import Policy, asks, words
from bot.adapters.github.types import Place, Taken, Text
from bot.adapters.github.work import Limits, Work
from bot.ledger import Ledger, Subject
from bot.rendering.github import MARKER
from bot.types import Answer, Question

T = TypeVar("T")
Json = Mapping[str, Any]
Answering = Callable[[Question], Awaitable[Answer]]

ID_LENGTH: Final = 32


class Straight:
    """The steps of a job, each done as it comes."""

    async def run(self, name: str, act: Callable[..., Awaitable[T]], *arguments: Any) -> T:
        return await act(*arguments)

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)


async def answer_once(
    event: str, payload: Json, client: Client, policy: Policy, ledger: Ledger, answer: Answering
) -> Subject | None:
    """Bring our reply to what an event tells of to what is asked now; None where there is nothing to do.

    The ledger is one that knows nothing yet. Raises GitHubError when GitHub does not tell whether there is a reply.
    """
    told = read(event, payload)
    if not isinstance(told, Text | Taken):
        return None
    text = told if isinstance(told, Text) else _taken(told.place)
    said = words(text) if told is text and asks(text, policy) else None
    if said is None and told is text and not text.edited:
        return None
    number = answer_id(text.place)
    if not _noted(ledger, text, said, await _reply(client, text, number), number):
        return None

    async def marked(question: Question) -> Answer:
        return replace(await answer(question), id=number)

    await Work(client, ledger, marked, policy, Limits()).reply(Straight(), text.place.key)
    return ledger.subject(text.place.key)


def answer_id(place: Place) -> str:
    """The id of our answer to a text, the same in every run."""
    return hashlib.sha256(place.key.encode()).hexdigest()[:ID_LENGTH]


def _noted(ledger: Ledger, text: Text, said: str | None, reply: Json | None, number: str) -> bool:
    """Whether there is something to do, after noting what is asked, and the reply that stands."""
    key, repository, asked = text.place.key, text.place.repository, asdict(text)
    if reply and (before := ledger.note(key, repository, text.author, "", "", asked)):
        withdrawing = said is None
        ledger.settle(key, before, reply, number if withdrawing else None)  # None: perhaps withdrawn, so folded out
    return ledger.note(key, repository, text.author, text.at, said, asked) is not None


async def _reply(client: Client, text: Text, number: str) -> Json | None:
    """Our reply to a text, if it is there. Raises GitHubError."""
    tries = 1
    while True:
        try:
            return await client.reply_with(text, MARKER.format(id=number))
        except GitHubError as error:
            if error.kind in ("gone", "forbidden", "invalid"):
                return None
            if (wait := wait_s(error, tries)) is None:
                raise
            await anyio.sleep(wait)
            tries += 1


def _taken(place: Place) -> Text:
    """A text that is gone, as far as it is known."""
    return Text(place, None, "", "NONE", False, "", "", "", "", (), None, "", "", "", edited=True, alone=False)
