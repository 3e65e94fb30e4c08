"""What a document or code says of one name's default, and where."""

from __future__ import annotations

from dataclasses import dataclass

from bot.disagreement.literals import Value
from indexer.terms import plain_name


@dataclass(frozen=True, slots=True)
class Statement:
    """A default of a name, in lines of the passage with this index (from 0). Without a value: one that cannot be
    compared. `owner` is the class or function that has the name, "" where code does not tell or a document speaks.

    An `argument` is a function's, of which many may have one name. A `fallback` is what code goes on with when a key is
    missing, which it may never be: it raises doubts about other defaults, and is none."""

    name: str
    literal: str
    value: Value | None
    passage: int
    start_line: int
    end_line: int
    owner: str = ""
    argument: bool = False
    fallback: bool = False

    @property
    def key(self) -> tuple[str, bool]:
        """What documents and code call the same: a flag is the field that it sets, a constant or variable neither."""
        return plain_name(self.name), self.name.isupper()


def telling(name: str) -> bool:
    """Whether a name is of two words or more: others (`size`, `--port`) are the name of too many things."""
    return "_" in plain_name(name)
