"""The bot's vocabulary: what passes from a question to a reply. Frozen values, no behaviour that does I/O."""

from __future__ import annotations

from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from indexer.types import FileKind

Role = Literal["user", "assistant"]
DeclineReason = Literal["not_found", "out_of_scope", "unknown_name"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message of the conversation, and who wrote it when several people talk."""

    role: Role
    content: str
    author: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, with its conversation, of which repository and version (None: the default one)."""

    text: str
    history: tuple[Turn, ...] = ()
    repository: str | None = None
    ref: str | None = None


@dataclass(frozen=True, slots=True)
class Index:
    """The indexed version that was read. `stale` when its source is known to have moved on."""

    repository: str
    ref: str
    commit: str
    indexed_at: str
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved chunk with its score: lines are 1-based and inclusive, `url` is a permalink to them."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: FileKind
    language: str
    score: float
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Citation:
    """What `[number]` in an answer refers to."""

    number: int
    path: str
    start_line: int
    end_line: int
    symbol: str
    url: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a language model read and wrote for one reply, as its server counts them."""

    prompt: int
    completion: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A cited answer. `answer` is Markdown; `model` names the language model, or `extractive`."""

    id: str
    answer: str
    citations: tuple[Citation, ...]
    declined: bool
    reason: DeclineReason | None
    model: str
    index: Index
    warnings: tuple[str, ...] = ()
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class PassagesFound:
    """First event of an answer in the making: what was found, in which version, and names in the question that are
    nowhere in it, with the nearest that are."""

    passages: tuple[Passage, ...]
    index: Index
    unknown_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the answer's text."""

    text: str


Event = PassagesFound | Token | Answer
"""An answer in the making: PassagesFound, Tokens, then the whole Answer, which alone is final."""


async def answer_of(events: AsyncIterable[Event]) -> Answer:
    """The Answer that events end with. Raises what making it raises."""
    async for event in events:
        if isinstance(event, Answer):
            return event
    raise AssertionError("a stream of events ends with its answer")
