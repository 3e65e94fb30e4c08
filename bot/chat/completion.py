"""One request to a language model: a prompt goes out by LangChain, chunks of text come back, failures are sentences."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import httpx
import openai
from langchain_core.messages import BaseMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from bot.chat.prompt import Prompt
from bot.model import ModelFailure
from bot.types import Usage

TRANSIENT_RETRIES = 2
CONNECT_TIMEOUT_S = 5.0
# Characters; no tokenizer's tokens are as long on average, whatever they write.
LONGEST_TOKEN = 20

# What LangChain and openai raise when a body is not what the API promises.
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)
# How servers say that a prompt does not fit; openai has a code for it, vLLM and others only words.
_TOO_LONG = ("context length", "context_length", "context window", "maximum model length", "prompt is too long")


class PromptTooLong(ModelFailure):
    """The prompt and its answer do not fit into the model's context."""

    def __init__(self) -> None:
        super().__init__("The question does not fit into the language model's context.")


class Refused(ModelFailure):
    """The server takes no such request, perhaps because it does not know one of its options."""

    def __init__(self) -> None:
        super().__init__("The language model refused the request.")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of what the model says, with what the server told beside it. Log-probabilities are one a token."""

    text: str
    finish: str | None = None
    usage: Usage | None = None
    logprobs: tuple[float, ...] = ()


class Completions:
    """The chat completions of one model."""

    def __init__(self, url: str, model: str, api_key: str | None, timeout_s: float) -> None:
        self._chat = ChatOpenAI(
            model=model,
            base_url=url,
            api_key=SecretStr(api_key or "none"),
            temperature=0,
            max_retries=TRANSIENT_RETRIES,
            timeout=httpx.Timeout(timeout_s, connect=CONNECT_TIMEOUT_S),
            # Its `asyncio.wait_for` loses a cancellation that comes with a chunk (python/cpython#86296).
            stream_chunk_timeout=None,
        )

    async def stream(
        self, prompt: Prompt, most_tokens: int, deadline: float, extras: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Chunk]:
        """The chunks of one completion, until the deadline (loop time). Closing it stops the model.

        `extras` are fields of the request's body that a server may not know. Raises ModelFailure.
        """
        # LangChain would parse a `response_format` of its own, and fail where an answer is cut off.
        body: dict[str, Any] = {"extra_body": dict(extras)} if extras else {}
        stream = self._chat.astream(prompt.messages, max_completion_tokens=most_tokens, **body)
        room = most_tokens * LONGEST_TOKEN
        try:
            while True:
                async with asyncio.timeout_at(deadline):  # never across a yield: it would cancel whoever reads us
                    message = await anext(stream, None)
                if message is None:
                    return
                chunk = _chunk(message)
                if len(chunk.text) > room:  # a server that does not keep to what it was asked for
                    yield replace(chunk, text=chunk.text[:room], finish="length")
                    return
                room -= len(chunk.text)
                yield chunk
        except openai.BadRequestError as error:
            raise (PromptTooLong if any(words in str(error) for words in _TOO_LONG) else Refused) from error
        except (TimeoutError, openai.OpenAIError, httpx.HTTPError, *UNREADABLE) as error:
            raise ModelFailure(_failure(error)) from error
        finally:
            await _closed(stream)


async def _closed(stream: AsyncIterator[Any]) -> None:
    await stream.aclose()  # type: ignore[attr-defined]


def _chunk(message: BaseMessage) -> Chunk:
    told: Mapping[str, Any] = message.response_metadata
    logprobs = (told.get("logprobs") or {}).get("content") or ()
    return Chunk(
        _text(message.content),
        told.get("finish_reason"),
        _usage(getattr(message, "usage_metadata", None)),
        tuple(token["logprob"] for token in logprobs),
    )


def _usage(counted: Mapping[str, int] | None) -> Usage | None:
    return Usage(counted["input_tokens"], counted["output_tokens"]) if counted else None


def _text(content: str | Sequence[Any]) -> str:
    """Only what a model says: reasoning and tool parts of a message are not for readers."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content if isinstance(part, dict) and part.get("type") == "text")


def _failure(error: Exception) -> str:
    if isinstance(error, TimeoutError | openai.APITimeoutError | httpx.TimeoutException):
        return "The language model did not answer in time."
    if isinstance(error, openai.APIConnectionError | httpx.TransportError):
        return "The connection to the language model failed."
    if isinstance(error, openai.APIStatusError):
        return f"The language model answered with an error ({error.status_code})."
    return "The language model's answer could not be read."
