"""What people wrote becomes something that can be passed on: one line, without what is nobody else's business. Pure.

Secrets are masked more freely than in sources (indexer/masking.py): here a wrong mask spoils no quotation.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import ip_address
from typing import Final

from bot.rendering.characters import graphemes, visible
from indexer.masking import MASK, mask

LONGEST: Final = 180
# Of what somebody wrote, no more is looked at: logs and dumps of an environment come behind the question.
LONGEST_READ: Final = 4_000

_EMAIL: Final = re.compile(r"(?<![\w.+-])[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}\b")
_ASSIGNED: Final = re.compile(
    r"((?:api[-_ ]?key|token|secret|passw(?:or)?d|passphrase|credential|authorization)\w{0,20}[\"']?\s*(?::|=|is)\s*"
    r"(?:bearer\s+|basic\s+)?[\"']?|\bbearer\s+)([^\s\"',;&]{6,})",
    re.IGNORECASE,
)
# Of random letters nearly half are capitals, with several digits among them: no name of a class or a model is so.
_RANDOM: Final = re.compile(
    r"(?<![A-Za-z0-9/])(?=(?:[a-z0-9]*[A-Z]){4})(?=(?:\D*\d){3})(?=[^a-z]*[a-z])[A-Za-z0-9]{24,}(?!\w)"
)
_ADDRESS: Final = re.compile(r"(?<![\w.=-])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
_HOME: Final = re.compile(r"((?:/home|/Users|\b[A-Z]:\\Users)[/\\])[^\s/\\\"':]+")
# What a value must have to be no word: `token is missing`, `password: required`.
_NO_WORD: Final = re.compile(r"[0-9]|[a-z][A-Z]|[^\w.()]")


def private(text: str, secrets: Collection[str] = ()) -> str:
    """The text as one line of visible characters. Secrets by their form, those of whoever runs the bot (`secrets`),
    e-mail addresses, public addresses of machines and names of people's folders are masked."""
    text = " ".join(visible(text[:LONGEST_READ]).split())
    for secret in secrets:
        text = text.replace(secret, MASK)
    text = mask(text).text
    text = _ASSIGNED.sub(lambda found: found[1] + (MASK if _NO_WORD.search(found[2]) else found[2]), text)
    text = _EMAIL.sub(MASK, _RANDOM.sub(MASK, text))
    text = _ADDRESS.sub(lambda found: MASK if _is_public(found[0]) else found[0], text)
    return _HOME.sub(rf"\1{MASK}", text)


def shortened(text: str, longest: int = LONGEST) -> str:
    """The text, cut between two characters as readers see them when it is longer."""
    characters = graphemes(text)
    return text if len(characters) <= longest else "".join(characters[: longest - 1]).rstrip() + "…"


def _is_public(address: str) -> bool:
    try:
        return ip_address(address).is_global
    except ValueError:
        return False
