"""What Discord refused, and what to do about it. Pure functions over what discord.py raises after its own retries.

https://discord.com/developers/docs/topics/opcodes-and-status-codes#json-json-error-codes
"""

from __future__ import annotations

from typing import Final

from bot.insisting import Verdict

UNREACHABLE: Final = 0
# Unknown channel, guild, message, webhook or interaction; a locked thread; a token of a command that ran out.
_GONE: Final = frozenset({10003, 10004, 10008, 10015, 10062, 50027, 50083, 160005})
# "Cannot message this thread until after the post author has sent an initial message."
_TOO_EARLY: Final = frozenset({40058})
_EARLY_WAIT_S: Final = 2.0
FIRST_WAIT_S: Final = 2.0
LONGEST_WAIT_S: Final = 600.0
# discord.py has tried five times by then; with doubling waits this is about eight minutes more.
MOST_TRIES: Final = 9


class DiscordError(Exception):
    """A request that failed: HTTP's status (0: nobody answered) and Discord's own code."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def judged(error: Exception, tries: int) -> Verdict:
    """What to do after a try that failed, the `tries`-th of the same."""
    assert isinstance(error, DiscordError)
    if error.code in _GONE:
        return Verdict(None, gone=True)
    passing = error.status in (UNREACHABLE, 429) or error.status >= 500 or error.code in _TOO_EARLY
    if not passing or tries >= MOST_TRIES:
        return Verdict(None)
    first = _EARLY_WAIT_S if error.code in _TOO_EARLY else FIRST_WAIT_S
    return Verdict(min(first * float(2 ** (tries - 1)), LONGEST_WAIT_S))
