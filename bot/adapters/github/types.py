"""What passes between the parts of the GitHub adapter. Frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pydantic import TypeAdapter

Kind = Literal["issue", "summary", "review", "discussion"]
"""Where a text stands: an issue or pull request and its comments; the summary of a review; a comment on lines of a pull
request; a discussion and its comments."""


@dataclass(frozen=True, slots=True)
class Place:
    """One text on GitHub: the body of an issue or discussion (`comment` is None), or a comment below it."""

    repository: str
    """OWNER/NAME"""
    kind: Kind
    number: int
    comment: int | None = None
    """the comment's database id"""
    node: str = ""
    """the GraphQL id of the text itself"""
    parent: str = ""
    """the GraphQL id of the discussion, or the database id of the first comment of a review thread"""

    @property
    def key(self) -> str:
        """What tells it from every other text on GitHub."""
        return f"github:{self.repository}:{self.kind}:{self.number}:{self.comment or ''}".lower()


@dataclass(frozen=True, slots=True)
class Hunk:
    """The lines of a file that a review comment is about; lines are 1-based and inclusive, None where they are gone."""

    path: str
    start_line: int | None
    end_line: int | None
    diff: str
    commit: str


@dataclass(frozen=True, slots=True)
class Message:
    """What somebody wrote; `own` when we did."""

    author: str
    text: str
    own: bool = False


@dataclass(frozen=True, slots=True)
class Thread:
    """An issue, pull request or discussion up to the message that asks, which is the last of `messages`, or the opening
    text itself when there are none. `hunk` when it stands at lines of a file."""

    repository: str
    title: str
    opening: Message
    labels: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    hunk: Hunk | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """What somebody wrote or changed, with what the delivery said of its thread. Times are GitHub's, ISO 8601."""

    place: Place
    installation: int | None
    author: str
    association: str
    """what its author is to the repository: OWNER, MEMBER, COLLABORATOR, CONTRIBUTOR, … or NONE"""
    by_machine: bool
    text: str
    title: str
    opening: str
    """the thread's first text; empty when this is it"""
    opener: str
    labels: tuple[str, ...]
    label: str | None
    """the label that has just been put on it"""
    at: str
    written_at: str
    url: str
    edited: bool
    alone: bool
    """whether nobody has commented yet"""
    hunk: Hunk | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """A text that is gone."""

    place: Place


@dataclass(frozen=True, slots=True)
class Pushed:
    """Code that moved on: the default branch (`ref` None) or a release's tag."""

    repository: str
    address: str
    private: bool
    installation: int | None
    ref: str | None
    commit: str


# A delivery's values become these, and so do those that the ledger and the queue kept.
PLACES: Final = TypeAdapter(Place)
TEXTS: Final = TypeAdapter(Text)
PUSHES: Final = TypeAdapter(Pushed)
