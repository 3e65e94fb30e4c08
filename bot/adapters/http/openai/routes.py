"""`/v1`: RepoPilot as a model, for programs that speak with OpenAI's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request

from bot.adapters.http.openai import wire
from bot.adapters.http.openai.completion import Reply
from bot.adapters.http.openai.conversation import DEFAULT, Version, models, question_of, version_of
from bot.adapters.http.openai.stream import CompletionStream
from bot.adapters.http.problem import Problem, Refused
from bot.adapters.http.stream import while_connected
from bot.retrieval import Retriever
from indexer.errors import IndexMissing
from indexer.stores import Stores

if TYPE_CHECKING:
    from bot.observing import ObservedAnswerer

PREFIX: Final = "/v1/"
REFUSALS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": wire.FailureBody, "description": words}
    for status, words in {
        400: "The body is not JSON, or asks for what cannot be done; `param` names the field.",
        404: "No such version is indexed.",
        503: "Nothing is indexed yet, the index cannot be read, or too many wait.",
    }.items()
}
EXAMPLE: Final = """\
data: {"id":"chatcmpl-6f1c…","object":"chat.completion.chunk","created":1796040000,"model":"repopilot",\
"choices":[{"index":0,"delta":{"content":"Blocks hold 16 tokens [1]."},"finish_reason":null}],"usage":null}

data: [DONE]

"""
STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The answer; with `stream`, chunks as server-sent events, and `[DONE]`.",
        "content": {"text/event-stream": {"example": EXAMPLE}},  # no schema: it would be taken for that of an event
    }
}


@dataclass(frozen=True, slots=True)
class OpenAI:
    """One method a route; its docstring is shown in the OpenAPI document."""

    answerer: ObservedAnswerer
    retriever: Retriever
    stores: Stores
    ping_s: float

    async def chat_completions(self, request: Request, body: wire.ChatRequest) -> Any:
        """Answer the last message of a conversation as a model would, with links to the lines that prove the answer."""
        question = question_of(body.messages, await self._version(body.model))
        options = body.stream_options
        reply = Reply(body.model, question, bool(options and options.include_usage))
        if body.stream:
            return CompletionStream(self.answerer.stream(question), reply, self.ping_s)
        async with while_connected(request.receive):
            return reply.whole(await self.answerer.answer(question))

    async def models(self) -> wire.Models:
        """List what can be asked: the default version as `repopilot`, and every indexed version."""
        return wire.Models(data=models(await run_sync(self.stores.catalog.snapshots)))

    async def model(self, model: str) -> wire.Model:
        """Say whether a version can be asked."""
        known = models(await run_sync(self.stores.catalog.snapshots))
        if found := next((one for one in known if one.id == model), None):
            return found
        await self._version(model)
        return wire.Model(id=model, created=known[0].created)

    async def _version(self, model: str) -> Version:
        """The version that a model's name stands for. Raises Refused when there is no such, IndexMissing when there is
        none at all."""
        version = version_of(model)
        try:
            if version is not None:
                await run_sync(self.retriever.snapshot, *version)
                return version
            missing = IndexMissing(f"Models are called {DEFAULT} here, or {DEFAULT}/OWNER/NAME@REF.")
        except IndexMissing as error:
            if not await run_sync(self.stores.catalog.snapshots):
                raise
            missing = error
        raise Refused(Problem(404, "model_not_found", f"{missing} See /v1/models.")) from missing


def openai_router(openai: OpenAI) -> APIRouter:
    router = APIRouter(prefix=PREFIX.rstrip("/"), responses=REFUSALS)
    router.post("/chat/completions", responses=STREAM, response_model=wire.Completion)(openai.chat_completions)
    router.get("/models", response_model=wire.Models)(openai.models)
    router.get("/models/{model:path}", response_model=wire.Model)(openai.model)
    return router
