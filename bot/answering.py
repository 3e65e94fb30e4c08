"""The spine: a question becomes passages, the passages an answer, and every claim keeps its citation.

    Question → PassagesFound → Token… → Answer

A language model that fails at any point never loses a question: the extractive reader answers, with a warning.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from uuid import uuid4

import anyio.to_thread

from bot.grounding import Grounder, cited
from bot.model import LanguageModel, ModelFailure
from bot.reading import read
from bot.retrieval import Found, Retriever, standalone
from bot.types import Answer, DeclineReason, Event, Passage, PassagesFound, Question, Token

log = logging.getLogger(__name__)

# Passages offered to the model or the reader; retrieval figures flatten beyond ten.
PASSAGES = 10
EXTRACTIVE = "extractive"
NOT_FOUND = (
    "I found nothing in {repository} at {ref} that answers this. "
    "Naming a file, a function, a flag or the exact error message usually helps."
)


@dataclass(slots=True)
class Draft:
    """An answer's text while it is being made."""

    passages: Sequence[Passage]
    text: str = ""
    declined: DeclineReason | None = None


class Answerer:
    """Answers questions from the index, through the language model when there is one."""

    def __init__(self, retriever: Retriever, model: LanguageModel | None = None) -> None:
        self._retriever = retriever
        self._model = model

    async def answer(self, question: Question) -> Answer:
        """The whole answer. Raises IndexMissing, IndexDamaged, EmbedderMismatch, EmbedderError or Busy."""
        async for event in self.stream(question):
            if isinstance(event, Answer):
                return event
        raise AssertionError("a stream of events ends with its answer")

    async def stream(self, question: Question) -> AsyncGenerator[Event]:
        """The events of an answer in the making; closing the iterator stops the model. Raises as `answer` does."""
        found = await anyio.to_thread.run_sync(self._retriever.search, question, PASSAGES)
        yield PassagesFound(found.passages, found.index, found.unknown_names)
        warnings: tuple[str, ...] = ()
        if self._model and found.passages:
            draft = Draft(found.passages)
            try:
                async with aclosing(self._model_tokens(self._model, question, found, draft)) as tokens:
                    async for token in tokens:
                        yield token
                yield _answer(found, draft, self._model.name)
                return
            except ModelFailure as failure:
                log.warning("the language model failed: %s", failure)
                warnings = (f"{failure} These are the passages' own words instead.",)
        answer = replace(read_answer(question, found), warnings=warnings)
        if not warnings:
            yield Token(answer.answer)
        yield answer

    async def _model_tokens(
        self, model: LanguageModel, question: Question, found: Found, draft: Draft
    ) -> AsyncGenerator[Token]:
        """The model's tokens with citations checked and renumbered; fills `draft`. Raises ModelFailure."""
        async with model.answering(question, found) as reply:
            grounder = Grounder(len(reply.passages))
            draft.passages = reply.passages
            async for piece in reply.pieces:
                if text := grounder.feed(piece):
                    draft.text += text
                    yield Token(text)
            if text := grounder.finish():
                draft.text += text
                yield Token(text)
        draft.passages = [draft.passages[number - 1] for number in grounder.order]
        if grounder.declined:
            said, draft.text, draft.declined = draft.text, not_found(found), grounder.declined
            if not said:
                yield Token(draft.text)
        elif not draft.text.strip():
            raise ModelFailure("The language model gave an empty answer.")
        elif not grounder.order:
            raise ModelFailure("The language model's answer cited no source.")


def read_answer(question: Question, found: Found) -> Answer:
    """The extractive answer."""
    reading = read(standalone(question), found.passages)
    if reading is None:
        return _answer(found, Draft((), not_found(found), "not_found"), EXTRACTIVE)
    return _answer(found, Draft(reading.passages, reading.text), EXTRACTIVE)


def not_found(found: Found) -> str:
    """The sentence that declines."""
    return NOT_FOUND.format(repository=found.snapshot.origin.repository, ref=found.snapshot.origin.ref)


def _answer(found: Found, draft: Draft, model: str) -> Answer:
    return Answer(
        id=uuid4().hex,
        answer=draft.text,
        citations=cited(draft.passages),
        declined=draft.declined is not None,
        reason=draft.declined,
        model=model,
        index=found.index,
    )
