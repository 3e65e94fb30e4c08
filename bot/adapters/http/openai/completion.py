"""An answer, or one in the making, becomes a completion as OpenAI's models give it. Values, no input or output."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from fastapi.sse import format_sse_event
from pydantic import BaseModel

from bot.adapters.http.openai.wire import (
    Choice,
    Chunk,
    ChunkChoice,
    Completion,
    CompletionMessage,
    Delta,
    LastChunk,
    TokenUsage,
)
from bot.adapters.http.wire import whole
from bot.rendering.appendix import appendix
from bot.types import Answer, Event, PassagesFound, Question, Token

# Before what replaces the beginning of an answer that a model could not finish: what was streamed stays.
INSTEAD: Final = "\n\n---\n\n*The language model did not finish the answer above. In its place:*\n\n"
_DONE: Final = format_sse_event(data_str="[DONE]")


@dataclass(slots=True)
class Reply:
    """One completion of a model for a question. Streamed, `said` grows by what each event adds to it."""

    model: str
    question: Question
    with_usage: bool = False
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))
    said: str = ""

    def whole(self, answer: Answer) -> Completion:
        content = answer.answer + appendix(answer)
        return Completion(
            id=self.id,
            created=self.created,
            model=self.model,
            choices=[Choice(message=CompletionMessage(content=content))],
            usage=self._usage(answer, content),
            **_cited(answer),
        )

    def frame(self, event: Event) -> bytes:
        """The event as server-sent events; all their contents joined are the whole completion's."""
        match event:
            case PassagesFound():
                return _frame(self._chunk(Delta(role="assistant", content="")))
            case Token(text):
                self.said += text
                return _frame(self._chunk(Delta(content=text)))
            case Answer():
                return b"".join((*map(_frame, self._ending(event)), _DONE))

    def _ending(self, answer: Answer) -> Iterator[Chunk]:
        rest = answer.answer.removeprefix(self.said)
        if not answer.answer.startswith(self.said):
            rest = INSTEAD + answer.answer
        rest += appendix(answer)
        yield self._chunk(Delta(content=rest))
        end = ChunkChoice(delta=Delta(), finish_reason="stop")
        yield LastChunk(id=self.id, created=self.created, model=self.model, choices=[end], **_cited(answer))
        if self.with_usage:
            usage = self._usage(answer, self.said + rest)
            yield Chunk(id=self.id, created=self.created, model=self.model, choices=[], usage=usage)

    def _chunk(self, delta: Delta) -> Chunk:
        return Chunk(id=self.id, created=self.created, model=self.model, choices=[ChunkChoice(delta=delta)])

    def _usage(self, answer: Answer, content: str) -> TokenUsage:
        """What the language model's server counted; where none answered, what the conversation would come to."""
        from bot.chat.server import estimated_tokens  # brings an HTTP client along

        asked = "\n".join((*(turn.content for turn in self.question.history), self.question.text))
        prompt = answer.usage.prompt if answer.usage else estimated_tokens(asked)
        completion = answer.usage.completion if answer.usage else estimated_tokens(str(whole(content)))
        return TokenUsage(prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion)


def _cited(answer: Answer) -> dict[str, Any]:
    return {
        "answer_id": answer.id,
        "citations": answer.citations,
        "declined": answer.declined,
        "index": answer.index,
    }


def _frame(data: BaseModel) -> bytes:
    return format_sse_event(data_str=data.model_dump_json())
