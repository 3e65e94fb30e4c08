"""What a model's server tells beside answering: the length of its context, the tokens of a text, whether it is well.

vLLM has `/tokenize` and `/health` beside `/v1`; other servers do not, and then numbers are estimated.
https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from bot.model import Readiness

# Nobody waits long for a measure that can be estimated, or for a health check.
TIMEOUT = httpx.Timeout(5.0, connect=2.0)
# A server that did not tell is not asked again for so long.
PATIENCE_S = 60.0
# Code takes about three bytes a token in the tokenizers of today's models, and so do most other scripts than Latin.
BYTES_A_TOKEN = 3
REMEMBERED_TEXTS = 4_096
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)


def estimated_tokens(text: str) -> int:
    return math.ceil(len(text.encode()) / BYTES_A_TOKEN)


class ModelServer:
    """One model at one address. Its failures are absences: a number that is not told is None or an estimate."""

    def __init__(self, url: str, model: str, api_key: str | None = None) -> None:
        self._url, self._model = url, model
        self._root = url.removesuffix("/v1")
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._ssl = httpx.create_ssl_context()  # 50 ms, so not for every client
        self._counts: dict[str, int] = {}
        self._context: int | None = None
        self._silent_until = {"context": 0.0, "count": 0.0}

    async def context_tokens(self) -> int | None:
        """The most tokens that a prompt and its answer may have, asked for once; None when the server does not say."""
        if self._context is None and self._asks("context"):
            card = await self._card()
            length = card.get("max_model_len") if card else None
            self._context = length if isinstance(length, int) and length > 0 else None
            self._heard("context", self._context is not None)
        return self._context

    async def count(self, texts: Sequence[str]) -> Sequence[int]:
        """How many tokens each text has, measured where the server can; the measures are remembered."""
        unknown = [text for text in dict.fromkeys(texts) if text and text not in self._counts]
        if unknown and self._asks("count"):
            await self._measure(unknown)
        return [self._counts.get(text, estimated_tokens(text)) for text in texts]

    def forget(self) -> None:
        """Ask anew next time: the server was seen to be another than was thought."""
        self._context = None
        self._counts.clear()
        self._silent_until = dict.fromkeys(self._silent_until, 0.0)

    async def ready(self) -> Readiness:
        """Whether the server is well and serves the model."""
        try:
            async with self._client() as client:
                health = await client.get(f"{self._root}/health")
                if health.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
                    return Readiness(False, f"The language model's server is not well ({health.status_code}).")
                listing = await client.get(f"{self._url}/models")
        except httpx.HTTPError:
            return Readiness(False, "The language model's server cannot be reached.")
        if not listing.is_success:
            return Readiness(False, f"The language model's server refuses to list its models ({listing.status_code}).")
        if _card_of(self._model, listing) is None:
            return Readiness(False, f"The language model's server does not serve {self._model}.")
        return Readiness(True)

    async def _measure(self, texts: Sequence[str]) -> None:
        if len(self._counts) > REMEMBERED_TEXTS:
            self._counts.clear()
        async with self._client() as client:
            counts = await asyncio.gather(*(self._counted(client, text) for text in texts))
        self._counts |= {text: count for text, count in zip(texts, counts, strict=True) if count is not None}
        self._heard("count", None not in counts)

    async def _counted(self, client: httpx.AsyncClient, text: str) -> int | None:
        body = {"model": self._model, "prompt": text, "add_special_tokens": False}
        try:
            reply = await client.post(f"{self._root}/tokenize", json=body)
            return int(reply.json()["count"]) if reply.is_success else None
        except (httpx.HTTPError, *UNREADABLE):
            return None

    async def _card(self) -> Mapping[str, Any] | None:
        try:
            async with self._client() as client:
                return _card_of(self._model, await client.get(f"{self._url}/models"))
        except httpx.HTTPError:
            return None

    def _client(self) -> httpx.AsyncClient:
        """A client for one exchange: a kept one would belong to the event loop that used it first."""
        return httpx.AsyncClient(headers=self._headers, timeout=TIMEOUT, verify=self._ssl)

    def _asks(self, what: str) -> bool:
        return time.monotonic() >= self._silent_until[what]

    def _heard(self, what: str, told: bool) -> None:
        self._silent_until[what] = 0.0 if told else time.monotonic() + PATIENCE_S


def _card_of(model: str, listing: httpx.Response) -> Mapping[str, Any] | None:
    """What the listing says of the model, None when it is not there."""
    try:
        return next((card for card in listing.json()["data"] if card["id"] == model), None)
    except UNREADABLE:
        return None
