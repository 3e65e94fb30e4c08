"""What answering needs of a language model: a reply in pieces, and two ways to fail."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from bot.retrieval import Found
from bot.types import Passage, Question

RETRY_AFTER_S = 5


class ModelFailure(Exception):
    """The model gave no usable answer; the message is a sentence for the asker."""


class Busy(Exception):
    """More questions wait for the model than the queue holds; ask again after `retry_after` seconds."""

    def __init__(self, retry_after: int = RETRY_AFTER_S) -> None:
        super().__init__("Too many questions are waiting; please ask again in a few seconds.")
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer as it comes: `[n]` in the pieces is `passages[n - 1]`."""

    passages: tuple[Passage, ...]
    pieces: AsyncIterator[str]


class LanguageModel(Protocol):
    @property
    def name(self) -> str: ...

    def answering(self, question: Question, found: Found) -> AbstractAsyncContextManager[Reply]:
        """The reply to a question; leaving the context stops the model. Raises ModelFailure or Busy."""
        ...
