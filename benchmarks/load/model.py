"""A language model that takes its time: so many seconds an answer, whatever is asked, over vLLM's API. It says the
longest line of each of the first passages, so that what it says is as much work to check as what a good one says.

python -m benchmarks.load.model PORT SECONDS
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

PASSAGE = re.compile(r'<passage number="(\d)".*?>\n(.*?)\n</passage>', re.DOTALL)
QUOTED = 3
PIECES = 5


def create_model(seconds: float) -> FastAPI:
    """An answer comes in pieces, the last one after `seconds`."""
    model = FastAPI()

    @model.get("/v1/models")
    async def models() -> Any:
        return {"object": "list", "data": [{"id": "slow", "object": "model", "max_model_len": 16_384}]}

    @model.get("/health")
    async def health() -> None: ...

    @model.post("/v1/chat/completions")
    async def complete(request: Request) -> StreamingResponse:
        prompt = (await request.json())["messages"][-1]["content"]
        return StreamingResponse(_pieces(answer(prompt), seconds), media_type="text/event-stream")

    return model


def answer(prompt: str) -> str:
    said = ((number, max(text.splitlines(), key=len)) for number, text in PASSAGE.findall(prompt)[:QUOTED])
    return "\n\n".join(f"{line.strip(' #*>-')} [{number}]." for number, line in said) or "NOT_FOUND"


async def _pieces(text: str, seconds: float) -> AsyncIterator[str]:
    size = len(text) // PIECES + 1
    for start in range(0, len(text), size):
        await asyncio.sleep(seconds / PIECES)
        yield _chunk({"content": text[start : start + size]}, None)
    yield _chunk({}, "stop")
    yield "data: [DONE]\n\n"


def _chunk(delta: dict[str, str], reason: str | None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "slow", "choices": [choice]}
    return f"data: {json.dumps(chunk)}\n\n"


if __name__ == "__main__":
    uvicorn.run(create_model(float(sys.argv[2])), port=int(sys.argv[1]), log_level="warning")
