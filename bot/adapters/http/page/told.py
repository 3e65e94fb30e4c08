"""An answer in the making becomes the events of the page: `passages`, `block`…, `answer`, with JSON as their data."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from anyio.to_thread import run_sync
from fastapi.sse import format_sse_event

from bot.adapters.http import wire
from bot.adapters.http.page.quoted import Quoted, Whole
from bot.highlighting import coloured
from bot.rendering.web import Colour, Growing, answer_nodes, web_nodes
from bot.types import Answer, Event, Index, PassagesFound, Token


async def told(events: AsyncGenerator[Event], read: Callable[[Index], Whole]) -> AsyncGenerator[bytes]:
    """The same answer as framed events; `read` gives the texts of a version's files. Raises what making it raises.

    passages  {"passages": how many, "files": of how many files, "index": Index}
    block     {"from": how many blocks stay, "nodes": those behind them}
    answer    {"answer": Answer, "nodes": all blocks, "warnings": [blocks of each]}
    """
    colour: Colour = coloured
    growing = Growing()
    async with aclosing(events):
        async for event in events:
            match event:
                case PassagesFound():
                    colour = Quoted(event.passages, read(event.index)).coloured
                    growing = Growing(colour)
                    yield _frame("passages", _found(event))
                case Token():
                    if grown := await run_sync(growing.fed, event.text):
                        yield _frame("block", {"from": grown[0], "nodes": grown[1]})
                case Answer():
                    yield _frame("answer", await run_sync(_whole, event, colour))


def _found(event: PassagesFound) -> dict[str, Any]:
    index = wire.Index.model_validate(event.index).model_dump()
    return {"passages": len(event.passages), "files": len({p.path for p in event.passages}), "index": index}


def _whole(answer: Answer, colour: Colour) -> dict[str, Any]:
    return {
        "answer": wire.Answer.model_validate(answer).model_dump(),
        "nodes": answer_nodes(answer, colour),
        "warnings": [web_nodes(warning, ()) for warning in answer.warnings],
    }


def _frame(name: str, data: dict[str, Any]) -> bytes:
    return format_sse_event(event=name, data_str=json.dumps(data))
