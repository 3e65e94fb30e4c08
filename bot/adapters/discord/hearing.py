"""Whether a message addresses us, and what it asks. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from bot.adapters.discord.types import Heard, Me

# Longer ones cannot be sent without Nitro, which has 4,000.
LONGEST_READ: Final = 4_000
_CODE: Final = re.compile(r"(```.*?(?:```|\Z)|``.*?``|`[^`\n]*`)", re.DOTALL)
_MENTION: Final = re.compile(r"<(@[!&]?|#)(\d{15,21})>")
_EMOJI: Final = re.compile(r"<a?:(\w{2,32}):\d{15,21}>")
_MARKUP: Final = re.compile(r"[`*~|#>\[\]]|(?<![^\W_])_+|_+(?![^\W_])|<[@#:a][^>\s]*>|https?://\S+")
_BESIDE: Final = re.compile(r"^[ \t]*[,:;–—-]?[ \t]+|^[ \t]*[,:;][ \t]*")


def addressed(heard: Heard, me: Me) -> bool:
    """Whether a message is for us: it mentions our account or our own role, replies to us with the mention on, is a
    direct message, or goes on in a thread that we opened and is not for somebody else there.

    Discord says whom a message mentions; what its text looks like does not count, and neither does `@everyone`.
    """
    if heard.by_machine or not heard.ordinary or heard.author == me.user:
        return False
    if me.user in heard.mentions or not me.roles.isdisjoint(heard.roles) or heard.guild is None:
        return True
    return heard.ours and not _for_another(heard)


def _for_another(heard: Heard) -> bool:
    """Whether a message that does not mention us begins with somebody's mention, or replies to somebody with it on."""
    if found := _MENTION.match(heard.text.lstrip()):
        return found[1] != "#"
    replies = heard.replied_to is not None and not heard.replied_to.own
    return replies and not heard.mentions <= {heard.author}


def question_in(heard: Heard, me: Me) -> str:
    """What a message asks: its Markdown with mentions of us taken out and those of others by their names. Empty when
    nothing else is said."""
    names = {number: f"@{name}" for number, name in heard.people}
    channels = {number: f"#{name}" for number, name in heard.channels}
    parts = _CODE.split(heard.text[:LONGEST_READ])
    return "".join(part if at % 2 else _named(part, me, names, channels) for at, part in enumerate(parts)).strip()


def _named(text: str, me: Me, names: Mapping[int, str], channels: Mapping[int, str]) -> str:
    pieces, at = list[str](), 0
    for found in _MENTION.finditer(text):
        pieces.append(text[at : found.start()])
        at, number = found.end(), int(found[2])
        if number == me.user or number in me.roles:
            if beside := _BESIDE.match(text[at:]):
                at += beside.end()
        else:
            pieces.append((channels if found[1] == "#" else names).get(number, "@someone"))
    return _EMOJI.sub(r":\1:", "".join((*pieces, text[at:])))


def thread_name(question: str) -> str:
    """A name for a thread about a question: one line without markup, of 1 to 100 characters."""
    line = " ".join(_MARKUP.sub(" ", question).split())
    return line if len(line) <= _LONGEST_NAME else f"{line[: _LONGEST_NAME - 1].rsplit(' ', 1)[0][:99]}…"


_LONGEST_NAME: Final = 100


def own_answer(text: str) -> str:
    """What a message of ours says, without its sources, the small print, and the addresses of its marks."""
    body = re.split(r"^\*\*(?:Sources|Nearest places)\*\*", text, maxsplit=1, flags=re.MULTILINE)[0]
    lines = (line for line in body.split("\n") if not line.startswith("-# "))
    return re.sub(r"\[(\[\d{1,3}\])\]\(<?[^()\s]*>?\)", r"\1", "\n".join(lines)).strip()
