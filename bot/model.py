"""What answering needs of a language model: a reply in pieces, a question that stands alone, and two ways to fail."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from bot.retrieval import Found
from bot.types import Passage, Question, Usage

RETRY_AFTER_S = 5
# The whole of a reply whose passages do not answer.
NOT_FOUND = "NOT_FOUND"


class ModelFailure(Exception):
    """The model gave no usable answer; the message is a sentence for the asker."""


class Busy(Exception):
    """More questions wait for the model than the queue holds; ask again after `retry_after` seconds."""

    def __init__(self, retry_after: int = RETRY_AFTER_S) -> None:
        super().__init__("Too many questions are waiting; please ask again in a few seconds.")
        self.retry_after = retry_after


@dataclass(slots=True)
class Ending:
    """How a reply ended; certain once its pieces have ended.

    `cut` says that the model was stopped before it had finished, so that the last sentence may be half of one.
    `logprob` is the mean natural logarithm of how likely each token was to the model (0.0 is certain), where it is
    asked for and told.
    """

    cut: bool = False
    usage: Usage | None = None
    logprob: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer as it comes: `[n]` in the pieces is `passages[n - 1]`.

    `passages` are what the model was shown, best first; the last may be cut at a line. `system` are the words that it
    was told in confidence and must not say back.
    """

    passages: tuple[Passage, ...]
    pieces: AsyncIterator[str]
    ending: Ending = field(default_factory=Ending)
    system: str = ""


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a model can be asked now; `reason` is a sentence for whoever runs it, empty when it can."""

    ready: bool
    reason: str = ""


class LanguageModel(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def judges(self) -> bool:
        """Whether it can be trusted to say that passages do not answer: small ones answer from whatever they see."""
        ...

    def demand_room(self) -> None:
        """Raises Busy when one more question would be told to come back: before anything is searched for it."""
        ...

    def answering(self, question: Question, found: Found) -> AbstractAsyncContextManager[Reply]:
        """The reply to a question; leaving the context stops the model. Raises ModelFailure or Busy."""
        ...

    async def standalone(self, question: Question) -> str | None:
        """The question with what its conversation says of it, so that it can be searched for by itself. None when it
        has no conversation, or the model did not say anything usable soon. Never raises for the model's sake."""
        ...

    async def ready(self) -> Readiness:
        """Whether the model's server is there and serves it; answers within a few seconds and never raises."""
        ...
