"""What the OpenAPI document says beyond the models: errors, headers and the stream."""

from __future__ import annotations

from typing import Any

from bot.adapters.http import wire

Responses = dict[int | str, dict[str, Any]]

SUMMARY = """\
Questions about a code repository, answered with links to the exact lines that prove the answer.

Every error is `{"error": {"code", "message"}}`. Every response carries `X-Request-ID`: yours, or a new one.
"""

_STREAM = """\
The answer. With `"stream": true` it is a stream of server-sent events, each with JSON as its data:

1. `passages`, once: `{"passages": [Passage…], "index": Index}`, what the answer is made from;
2. `token`, any number: `{"text": "…"}`, the next piece of the answer;
3. `answer`, last: the whole Answer, which alone is final (it replaces the tokens when the model failed in the middle);
   or `error`, last: the same object as in an error response.

Lines that start with `:` keep the connection open. What fails before the first event is an ordinary error response.
"""
_EXAMPLE = """\
event: passages
data: {"passages":[],"index":{"repository":"vllm-project/vllm","ref":"v0.33.0","commit":"v0.33.0",\
"indexed_at":"2026-11-29T12:00:00+00:00","stale":false}}

event: token
data: {"text":"Blocks hold 16 tokens [1]."}

event: answer
data: {"id":"6f1c…","answer":"Blocks hold 16 tokens [1].","citations":[…],…}

"""


def _error(description: str, **headers: str) -> dict[str, Any]:
    described = {
        name.replace("_", "-"): {"description": words, "schema": {"type": "string"}} for name, words in headers.items()
    }
    return {"model": wire.ErrorBody, "description": description} | ({"headers": described} if described else {})


def _json(errors: Responses) -> Responses:
    """The same errors for a route that is not JSON itself: FastAPI would take their models to be of its type."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}}
    return {
        status: {name: value for name, value in error.items() if name != "model"} | {"content": content}
        for status, error in errors.items()
    }


_GATE: Responses = {
    401: _error("The token is missing or wrong.", WWW_Authenticate="`Bearer`"),
    429: _error("Too many requests of this client.", Retry_After="Seconds."),
    500: _error("Something is wrong with the service; its log has more."),
}
UNAVAILABLE: Responses = {
    503: _error("Nothing is indexed yet, the index cannot be read, or too many wait.", Retry_After="Seconds.")
}
ERRORS: Responses = {
    400: _error("The body is not JSON in UTF-8."),
    404: _error("That repository or version is not indexed."),
    413: _error("The body is too large."),
    415: _error("The body is not said to be JSON."),
    422: _error("A field is missing or wrong; the message names it."),
    **_GATE,
    **UNAVAILABLE,
}
PROBE: Responses = {**_GATE, **UNAVAILABLE}
ASK: Responses = {
    200: {
        "description": _STREAM,
        "content": {"text/event-stream": {"schema": {"type": "string"}, "example": _EXAMPLE}},
    }
}
SOURCE: Responses = {
    200: {"description": "The file's text.", "content": {"text/plain": {"schema": {"type": "string"}}}},
    **_json({404: _error("No indexed version has this file."), 422: _error("The address is wrong."), **PROBE}),
}
HOOK: Responses = {
    202: {"description": "Accepted: it is noted and queued, or there is nothing to do."},
    400: _error("It is neither JSON nor a form with JSON in its `payload`."),
    401: _error("The signature is missing or wrong."),
    404: _error("GitHub is not set up here."),
    413: _error("It is larger than GitHub's are."),
    500: _error("Something is wrong with the service; GitHub can deliver it again."),
}
# The body is read as bytes, since they are what is signed.
DELIVERY: dict[str, Any] = {
    "parameters": [
        {"name": name, "in": "header", "required": required, "schema": {"type": "string"}}
        for name, required in (("X-Hub-Signature-256", True), ("X-GitHub-Event", True), ("X-GitHub-Delivery", False))
    ],
    "requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}},
}
