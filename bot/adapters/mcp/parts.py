"""What the tools work with: values that the composition root decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.lines import LineReader
from bot.retrieval import Retriever
from indexer.stores import Stores

if TYPE_CHECKING:
    from bot.observing import ObservedAnswerer


@dataclass(frozen=True, slots=True)
class Parts:
    answerer: ObservedAnswerer
    retriever: Retriever
    lines: LineReader
    stores: Stores


Opening = Callable[[], Parts]
"""Makes the parts, in a thread, when the first tool is called. Raises RepoPilotError."""

Explain = Callable[[Exception], str]
"""What an agent is told of an expected error, in a sentence."""
