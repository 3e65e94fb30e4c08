"""The documents of the OpenAI chat API as vLLM writes them: a reply becomes a completion, or a stream of chunks."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from fakes.openai_script import Reply

Document = dict[str, Any]
IDENTITY: Document = {"id": "chatcmpl-fake", "created": 1_700_000_000}


def tokens(text: str) -> list[str]:
    """Pieces that join to `text`, about as many as a byte-pair tokenizer makes of it."""
    return re.findall(r"\s*[^\W_]{1,6}|\s*[\W_]|\s+", text)


def message_text(message: Mapping[str, Any]) -> str:
    """The words of a chat message, whose content may be a string or a list of text parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def prompt_tokens(messages: Sequence[Mapping[str, Any]]) -> int:
    return sum(len(tokens(message_text(message))) for message in messages)


def refusal(
    request: Mapping[str, Any], model: str, max_model_len: int, refuses: Collection[str] = ()
) -> tuple[int, str] | None:
    """The status and message with which vLLM refuses this request, or None when it would answer; `refuses` are fields
    of it that a server does not know."""
    messages = request.get("messages")
    if unknown := sorted(request.keys() & set(refuses)):
        return 400, f"Extra inputs are not permitted: {unknown[0]}"
    wanted = request.get("response_format") or {}
    if wanted.get("type") == "json_schema" and not (wanted.get("json_schema") or {}).get("schema"):
        return 400, "When response_format type is 'json_schema', the 'json_schema' field must be provided."
    if request.get("model") != model:
        return 404, f"The model `{request.get('model')}` does not exist."
    if not isinstance(messages, list) or not messages or not all(isinstance(m, dict) and "role" in m for m in messages):
        return 400, "messages must be a non-empty list of objects with a role"
    limit = request.get("max_completion_tokens") or request.get("max_tokens") or 0
    if limit < 0:
        return 400, f"max_tokens must be at least 1, got {limit}."
    asked = prompt_tokens(messages)
    if asked + limit <= max_model_len:
        return None
    return 400, (
        f"This model's maximum context length is {max_model_len} tokens. However, you requested {asked + limit} tokens "
        f"({asked} in the messages, {limit} in the completion). Please reduce the length of the messages or completion."
    )


def usage(request: Mapping[str, Any], reply: Reply) -> Document:
    asked = prompt_tokens(request["messages"])
    said = len(tokens(message_text(reply.message)))
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def completion(request: Mapping[str, Any], reply: Reply) -> Document:
    """The whole answer, as `POST /v1/chat/completions` gives it without `stream`."""
    message = {"role": "assistant", "content": None, "reasoning_content": None, "tool_calls": []} | dict(reply.message)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish_reason}
    head = IDENTITY | {"object": "chat.completion", "model": request["model"]}
    return head | {"choices": [choice], "usage": usage(request, reply)}


def chunks(request: Mapping[str, Any], reply: Reply) -> Iterator[Document]:
    """The chunks of a streamed answer: the role, each token, the finish reason, and the usage when it was asked for."""
    yield _chunk(request, {"role": "assistant", "content": ""})
    for name in ("reasoning_content", "content"):
        for token in tokens(reply.message.get(name) or ""):
            yield _chunk(request, {name: token}, logprobs=_logprobs(token) if request.get("logprobs") else None)
    yield _chunk(request, {}, reply.finish_reason)
    if (request.get("stream_options") or {}).get("include_usage"):
        head = IDENTITY | {"object": "chat.completion.chunk", "model": request["model"]}
        yield head | {"choices": [], "usage": usage(request, reply)}


def event(document: Document) -> bytes:
    """One server-sent event, framed as OpenAI frames it: a single data line of JSON."""
    return f"data: {json.dumps(document)}\n\n".encode()


def _logprobs(token: str) -> Document:
    """How likely the token was: a little more than a half."""
    return {"content": [{"token": token, "logprob": -0.5, "bytes": list(token.encode()), "top_logprobs": []}]}


def _chunk(
    request: Mapping[str, Any], delta: Document, finish_reason: str | None = None, logprobs: Document | None = None
) -> Document:
    choice = {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": finish_reason}
    return IDENTITY | {"object": "chat.completion.chunk", "model": request["model"], "choices": [choice]}
