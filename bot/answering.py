"""The spine: a question becomes passages, the passages an answer, and every claim keeps its citation.

    Question → PassagesFound → declined, or Token… → Answer

What is found decides first whether there is an answer at all. What a language model says is checked block by block; one
that fails at any point never loses a question: the extractive reader answers, with a warning.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import aclosing
from dataclasses import dataclass, replace
from uuid import uuid4

from anyio.to_thread import run_sync

from bot.chat.leaks import leaks
from bot.declining import declining, noted, reason_to_decline
from bot.disagreement import disagreements, sentence
from bot.evidence import Evidence
from bot.following import begins_as_more, follows_up
from bot.grounding import Grounder, Knowledge
from bot.grounding.citing import cited
from bot.grounding.ending import whole
from bot.markdown import Blocks
from bot.model import NOT_FOUND, LanguageModel, ModelFailure, Reply
from bot.reading import read
from bot.rendering.safety import safe
from bot.retrieval import PASSAGES, Found, Retriever, standalone
from bot.searching import on_a_core
from bot.types import Answer, DeclineReason, Event, Passage, PassagesFound, Question, Token, Usage, answer_of
from indexer.terms import plain_name, written_names

log = logging.getLogger(__name__)

EXTRACTIVE = "extractive"
CUT_OFF = "The language model's answer was cut off; what it had said is above."
EMPTY = "The language model gave an empty answer."
UNTRACED = "The language model's answer could not be traced to the sources."
INSTEAD = "These are the passages' own words instead."
CUT_AND_UNTRACED = "The language model's answer was cut off, and what there was could not be traced to the sources."
# What models wrap around the marker that declines.
_WRAPPING = " \t\r\n`*.\"'"


@dataclass(slots=True)
class Draft:
    """An answer while it is being made: `[n]` in `text` is `passages[n - 1]`."""

    found: Found
    model: str
    text: str = ""
    passages: tuple[Passage, ...] = ()
    declined: DeclineReason | None = None
    warnings: tuple[str, ...] = ()
    usage: Usage | None = None

    def decline(self, reason: DeclineReason, evidence: Evidence) -> None:
        self.declined = reason
        self.text, self.passages = declining(reason, self.found, evidence)

    def answer(self) -> Answer:
        return Answer(
            id=uuid4().hex,
            answer=self.text,
            citations=cited(self.passages),
            declined=self.declined is not None,
            reason=self.declined,
            model=self.model,
            index=self.found.index,
            warnings=self.warnings,
            usage=self.usage,
        )


class Answerer:
    """Answers questions from the index, through the language model when there is one. `secrets` are never said."""

    def __init__(
        self, retriever: Retriever, model: LanguageModel | None = None, secrets: Collection[str] = frozenset()
    ) -> None:
        self._retriever = retriever
        self._model = model
        self._secrets = secrets

    async def answer(self, question: Question) -> Answer:
        """The whole answer. Raises IndexMissing, IndexDamaged, EmbedderMismatch, EmbedderError or Busy."""
        return await answer_of(self.stream(question))

    async def stream(self, question: Question) -> AsyncGenerator[Event]:
        """The events of an answer in the making; closing the iterator stops the model. Raises as `answer` does."""
        if self._model:
            self._model.demand_room()
        question, version = await run_sync(self._retriever.addressed, question)
        sought = await self._sought(question)
        found, evidence = await on_a_core(self._found, sought)
        yield PassagesFound(found.passages, found.index, found.unknown_names)
        warnings = (version,) if version else ()
        begun = False  # whether something has been told that the answer will not be
        reason = reason_to_decline(sought.text, found, evidence)
        if self._model and _is_asked(self._model, found, reason):
            draft = Draft(found, self._model.name, warnings=warnings)
            try:
                async with aclosing(self._said(self._model, question, evidence, draft, reason)) as tokens:
                    async for token in tokens:
                        yield token
                yield draft.answer()
                return
            except ModelFailure as failure:
                log.warning("the language model failed: %s", failure)
                if not reason:  # what is declined uses no words of theirs
                    warnings = (*warnings, f"{failure} {INSTEAD}")
                begun = bool(draft.text)
        answer = await run_sync(self._read, sought, found, evidence, reason, warnings)
        blocks = Blocks()
        for block in () if begun else (*blocks.feed(answer.answer), *blocks.finish()):
            yield Token(block)
        yield answer

    def _found(self, sought: Question) -> tuple[Found, Evidence]:
        found = self._retriever.search(sought, PASSAGES)
        return found, self._retriever.evidence(sought, found)

    async def _sought(self, question: Question) -> Question:
        """What is searched for: a question that follows up on an answer, or begins as one that goes on with what others
        said, is made to stand alone, where a model can."""
        answered = any(turn.role == "assistant" for turn in question.history)
        goes_on = question.history and (follows_up if answered else begins_as_more)(question.text)
        rewritten = await self._model.standalone(question) if self._model and goes_on else None
        return replace(question, text=rewritten, history=()) if rewritten else question

    async def _said(
        self,
        model: LanguageModel,
        question: Question,
        evidence: Evidence,
        draft: Draft,
        doubt: DeclineReason | None,
    ) -> AsyncGenerator[Token]:
        """What of the model's reply holds, block by block; fills `draft`. `doubt` is why to decline, unless the model
        knows better. Raises ModelFailure."""
        note = f"{noted(draft.found)}\n\n" if draft.found.unknown_names else ""
        async with model.answering(question, draft.found) as reply:
            grounder, begun = Grounder(self._knowledge(question, draft.found, reply)), False
            async for block in _blocks(reply):
                begun = begun or bool(block.strip())
                if not draft.text and _is_marker(block):
                    draft.declined = doubt or "not_found"
                    break
                if text := await run_sync(_checked, grounder, block):
                    draft.text += (added := text if draft.text else note + text)
                    yield Token(added)
        draft.passages, draft.usage = grounder.citing.passages(), reply.ending.usage
        if draft.declined:
            draft.decline(draft.declined, evidence)
            yield Token(draft.text)
            return
        if not draft.passages:
            cut = reply.ending.cut
            raise ModelFailure(CUT_AND_UNTRACED if cut else UNTRACED if begun else EMPTY)
        draft.warnings += (CUT_OFF,) if reply.ending.cut else ()
        if remarks := await run_sync(self._remarks, question, draft):
            draft.text += f"\n\n{remarks}"
            yield Token(f"\n\n{remarks}")

    def _knowledge(self, question: Question, found: Found, reply: Reply) -> Knowledge:
        said = "\n".join((question.text, *(turn.content for turn in question.history)))
        known = "\n".join((said, *(passage.text for passage in reply.passages)))
        return Knowledge(
            reply.passages,
            found.snapshot.origin,
            said,
            found.unknown_names,
            lambda names: self._retriever.unknown(names, found.snapshot),
            lambda text: leaks(text, reply.system, known) or any(secret in text for secret in self._secrets),
        )

    def _read(
        self,
        question: Question,
        found: Found,
        evidence: Evidence,
        reason: DeclineReason | None,
        warnings: tuple[str, ...],
    ) -> Answer:
        """The answer in the passages' own words, or why there is none."""
        draft = Draft(found, EXTRACTIVE, warnings=warnings)
        reading = None if reason else read(standalone(question), evidence)
        if reading:
            draft.passages = reading.passages
            draft.text = safe(reading.text, ())
            draft.text = "\n\n".join(filter(None, (noted(found), draft.text, self._remarks(question, draft))))
        else:
            draft.decline(reason or "not_found", evidence)
        return draft.answer()

    def _remarks(self, question: Question, draft: Draft) -> str:
        """Where documents and code that an answer cites disagree on what it is about."""
        snapshot = draft.found.snapshot
        places = disagreements(
            draft.passages,
            lambda name: bool(self._retriever.code_naming(name, snapshot)),
            lambda name: self._retriever.code_naming(name, snapshot),
            set(map(plain_name, written_names(f"{question.text}\n{draft.text}"))),
        )
        return " ".join(map(sentence, places))


