"""What must never be said: the words that a model was told in confidence, and the secrets of whoever runs the bot.

Pure functions, for whoever decides what of a reply is posted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# So many of the rules' words in a row are no accident.
RUN = 6
# A word like `CANARY-7f3a91` is one that nobody uses by accident: long, with a digit or an underscore in it.
_RARE = re.compile(r"(?=[\w-]*[\d_])[^\W_][\w-]{7,}")
_WORD = re.compile(r"\w+")
_SECRET_NAME = re.compile(r"TOKEN|SECRET|KEY|PASSWORD|PASSWD|CREDENTIAL|PRIVATE|AUTH|COOKIE|DSN", re.IGNORECASE)
SHORTEST_SECRET = 8


def leaks(text: str, system: str, known: str = "") -> bool:
    """Whether a text says words of the system prompt: six in a row, or one that nobody else would use. What stands in
    `known`, the passages and the question, may be said."""
    said, told, free = (_runs(part) for part in (text, system, known))
    if (said & told) - free:
        return True
    rare = set(_RARE.findall(system)) - set(_RARE.findall(known))
    return any(word in text for word in rare)


def secrets_of(environment: Mapping[str, str]) -> frozenset[str]:
    """The values of variables whose names say that they are secret, but for those that are too short to be."""
    named = (value.strip() for name, value in environment.items() if _SECRET_NAME.search(name))
    return frozenset(value for value in named if len(value) >= SHORTEST_SECRET and not value.isdecimal())


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}
