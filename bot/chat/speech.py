"""The chunks of one reply become what the model says to its reader, and how the reply ended."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.chat.completion import Chunk
from bot.chat.prompt import Form
from bot.chat.statements import Statements
from bot.chat.thoughts import Thoughts
from bot.model import Ending, ModelFailure

CUT_OFF = "The language model's answer was cut off."


class Speech:
    """One reply on its way through: thoughts are taken out, statements become Markdown."""

    def __init__(self, form: Form, unopened: bool) -> None:
        self._thoughts = Thoughts(unopened)
        self.statements = Statements() if form == "statements" else None

    @property
    def ended(self) -> bool:
        """Whether no more of the reply is wanted."""
        return self.statements is not None and self.statements.ended

    @property
    def ran_away(self) -> bool:
        return self.statements is not None and self.statements.ran_away

    def feed(self, piece: str) -> str:
        """What of the text so far is for the reader and was not before. Raises ThoughtAloud."""
        text = self._thoughts.feed(piece)
        return self.statements.feed(text) if self.statements else text

    def finish(self) -> str:
        """The rest. Raises ThoughtAloud."""
        rest = self._thoughts.finish()
        return self.statements.feed(rest) + self.statements.finish() if self.statements else rest


async def pieces(first: Chunk, rest: AsyncIterator[Chunk], speech: Speech, ending: Ending) -> AsyncIterator[str]:
    """What the model says, piece by piece; fills `ending`. Raises ModelFailure or ThoughtAloud.

    A reply that was cut off after something was said is kept, and `ending.cut` says so.
    """
    finish, said, logprobs = None, False, list[float]()
    async for chunk in _all(first, rest):
        finish = chunk.finish or finish
        ending.usage = chunk.usage or ending.usage
        logprobs += chunk.logprobs
        if text := speech.feed(chunk.text):
            said = True
            yield text
        if speech.ended:
            break
    if text := speech.finish():
        said = True
        yield text
    ending.logprob = sum(logprobs) / len(logprobs) if logprobs else None
    ending.cut = speech.ran_away or (finish == "length" and not speech.ended)
    if (ending.cut and not said) or not (ending.cut or speech.ended or finish == "stop"):
        raise ModelFailure(CUT_OFF)


async def _all(first: Chunk, rest: AsyncIterator[Chunk]) -> AsyncIterator[Chunk]:
    yield first
    async for chunk in rest:
        yield chunk