def _is_asked(model: LanguageModel, found: Found, doubt: DeclineReason | None) -> bool:
    """Whether a model is asked: also about what seems to have no answer, if it can be trusted to say so itself."""
    return doubt is None or (bool(found.passages) and model.judges and doubt != "out_of_scope")


async def _blocks(reply: Reply) -> AsyncIterator[str]:
    """The blocks of a reply, each when it is whole; the last one of a reply that was cut off, as far as it is."""
    blocks, going_on = Blocks(), ""
    async for piece in reply.pieces:
        going_on += piece
        for block in blocks.feed(piece):
            going_on = going_on[len(block) :]
            yield block
    *rest, last = blocks.finish() or [""]
    for block in rest:
        yield block
    yield whole(going_on[len("".join(rest)) :]) if reply.ending.cut else last


def _checked(grounder: Grounder, block: str) -> str:
    """What of a block may be said, with the white space that sets it off from what was said before."""
    text = grounder.grounded(block)
    space = text[: len(text) - len(text.lstrip())]
    said = safe(text, ())
    return space + said if said else ""


def _is_marker(block: str) -> bool:
    """Whether a reply's first block is the marker, by itself or with an apology behind it."""
    said = block.strip(_WRAPPING)
    return said == NOT_FOUND or said.startswith((f"{NOT_FOUND}.", f"{NOT_FOUND}\n"))
