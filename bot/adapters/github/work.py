"""One job: bring our reply to a text to what the text asks now. Each step may be run again after a crash.

read → may they ask? → 👀 → draft the answer → still the newest? → post or edit → settle → 👀 away
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from anyio.to_thread import run_sync

from bot.adapters.github import threads
from bot.adapters.github.asking import asked
from bot.adapters.github.client import Client
from bot.adapters.github.drafts import folded
from bot.adapters.github.failures import GitHubError, judged
from bot.adapters.github.mentions import is_thanks
from bot.adapters.github.policy import Policy, mentions
from bot.adapters.github.types import TEXTS, Text, Thread
from bot.insisting import Gone, Insisting, SetAside
from bot.ledger import Ledger
from bot.rendering.github import MARKER, comment
from bot.steps import Steps
from bot.subjects import Subjects
from bot.types import Answer, Question

log = logging.getLogger("repopilot.github")

Json = Mapping[str, Any]

WITHDRAWN: Final = "_The question that this answered is gone, and so is the answer._\n\n{marker}"
SLOW_DOWN: Final = """\
_More than {limit} questions within a minute: this one is not answered. Edit it in a while to ask again._

{marker}"""


@dataclass(frozen=True, slots=True)
class Limits:
    """Questions that one person may ask in a minute (None: any number); seconds that a text is left to settle in, since
    people mend what they have just written."""

    per_user_per_minute: int | None = None
    settling_s: float = 0.5


class Work:
    """What the jobs do. `answer` answers a question."""

    def __init__(
        self,
        client: Client,
        ledger: Ledger,
        answer: Callable[[Question], Awaitable[Answer]],
        policy: Policy,
        limits: Limits,
    ) -> None:
        self._client = client
        self._ledger = ledger
        self._subjects = Subjects(ledger)
        self._answer = answer
        self._policy = policy
        self._limits = limits
        self._insisting = Insisting(GitHubError, judged)
        self._life = uuid4().hex  # tells what this process began from what one before it did
        self._tried: set[str] = set()

    async def reply(self, steps: Steps, key: str) -> None:
        """The job: our reply to the newest revision of a text."""
        await self._subjects.bring(steps, key, self._limits.settling_s, self._brought)

    async def _brought(self, steps: Steps, subject: Json) -> None:
        act = self._withdrawn if subject["words"] is None else self._asked
        await act(steps, subject, TEXTS.validate_python(subject["asked"]))

    async def _asked(self, steps: Steps, subject: Json, text: Text) -> None:
        """Answer the text, if whoever wrote it may ask."""
        allowed = await steps.run("allowed", self._allowed, subject["key"], text.author)
        if allowed == "no":
            await self._subjects.settle(steps, subject, subject["reply"], subject["answer_id"])
        elif allowed == "once":
            await self._slowed(steps, subject, text)
        else:
            eyes = await steps.run("acknowledge", self._acknowledge, text)
            try:
                await self._answered(steps, subject, text)
            except (SetAside, Gone):
                await steps.run("take 👀 back", self._unreact, text, eyes)
                raise
            await steps.run("take 👀 back", self._unreact, text, eyes)

    async def _answered(self, steps: Steps, subject: Json, text: Text) -> None:
        draft = await self._insisting.on(steps, "answer", self._drafted, text)
        if not await self._subjects.is_newest(steps, subject):
            return  # the job of the newer one follows
        if draft["body"] is None:
            await self._subjects.settle(steps, subject, subject["reply"], subject["answer_id"])
            return
        published = not self._policy.drafts
        body = draft["body"] if published else folded(draft["body"])
        reply = await self._posted(steps, subject, text, draft["id"], body)
        kept = reply if published else {**reply, "draft": draft["body"]}
        await self._subjects.settle(steps, subject, kept, draft["id"])

    async def _slowed(self, steps: Steps, subject: Json, text: Text) -> None:
        """Say once to somebody who asks too fast why there is no answer."""
        number = await steps.run("name the notice", _new_id)
        body = SLOW_DOWN.format(limit=self._limits.per_user_per_minute, marker=MARKER.format(id=number))
        reply = await self._posted(steps, subject, text, number, body)
        await self._subjects.settle(steps, subject, reply, None)

    async def _withdrawn(self, steps: Steps, subject: Json, text: Text) -> None:
        """Take back the reply to what asks nothing any more."""
        if subject["reply"] and subject["answer_id"]:
            body = WITHDRAWN.format(marker=MARKER.format(id=subject["answer_id"]))
            await self._insisting.on(steps, "withdraw", self._client.edit, text, subject["reply"], body)
            await steps.run("fold away", self._insisting.quietly, self._client.fold, text, subject["reply"])
        await self._subjects.settle(steps, subject, subject["reply"], None)

    async def _posted(self, steps: Steps, subject: Json, text: Text, number: str, body: str) -> Json:
        """The reply, which now has this body. Raises Gone or SetAside."""
        reply: Json | None = subject["reply"]
        if reply is None:
            begun = await steps.run("begin to post", self._this_life)
            posted: Json = await self._insisting.on(steps, "post", self._post, text, number, body, begun)
            return posted
        await self._insisting.on(steps, "edit", self._client.edit, text, reply, body)
        if subject["answer_id"] is None:  # it had been withdrawn
            await steps.run("fold out", self._insisting.quietly, self._client.fold, text, reply, False)
        return {name: value for name, value in reply.items() if name != "draft"}

    # Steps: each may be run again.

    async def _drafted(self, text: Text) -> Json:
        """The reply's id and body, both None where there is nothing to say. Raises Busy or RepoPilotError."""
        nothing = {"id": None, "body": None}
        if text.author.lower() == await self._own_login():
            return nothing
        thread, handle = await self._thread(text), self._policy.handle
        question = await run_sync(asked, thread, handle, not mentions(text, handle))
        if question is None:
            return nothing
        if is_thanks(question.text):
            await self._insisting.quietly(self._client.react, text, "heart")
            return nothing
        answer = await self._answer(question)
        return {"id": answer.id, "body": comment(answer)}

    async def _post(self, text: Text, number: str, body: str, begun: str) -> Json:
        """Post a reply, unless an earlier try whose end we did not hear of has done so."""
        if begun != self._life or number in self._tried:
            try:
                if found := await self._client.reply_with(text, MARKER.format(id=number)):
                    return found
            except GitHubError as error:
                if error.kind not in ("gone", "forbidden", "invalid"):
                    raise
        self._tried.add(number)
        posted = await self._client.reply(text, body)
        self._tried.discard(number)
        return posted

    async def _thread(self, text: Text) -> Thread:
        """The thread as GitHub has it now, or as the delivery told of it."""
        if text.place.comment is None and text.alone:
            return threads.told(text)
        try:
            return await self._client.thread(text)
        except GitHubError as error:
            log.warning("the thread of %s could not be read: %s", text.place.key, error.message)
            return threads.told(text)

    async def _own_login(self) -> str:
        try:
            return (await self._client.own_login()).lower()
        except GitHubError as error:
            log.warning("our own name is not known: %s", error.message)
            return ""

    async def _allowed(self, key: str, author: str) -> str:
        """Whether somebody may ask this, or has asked too much: `yes`, `once` (the first too many) or `no`."""
        limit = self._limits.per_user_per_minute
        earlier = await run_sync(self._ledger.earlier, key, 60.0, author) if limit else 0
        return "yes" if not limit or earlier < limit else "once" if earlier == limit else "no"

    async def _acknowledge(self, text: Text) -> Json | None:
        reaction: Json | None = await self._insisting.quietly(self._client.react, text, "eyes")
        return reaction

    async def _unreact(self, text: Text, reaction: Json | None) -> None:
        if reaction:
            await self._insisting.quietly(self._client.unreact, text, reaction)

    async def _this_life(self) -> str:
        return self._life


async def _new_id() -> str:
    return uuid4().hex
