"""A language model that takes its time: so many seconds an answer, whatever is asked, over vLLM's API.

python -m benchmarks.load.model PORT SECONDS
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi.responses import StreamingResponse

PIECES = ("The first ", "source ", "says ", "how ", "[1].")


def create_model(seconds: float) -> FastAPI:
    """An answer comes in pieces, the last one after `seconds`."""
    model = FastAPI()

    @model.get("/v1/models")
    async def models() -> Any:
        return {"object": "list", "data": [{"id": "slow", "object": "model", "max_model_len": 16_384}]}

    @model.get("/health")
    async def health() -> None: ...

    @model.post("/v1/chat/completions")
    async def complete() -> StreamingResponse:
        return StreamingResponse(_pieces(seconds), media_type="text/event-stream")

    return model


async def _pieces(seconds: float) -> AsyncIterator[str]:
    for piece in PIECES:
        await asyncio.sleep(seconds / len(PIECES))
        yield _chunk({"content": piece}, None)
    yield _chunk({}, "stop")
    yield "data: [DONE]\n\n"


def _chunk(delta: dict[str, str], reason: str | None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "slow", "choices": [choice]}
    return f"data: {json.dumps(chunk)}\n\n"


if __name__ == "__main__":
    uvicorn.run(create_model(float(sys.argv[2])), port=int(sys.argv[1]), log_level="warning")
