"""One job: bring our reply on Discord to what a message asks now. Each step may be run again after a crash.

settle → read → may they ask? → answer (typing, streamed) → still the newest? → send or edit each message → settle
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Final

from pydantic import TypeAdapter

from bot.adapters.discord.answers import Answers
from bot.adapters.discord.buttons import below
from bot.adapters.discord.channels import Channels, links_of
from bot.adapters.discord.configs import Configs
from bot.adapters.discord.failures import FIRST_WAIT_S, DiscordError, judged
from bot.adapters.discord.hearing import own_answer, thread_name
from bot.adapters.discord.limits import SLOW_DOWN, Limits, excess
from bot.adapters.discord.policy import Policy
from bot.adapters.discord.types import Ask, Said
from bot.insisting import Insisting, SetAside
from bot.ledger import Ledger
from bot.rendering.discord import growing, messages
from bot.rendering.sources import public_links
from bot.steps import Steps
from bot.subjects import Subjects
from bot.types import Answer, Event, Question, Token, Turn

log = logging.getLogger("repopilot.discord")

Json = Mapping[str, Any]
Stream = Callable[[Question], AsyncGenerator[Event]]

HELP: Final = (
    "Ask me about the code: mention me with a question, such as `what is the default block size?`, or use `/ask`."
    " I answer from the repository itself, with links to the lines, and say so when I find nothing."
)
FAILED: Final = "-# I cannot answer this at present. Whoever looks after me can see why."
WAITING: Final = "-# Many questions are being answered; yours is kept, and comes as soon as there is room."
MISSING: Final = "-# A part of this answer could not be sent."
# People see an answer grow; Discord lets a channel's messages be edited five times in five seconds.
FIRST_EDIT_S: Final = 1.5
EDIT_S: Final = 1.5
NONCE_KNOWN: Final = timedelta(minutes=2)

ASK: Final = TypeAdapter(Ask)


class Work:
    """What the jobs do. `stream` gives the events of an answer."""

    def __init__(
        self,
        channels: Channels,
        ledger: Ledger,
        answers: Answers,
        stream: Stream,
        policy: Policy,
        limits: Limits,
    ) -> None:
        self._channels = channels
        self._ledger = ledger
        self._subjects = Subjects(ledger)
        self._answers = answers
        self._stream = stream
        self._configs = Configs(ledger)
        self._policy = policy
        self._limits = limits
        self._insisting = Insisting(DiscordError, judged)

    async def reply(self, steps: Steps, key: str) -> None:
        """The job: our reply to the newest revision of a message."""
        await self._subjects.bring(steps, key, self._limits.settling_s, self._brought)

    async def _brought(self, steps: Steps, subject: Json) -> None:
        act = self._withdrawn if subject["words"] is None else self._asked
        await act(steps, subject, ASK.validate_python(subject["asked"]))

    async def _asked(self, steps: Steps, subject: Json, ask: Ask) -> None:
        if not ask.text and not ask.opens:
            await self._say(steps, subject, ask, [HELP], None)
            return
        limit = await steps.run("allowed", self._refusal, ask)
        if limit is not None:
            said = [SLOW_DOWN.format(limit=limit["limit"])] if limit["told"] else []
            await self._say(steps, subject, ask, said, None)
            return
        channel = await self._insisting.on(steps, "where", self._where, ask)
        try:
            waiting = partial(self._say_waiting, ask, channel, subject)
            draft = await self._insisting.on(steps, "answer", self._drafted, ask, channel, subject, waiting=waiting)
        except SetAside:
            begun = await steps.run("begun", self._begun, ask, channel, subject)
            await self._say(steps, subject, ask, [FAILED], None, channel, begun)
            raise
        if draft["refused"]:
            await steps.sleep(FIRST_WAIT_S)
        if await self._subjects.is_newest(steps, subject):
            await self._say(steps, subject, ask, draft["messages"], draft["id"], channel, draft["begun"])

    async def _say(
        self,
        steps: Steps,
        subject: Json,
        ask: Ask,
        said: Sequence[str],
        answer: str | None,
        channel: int | None = None,
        begun: int | None = None,
    ) -> None:
        """Bring our messages to these: those that stand are edited, more are sent, what is too many is deleted. One
        that cannot be sent is replaced by a line that says so, once."""
        reply: Json = subject["reply"] or {"channel": channel or ask.channel, "messages": [begun] if begun else []}
        there, standing, missing = reply["channel"], list(reply["messages"]), False
        for at, text in enumerate(said):
            last = answer if at == len(said) - 1 else None
            try:
                sent = await self._insisting.on(
                    steps,
                    f"message {at + 1}",
                    self._put,
                    ask,
                    there,
                    standing[at : at + 1],
                    text,
                    _nonce(subject, at),
                    last,
                )
                standing[at : at + 1] = [sent]
            except SetAside as failed:
                if at == 0 or missing:
                    raise
                missing = True
                log.warning("a message of %s could not be sent: %s", subject["key"], failed)
                await steps.run(
                    "say so", self._insisting.quietly, self._put, ask, there, [], MISSING, _nonce(subject, 90), None
                )
        for message in standing[len(said) :]:
            await steps.run("delete", self._insisting.quietly, self._channels.delete, ask, there, message)
        kept = {"channel": there, "messages": standing[: len(said)]}
        await self._subjects.settle(steps, subject, kept if kept["messages"] else None, answer)

    async def _withdrawn(self, steps: Steps, subject: Json, ask: Ask) -> None:
        """Take back the reply to what asks nothing any more."""
        for message in (subject["reply"] or {}).get("messages", ()):
            await steps.run(
                "delete", self._insisting.quietly, self._channels.delete, ask, subject["reply"]["channel"], message
            )
        await self._subjects.settle(steps, subject, None, None)

    # Steps: each may be run again.

    async def _where(self, ask: Ask) -> int:
        """The channel to answer in: where it was asked, or a thread that is opened for it."""
        config = await self._configs.of(ask)
        threads = self._policy.threads if config.threads is None else config.threads
        if not threads or ask.command or ask.guild is None or ask.thread is not None:
            return ask.channel
        try:
            return await self._channels.thread(ask, thread_name(ask.text) or "Question")
        except DiscordError as error:
            if error.status in (403, 400):  # where there are no threads, or not for us
                return ask.channel
            raise

    async def _drafted(self, ask: Ask, channel: int, subject: Json) -> Json:
        """The answer's id and messages, the message that was begun to be written, and whether that was refused. Raises
        Busy or RepoPilotError."""
        question = await self._question(ask)
        begun, refused = await self._begun(ask, channel, subject), False
        text, due = "", time.monotonic() + FIRST_EDIT_S
        async with self._channels.typing(ask, channel), aclosing(self._stream(question)) as events:
            async for event in events:
                if isinstance(event, Token):
                    text += event.text
                    if self._shows(subject) and text.strip() and time.monotonic() >= due and not refused:
                        begun = await self._grown(ask, channel, begun, text, subject)
                        refused = begun is None
                        due = time.monotonic() + EDIT_S
                elif isinstance(event, Answer):
                    await self._answers.note(event, ask.channel)
                    return {
                        "id": event.id,
                        "messages": messages(event),
                        "begun": begun,
                        "refused": refused,
                    }
        raise AssertionError("a stream of events ends with its answer")

    async def _begun(self, ask: Ask, channel: int, subject: Json) -> int | None:
        """The message that was begun in an earlier life: Discord knows a nonce for some minutes only."""
        age = datetime.now(UTC) - datetime.fromisoformat(subject["at"])
        if subject["reply"] or ask.command or age < NONCE_KNOWN:
            return None
        found: int | None = await self._insisting.quietly(self._channels.begun, ask, channel)
        return found

    async def _say_waiting(self, ask: Ask, channel: int, subject: Json) -> None:
        """Say that there is a queue, in the message that becomes the answer."""
        if not subject["reply"]:
            await self._insisting.quietly(self._channels.send, ask, channel, WAITING, _nonce(subject, 0), True)

    def _shows(self, subject: Json) -> bool:
        """Whether the answer is shown while it grows: not in place of one that stands."""
        return self._policy.streaming and not subject["reply"]

    async def _grown(self, ask: Ask, channel: int, begun: int | None, text: str, subject: Json) -> int | None:
        """The message that shows how far the answer is."""
        try:
            if begun is None:
                return await self._channels.send(ask, channel, growing(text), _nonce(subject, 0), first=True)
            await self._channels.edit(ask, channel, begun, growing(text))
        except DiscordError as error:
            log.info("the growing answer was not shown: %s", error)
        return begun

    async def _put(
        self, ask: Ask, channel: int, standing: Sequence[int], text: str, nonce: str, answer: str | None
    ) -> int:
        """A message with this text: the standing one edited, or a new one. The last of an answer has its buttons."""
        view = below(answer, await self._links(answer)) if answer else None
        if standing:
            await self._channels.edit(ask, channel, standing[0], text, view)
            return standing[0]
        return await self._channels.send(ask, channel, text, nonce, nonce.endswith("p0"), view)

    async def _links(self, number: str) -> list[tuple[str, str]]:
        answer = await self._answers.kept(number)
        if not answer:
            return []
        urls = public_links(answer.citations)
        labels = {c.number: f"[{c.number}] {PurePosixPath(c.path).name}:{c.start_line}" for c in answer.citations}
        return links_of([(labels[number], url) for number, url in urls.items()])

    async def _question(self, ask: Ask) -> Question:
        """What is asked, with what was said before as its conversation, of the repository that the place is set to."""
        config = await self._configs.of(ask)
        turns = []
        if ask.thread and not ask.opens:
            turns.append(Turn("user", ask.thread))
        if ask.replied_to or turns:
            turns += map(_turn, await self._before(ask))
        text = f"{ask.thread}\n\n{ask.text}".strip() if ask.opens and ask.thread else ask.text
        return Question(text, tuple(turns), config.repository, ask.version or config.ref)

    async def _before(self, ask: Ask) -> Sequence[Said]:
        """What was said before: in the thread, or in the messages that this one replies to."""
        try:
            return await (self._channels.said_before(ask) if ask.thread else self._channels.led_to(ask))
        except DiscordError as error:
            log.info("what was said before could not be read: %s", error)
            return [ask.replied_to] if ask.replied_to else []

    async def _refusal(self, ask: Ask) -> Json | None:
        """The limit that a question is beyond, and whether it is told so; None when it is within all."""
        over = await excess(self._ledger, self._limits, ask, noted=True)
        return {"limit": over.limit, "told": over.first or bool(ask.command)} if over else None


def _nonce(subject: Json, part: int) -> str:
    """What tells a message of a reply from every other: Discord posts one nonce once. At most 25 characters."""
    digest = hashlib.sha256(f"{subject['key']}#{subject['revision']}".encode()).hexdigest()
    return f"{digest[:20]}p{part}"


def _turn(said: Said) -> Turn:
    return Turn("assistant", own_answer(said.text)) if said.own else Turn("user", said.text, said.author)
