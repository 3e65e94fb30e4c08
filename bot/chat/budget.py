"""What is sent fits into the model's context: measured in its own tokens, cut at whole lines and whole messages.

Room goes to the rules first, then to the question, the thread and the passages, best first. Pure functions but for
`composed`, which asks for the measures.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bot.chat import prompt
from bot.chat.untrusted import middle_out
from bot.passages import cut
from bot.retrieval import Found
from bot.types import Passage, Question, Turn
from indexer.types import Origin

Count = Callable[[Sequence[str]], Awaitable[Sequence[int]]]
"""How many tokens each text is to the model."""

# The tokens of the chat template.
MARGIN_TOKENS = 100
# Of what the rules leave: what a question may take when it is a pasted log, and then what its thread may.
QUESTION_SHARE = 0.5
THREAD_SHARE = 0.25
# A passage that is cut to fewer lines rarely still says what it was found for.
LEAST_LINES = 10
# A part of a text may be denser in tokens than the whole of it: it is cut with some air, measured, and cut again.
DENSITY = 0.95
ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Offer:
    """A prompt that fits, and the passages that it numbers from 1."""

    prompt: prompt.Prompt
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class _Parts:
    """Everything that could be sent, with its size in tokens; `frame` is what the message has beside these parts."""

    question: Question
    found: Found
    asked: str
    turns: Sequence[str]
    frame: int
    asked_size: int
    turn_sizes: Sequence[int]
    passage_sizes: Sequence[int]

    def within(self, room: int) -> tuple[str, list[Passage]]:
        """The user's message in about so many tokens, and the passages that are in it."""
        left = room - self.frame
        question_room = int(left * QUESTION_SHARE)
        left -= min(self.asked_size, question_room)
        thread, taken = latest(self.question.history, self.turns, self.turn_sizes, int(left * THREAD_SHARE))
        origin = self.found.snapshot.origin
        offered = fitting(self.found.passages, self.passage_sizes, left - taken, origin)
        asked = shortened(self.asked, self.asked_size, question_room)
        return prompt.asking(origin, _blocks(offered), thread, asked), offered


async def composed(
    question: Question, found: Found, system: str, room: int, count: Count, halved: bool = False
) -> Offer:
    """The prompt for a question, in at most `room` tokens; the best passage is in it even so.

    What must fit is not measured: no text has more tokens than bytes. `halved`: a prompt in this room was too long,
    so that one is made in half of it, and with half of the passages at most.
    """
    asked, turns = prompt.written(question.text), [prompt.turn(said) for said in question.history]
    blocks, origin = _blocks(found.passages), found.snapshot.origin
    whole = prompt.asking(origin, blocks, prompt.thread(turns), asked)
    room -= MARGIN_TOKENS
    if not halved and (_bytes(system + whole) <= room or sum(await count((system, whole))) <= room):
        return Offer(prompt.Prompt(system, whole), tuple(found.passages))
    frame = prompt.asking(origin, (), prompt.thread(("",)), "")
    fixed, all_of_it, frame_size, asked_size, *sizes = await count((system, whole, frame, asked, *turns, *blocks))
    by_turn, by_passage = sizes[: len(turns)], sizes[len(turns) :]
    parts = _Parts(question, found, asked, turns, frame_size, asked_size, by_turn, by_passage)
    left = min(room // 2 - fixed, all_of_it - sum(by_passage) // 2) if halved else room - fixed
    return await _cut(parts, system, left, count)


async def _cut(parts: _Parts, system: str, room: int, count: Count) -> Offer:
    """The parts in at most `room` tokens: cut, measured, and cut again by what is too much."""
    user, offered = parts.within(room)
    left = room
    for _ in range(ATTEMPTS):
        [size] = await count((user,))
        if size <= room:
            break
        left -= size - room
        user, offered = parts.within(left)
    return Offer(prompt.Prompt(system, user), tuple(offered))


def _blocks(passages: Sequence[Passage]) -> list[str]:
    return [prompt.passage(number, given) for number, given in enumerate(passages, start=1)]


def shortened(text: str, size: int, room: int) -> str:
    """The text, cut in its middle when it has more than `room` of its `size` tokens."""
    return text if size <= room else middle_out(text, int(len(text) * max(room, 1) / size * DENSITY))


def latest(history: Sequence[Turn], turns: Sequence[str], sizes: Sequence[int], room: int) -> tuple[str, int]:
    """The thread of the latest turns that fit, and its tokens. The last one is cut when not even it fits."""
    kept, left = len(turns), room
    while kept and sizes[kept - 1] <= left:
        kept -= 1
        left -= sizes[kept]
    if turns and kept == len(turns):
        said = history[-1]
        cut = prompt.turn(said, shortened(prompt.written(said.content), sizes[-1], room))
        return prompt.thread([cut], len(turns) - 1), room
    return prompt.thread(turns[kept:], kept), room - left


def fitting(passages: Sequence[Passage], sizes: Sequence[int], room: int, origin: Origin) -> list[Passage]:
    """As many of the best passages as there is room for, the last one cut where enough of it fits; at least one."""
    kept: list[Passage] = []
    for given, size in zip(passages, sizes, strict=True):
        if size <= room:
            kept.append(given)
            room -= size
            continue
        lines = int(given.text.count("\n") * room / size * DENSITY)
        if lines >= LEAST_LINES and given.language != "notebook":  # a cell's rows are not the file's
            return [*kept, first_lines(given, lines, origin)]
    return kept or [_least(given, room / size, origin) for given, size in zip(passages[:1], sizes, strict=False)]


def first_lines(given: Passage, most: int, origin: Origin) -> Passage:
    """The passage cut to at most so many lines (at least one), of which the last is not blank."""
    lines = given.text.split("\n")[: max(1, most)]
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    return cut(given, given.start_line, given.start_line + len(lines) - 1, origin)


def _least(given: Passage, share: float, origin: Origin) -> Passage:
    """What there is of the best passage when nothing fits."""
    return first_lines(given, int(given.text.count("\n") * share), origin)


def _bytes(text: str) -> int:
    return len(text.encode())
