"""A conversation as chat programs send it becomes a question; a model's name becomes a version. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from bot.adapters.http.openai.wire import AssistantMessage, Message, Model, UserMessage, text_of
from bot.adapters.http.wire import LONGEST_HISTORY, LONGEST_QUESTION, LONGEST_TURN
from bot.chat.untrusted import middle_out
from bot.rendering.appendix import without_appendix
from bot.types import Question, Turn
from indexer.records import Snapshot

DEFAULT: Final = "repopilot"


Version = tuple[str | None, str | None]
"""A repository and a ref; None: the default one."""


def question_of(messages: Sequence[Message], version: Version) -> Question:
    """The last thing that the user said, with the turns before it: the newest, each as long as `/ask` takes."""
    said = [turn for message in messages if (turn := _turn(message))]
    last = max(at for at, turn in enumerate(said) if turn.role == "user")
    text = middle_out(said[last].content, LONGEST_QUESTION)
    return Question(text, tuple(said[:last][-LONGEST_HISTORY:]), *version)


def version_of(model: str) -> Version | None:
    """The version that a model's name stands for; None when it is none of ours."""
    ours, slash, rest = model.partition("/")
    if ours != DEFAULT or (slash and not rest):
        return None
    repository, _, ref = rest.partition("@")
    return repository or None, ref or None


def models(snapshots: Sequence[Snapshot]) -> list[Model]:
    """The default version as a model, and each version by its name, latest indexed first."""
    named = [
        Model(id=f"{DEFAULT}/{s.origin.repository}@{s.origin.ref}", created=_seconds(s.indexed_at)) for s in snapshots
    ]
    return [Model(id=DEFAULT, created=named[0].created if named else 0), *named]


def _seconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp())


def _turn(message: Message) -> Turn | None:
    """What a message says, if it is of the two who talk and says something."""
    match message:
        case UserMessage(content=content):
            said = text_of(content).strip()
        case AssistantMessage(content=content):
            said = without_appendix(text_of(content or "")).strip()
        case _:
            return None
    return Turn(message.role, middle_out(said, LONGEST_TURN)) if said else None
