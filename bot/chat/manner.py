"""How a model is asked to answer: freely with citations in its text, or held to a schema. Remembered for each model.

`auto` holds small models to the schema, since they cite nothing in free text, and lets the others write; one that
cites nothing twice running is held to it from then on. What a server refuses it is not sent again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from bot.chat.prompt import Form
from bot.chat.statements import MOST_SOURCES, MOST_SOURCES_OF_SMALL, response_format
from bot.model import NOT_FOUND

Structured = Literal["auto", "on", "off"]

SMALL_BILLIONS = 3.0
UNCITED_LIMIT = 2
SCHEMA, USAGE, LOGPROBS = "response_format", "stream_options", "logprobs"
EXTRAS = frozenset({SCHEMA, USAGE, LOGPROBS})
_SIZE = re.compile(r"(?<![A-Za-z0-9.])(\d+(?:\.\d+)?)([bm])(?![A-Za-z0-9])", re.IGNORECASE)
_CITES = re.compile(r"[\[【]\^?\d")


class Manner:
    """What one model was found to do. Only ever asked and told within one event loop."""

    def __init__(self, structured: Structured, model: str) -> None:
        small = is_small(model)
        self._auto = structured == "auto"
        self._schema = structured == "on" or (self._auto and small)
        self._most_sources = MOST_SOURCES_OF_SMALL if small else MOST_SOURCES
        self._uncited = 0
        self._refused: frozenset[str] = frozenset()

    def attempts(self) -> Iterator[frozenset[str]]:
        """What to leave out of a request, from what is known to be refused to everything that may be."""
        tried = [self._refused, self._refused | {SCHEMA}, EXTRAS]
        if not self._schema:
            del tried[1]
        yield from dict.fromkeys(tried)

    def form(self, left_out: frozenset[str]) -> Form:
        return "statements" if self._schema and SCHEMA not in left_out else "cited"

    def extras(self, left_out: frozenset[str], passages: int, logprobs: bool) -> Mapping[str, Any]:
        """The fields of a request that a server may not know, for an answer from so many passages."""
        extras: dict[str, Any] = {USAGE: {"include_usage": True}}
        if logprobs:
            extras[LOGPROBS] = True
        if self._schema:
            extras[SCHEMA] = response_format(passages, self._most_sources)
        return {name: value for name, value in extras.items() if name not in left_out}

    def accepted(self, left_out: frozenset[str]) -> None:
        """The server took a request without these."""
        self._refused = left_out

    def heard(self, form: Form, text: str, ignored: bool) -> None:
        """A whole reply was read; `ignored` says that the server did not hold the model to the schema."""
        if ignored:
            self._refused |= {SCHEMA}
        if form == "cited" and self._auto and text.strip() and NOT_FOUND not in text:
            self._uncited = 0 if _CITES.search(text) else self._uncited + 1
            self._schema = self._schema or self._uncited >= UNCITED_LIMIT


def is_small(model: str) -> bool:
    """Whether a model says in its name, as nearly all do (`Qwen2.5-Coder-0.5B`), that it has few parameters."""
    sizes = [float(number) / (1 if unit in "bB" else 1_000) for number, unit in _SIZE.findall(model)]
    return bool(sizes) and max(sizes) < SMALL_BILLIONS
