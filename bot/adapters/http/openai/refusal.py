"""The service's errors as OpenAI's clients expect them: the same code and sentence, with a type and a parameter.

https://platform.openai.com/docs/guides/error-codes
"""

from __future__ import annotations

from typing import Final

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from bot.adapters.http.openai.wire import Failure, FailureBody
from bot.adapters.http.problem import Problem, explained
from bot.model import Busy

_TYPES: Final = {401: "authentication_error", 429: "rate_limit_error"}
# What the clients obey: an index that is missing now will be missing after their next two tries.
_NO_USE: Final = {"x-should-retry": "false"}


def error_body(problem: Problem, param: str | None = None) -> FailureBody:
    kind = _TYPES.get(problem.status, "server_error" if problem.status >= 500 else "invalid_request_error")
    return FailureBody(error=Failure(message=problem.message, type=kind, param=param, code=problem.code))


def refusal(error: Exception) -> JSONResponse:
    """The response to a request of `/v1` that failed. What is wrong with a body is 400 there, not 422."""
    problem = explained(error)
    status = 400 if problem.status == 422 else problem.status
    lasts = status == 503 and not isinstance(error, Busy)
    headers = {**problem.headers, **(_NO_USE if lasts else {})}
    return JSONResponse(error_body(problem, _param(error)).model_dump(), status, headers=headers)


def _param(error: Exception) -> str | None:
    """The field that is wrong first; those within a message go by the message."""
    if not isinstance(error, RequestValidationError):
        return None
    loc = error.errors()[0]["loc"][1:]
    return str(loc[0]) + "".join(f"[{part}]" for part in loc[1:2] if isinstance(part, int)) if loc else None
