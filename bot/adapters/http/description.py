"""What each route says of itself in the OpenAPI document, beyond its models: statuses, headers, examples.

What any route may answer, since it is refused before or ended from outside, stands in document.py.
"""

from __future__ import annotations

from typing import Any, Final

from bot.adapters.http import examples
from bot.adapters.http.idempotency import IN_PROGRESS, MALFORMED, REUSED
from bot.adapters.http.problem import INTERNAL, Problem, bad_json, unavailable

Responses = dict[int | str, dict[str, Any]]
REF: Final = "#/components/schemas/{model}"
ERROR_BODY: Final = {"$ref": REF.format(model="ErrorBody")}

SUMMARY = """\
Questions about a code repository, answered with links to the exact lines that prove the answer.

Where the service has keys (`repopilot keys`), send one as `Authorization: Bearer KEY`; without any it is open.
Every error is `{"error": {"code", "message"}}`. Every response carries `X-Request-ID`: yours, or a new one.
"""
TAGS: Final = [
    {"name": "answers", "description": "Ask, search, and say what you think of an answer."},
    {"name": "index", "description": "What is indexed, and the files themselves."},
    {"name": "openai", "description": "The same answers for programs that speak with OpenAI's models."},
    {"name": "webhooks", "description": "What platforms tell the service."},
    {"name": "operation", "description": "For probes and scrapers."},
]

_STREAM = """\
The answer. With `"stream": true` it is a stream of server-sent events, each with JSON as its data:

1. `passages`, once: `{"passages": [Passage…], "index": Index}`, what the answer is made from;
2. `token`, any number: `{"text": "…"}`, the next piece of the answer;
3. `answer`, last: the whole Answer, which alone is final (it replaces the tokens when the model failed in the middle);
   or `error`, last: the same object as in an error response.

Lines that start with `:` keep the connection open. What fails before the first event is an ordinary error response.

"""


def _event(name: str, model: str) -> dict[str, Any]:
    data = {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": {"$ref": REF.format(model=model)},
    }
    return {"type": "object", "required": ["event", "data"], "properties": {"event": {"const": name}, "data": data}}


# Before OpenAPI 3.2 the schema of a stream is that of its events.
_EVENTS: Final = {
    "oneOf": [
        _event("passages", "SearchResponse"),
        _event("token", "Token"),
        _event("answer", "Answer"),
        _event("error", "ErrorBody"),
    ]
}
_HEADERS: Final = {
    "WWW-Authenticate": "How to show a key: `Bearer`.",
    "Retry-After": "After how many seconds to ask again.",
    "Connection": "`close`: nothing more is read on this connection.",
    "Accept-Encoding": "The encodings of bodies that are taken.",
}


def header(description: str) -> dict[str, Any]:
    return {"description": description, "schema": {"type": "string"}}


def refusal(description: str, problem: Problem) -> dict[str, Any]:
    """A response as it is sent for a problem, which is its example."""
    headers = {name: header(_HEADERS[name]) for name in problem.headers}
    content = {"application/json": {"schema": ERROR_BODY, "example": problem.body}}
    return {"description": description, "content": content} | ({"headers": headers} if headers else {})


UNAVAILABLE: Responses = {
    503: refusal(
        "Nothing is indexed yet, the index or the database cannot be read, or too many wait.",
        unavailable("index_missing", "Nothing is indexed yet: run `repopilot index SOURCE`."),
    )
}
READ: Responses = {
    400: refusal("The body is not JSON in UTF-8.", bad_json(14)),
    422: refusal(
        "A field is missing or wrong; the message names it.", Problem(422, "invalid", "question: must not be blank.")
    ),
}
VERSION: Responses = {
    404: refusal(
        "That repository or version is not indexed.",
        Problem(404, "unknown_version", "acme/engine is not indexed at v9."),
    ),
    **UNAVAILABLE,
}
SEARCH: Responses = {**READ, **VERSION}
ASK: Responses = {
    **READ,
    **VERSION,
    200: {
        "description": f"{_STREAM}```\n{examples.STREAM}```",
        "headers": {"Idempotent-Replayed": header("`true`: the answer was given before to the same Idempotency-Key.")},
        "content": {
            "text/event-stream": {"schema": _EVENTS, "example": examples.EVENT},
        },
    },
    400: refusal("The body is not JSON in UTF-8, or the Idempotency-Key is malformed.", MALFORMED),
    409: refusal("The question with this Idempotency-Key is being answered.", IN_PROGRESS),
    422: refusal("A field is missing or wrong, or the Idempotency-Key was sent with another question.", REUSED),
}
FEEDBACK: Responses = {
    **READ,
    404: refusal("There is no such answer.", Problem(404, "unknown_answer", "There is no such answer.")),
}
SOURCE: Responses = {
    200: {
        "description": "The file's text.",
        "content": {"text/plain": {"schema": {"type": "string"}, "example": examples.SOURCE}},
    },
    404: refusal("No indexed version has this file.", Problem(404, "not_found", "No indexed version has this file.")),
}
METRICS: Responses = {
    200: {
        "description": "Everything that is counted and measured, in Prometheus' formats.",
        "content": {
            "text/plain": {"schema": {"type": "string"}},
            "application/openmetrics-text": {"schema": {"type": "string"}},
        },
    }
}
HOOK: Responses = {
    202: {
        "description": "Accepted: it is noted and queued, or there is nothing to do.",
        "content": {"application/json": {"schema": {"type": "object"}, "example": {"status": "queued"}}},
    },
    400: refusal("It is neither JSON nor a form with JSON in its `payload`.", bad_json(14)),
    401: refusal("The signature is missing or wrong.", Problem(401, "unauthorized", "The signature is wrong.")),
    404: refusal("GitHub is not set up here.", Problem(404, "not_found", "GitHub is not set up here.")),
    500: refusal("Something is wrong with the service; GitHub can deliver it again.", INTERNAL),
}
# The body is read as bytes, since they are what is signed.
DELIVERY: dict[str, Any] = {
    "parameters": [
        {
            "name": name,
            "in": "header",
            "description": words,
            "required": required,
            "schema": {"type": "string"},
            "example": example,
        }
        for name, words, required, example in (
            ("X-Hub-Signature-256", "HMAC-SHA256 of the body.", True, "sha256=" + "0" * 64),
            ("X-GitHub-Event", "What happened.", True, "issue_comment"),
            ("X-GitHub-Delivery", "The delivery's id.", False, "72d3162e-cc78-11e3-81ab-4c9367dc0958"),
        )
    ],
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"type": "object"}, "example": examples.DELIVERY}},
    },
}
