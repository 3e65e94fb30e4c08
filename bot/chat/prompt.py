"""The prompt: what stays the same comes first, so that vLLM's prefix cache is used, and what others wrote is labelled.

    system: the rules          user: passages, then the thread, then the question

The conversation is a part of the user's message rather than turns of the chat: strangers wrote it, and a turn in the
assistant's name would be taken for the model's own word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bot.chat.untrusted import attribute, harmless, shown
from bot.types import Passage, Turn
from indexer.masking import mask
from indexer.types import Origin
from prompts import render

Form = Literal["cited", "statements"]
"""How a model is to answer: in Markdown with `[n]`, or in JSON as `bot.chat.statements` reads it."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The two messages of a request."""

    system: str
    user: str

    @property
    def messages(self) -> list[dict[str, str]]:
        return [{"role": "system", "content": self.system}, {"role": "user", "content": self.user}]


def system(form: Form, instructions: str = "") -> str:
    """The rules, and what whoever runs the bot adds to them."""
    return "\n\n".join(filter(None, (render("system", form=render(form)), instructions.strip())))


def asking(origin: Origin, passages: Sequence[str], thread: str, question: str) -> str:
    """The user's message from its rendered parts."""
    return render(
        "question",
        repository=attribute(origin.repository),
        ref=attribute(origin.ref),
        passages="\n".join(passages),
        thread=thread and f"{thread}\n\n",
        question=question,
    )


def rewriting() -> str:
    """The rules for a question that shall stand alone."""
    return render("standalone")


def following_up(thread: str, question: str) -> str:
    """The user's message that asks for a question which stands alone."""
    return render("follow_up", thread=f"{thread}\n\n", question=question)


def passage(number: int, given: Passage) -> str:
    """One passage with its number; of a documentation page, what its readers see."""
    return render(
        "passage",
        number=str(number),
        path=attribute(given.path),
        lines=f"{given.start_line}-{given.end_line}",
        symbol=attribute(given.symbol),
        text=harmless(shown(given.text, given.language)),
    )


def turn(said: Turn, text: str | None = None) -> str:
    """One earlier message; `text` in place of its whole content."""
    author = attribute(said.author or "unnamed", longest=60)
    return render("turn", role=said.role, author=author, text=written(said.content) if text is None else text)


def thread(turns: Sequence[str], left_out: int = 0) -> str:
    """The rendered turns as the conversation, of which so many earlier ones are not there; empty without any."""
    if not turns:
        return ""
    note = f" ({left_out} before these left out)" if left_out else ""
    return render("thread", turns="\n".join(turns), left_out=note)


def written(text: str) -> str:
    """What somebody wrote in a question or a thread, without the secrets that people paste."""
    return harmless(mask(text).text)
