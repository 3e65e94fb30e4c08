"""A message that asks several things becomes its questions, so that each is searched for. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.passages import overlap
from bot.types import Passage
from indexer.lexical import query_terms

# Fewer terms say nothing without the rest of the message ("why?", "is that right?").
FEWEST_TERMS = 3
MOST_PARTS = 3
# Of what the whole message found, so many stay before what its questions found, of which each brings so many.
OF_WHOLE, OF_PART = 6, 2

_SENTENCE = re.compile(r"(?<=[.!?？。！])\s+|(?<=[？])|\n+")


def questions_in(message: str) -> list[str]:
    """The questions of a message that asks more than one thing, at most MOST_PARTS; none of any other message."""
    sentences = (sentence.strip(" \t*-") for sentence in _SENTENCE.split(message))
    asked = [said for said in sentences if said.endswith(("?", "？")) and len(query_terms(said)) >= FEWEST_TERMS]
    return asked[:MOST_PARTS] if len(asked) > 1 else []


def merged(whole: Sequence[Passage], of_parts: Sequence[Sequence[Passage]], limit: int) -> tuple[Passage, ...]:
    """At most `limit` passages: the best for the whole message, then the best for each question, then the rest. Scores
    never rise from one to the next."""
    first = [passage for found in of_parts for passage in found[:OF_PART]]
    chosen: list[Passage] = []
    for passage in (*whole[:OF_WHOLE], *first, *whole[OF_WHOLE:]):
        if len(chosen) < limit and not any(overlap(passage, other) for other in chosen):
            chosen.append(replace(passage, score=min([passage.score, *(other.score for other in chosen[-1:])])))
    return tuple(chosen)
