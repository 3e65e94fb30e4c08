"""Everything that can go wrong becomes one small error: a status, a code, a sentence, and what to do about it.

No message repeats what the client sent, and none shows this machine's files or addresses: those go to the log.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException

from bot.keys import KeysUnavailable
from bot.model import Busy
from indexer.errors import EmbedderError, EmbedderMismatch, IndexDamaged, IndexMissing, RepoPilotError, StorageError

log = logging.getLogger("repopilot.http")

# Somebody has to run `repopilot index`, or to mend something: no use in asking again at once.
RETRY_AFTER_S = 30
# Faults of one request that are named; a history of fifty wrong turns needs no fifty sentences.
MOST_FAULTS = 3


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as clients see it."""

    status: int
    code: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, dict[str, str]]:
        return {"error": {"code": self.code, "message": self.message}}

    def response(self) -> JSONResponse:
        return JSONResponse(self.body, self.status, headers=dict(self.headers))


class Refused(HTTPException):
    """A request that goes no further. (FastAPI passes on HTTPException alone when reading a body fails.)"""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.status, problem.message)
        self.problem = problem


INTERNAL = Problem(500, "internal", "Something went wrong here; it is logged. Trying again may help.")
BAD_HTTP = Problem(
    400, "bad_http", "This is no valid HTTP request, or its headers are too large.", {"Connection": "close"}
)
_FRAMEWORK = {
    400: ("bad_request", "The body cannot be read: send JSON in UTF-8."),
    404: ("not_found", "There is nothing at this address; /openapi.json lists what there is."),
    405: ("method_not_allowed", "This address does not take that method; the Allow header names those it does."),
}
DATABASE = "The service's database cannot be reached now; its maintainer has to look at the log."
# None: the error's own words, which name nothing of this machine.
_UNAVAILABLE: Mapping[type[Exception], tuple[str, str | None]] = {
    Busy: ("busy", None),
    IndexMissing: ("index_missing", None),
    EmbedderMismatch: ("embedder_mismatch", None),
    IndexDamaged: ("index_damaged", "The index is damaged; its maintainer has to run `repopilot index` again."),
    EmbedderError: ("embedder_unavailable", "The embedder cannot be reached, so the index cannot be searched now."),
    KeysUnavailable: ("database_unavailable", DATABASE),
    OperationalError: ("database_unavailable", DATABASE),
    StorageError: ("storage_unavailable", "The index cannot be read now; its maintainer has to look at the log."),
}


def problem_of(error: Exception) -> Problem:
    """What a client is told of an error."""
    match error:
        case Refused():
            return error.problem
        case HTTPException():
            code, message = _FRAMEWORK.get(error.status_code, ("error", "The request cannot be answered."))
            return Problem(error.status_code, code, message, _with_head(error.headers or {}))
        case RequestValidationError():
            return _invalid(error.errors())
    code, words = next((told for kind, told in _UNAVAILABLE.items() if isinstance(error, kind)), ("", None))
    seconds = error.retry_after if isinstance(error, Busy) else RETRY_AFTER_S
    return unavailable(code, words or str(error), seconds) if code else INTERNAL


def explained(error: Exception) -> Problem:
    """The same, with what is kept from the client in the log."""
    problem = problem_of(error)
    if problem is INTERNAL:
        log.error("a request failed", exc_info=error)
    elif isinstance(error, RepoPilotError | OperationalError) and problem.message != str(error):
        log.error("%s: %s", problem.code, f"{error} ({error.__cause__})" if error.__cause__ else error)
    return problem


def unavailable(code: str, message: str, seconds: int = RETRY_AFTER_S) -> Problem:
    return Problem(503, code, message, {"Retry-After": str(seconds)})


def _with_head(headers: Mapping[str, str]) -> dict[str, str]:
    """Whatever takes GET takes HEAD too: see Journal."""
    allowed = {name: set(value.split(", ")) for name, value in headers.items() if name.lower() == "allow"}
    more = {name: ", ".join(sorted(methods | {"HEAD"})) for name, methods in allowed.items() if "GET" in methods}
    return dict(headers) | more


def bad_json(character: int) -> Problem:
    return Problem(400, "bad_json", f"The body is not valid JSON (at character {character}).")


def _invalid(errors: Sequence[Any]) -> Problem:
    broken = next((error for error in errors if error["type"] == "json_invalid"), None)
    if broken:
        return bad_json(broken["loc"][-1])
    faults = [_fault(error) for error in errors[:MOST_FAULTS]]
    more = [f"and {len(errors) - MOST_FAULTS} more"] if len(errors) > MOST_FAULTS else []
    return Problem(422, "invalid", "; ".join(faults + more) + ".")


def _fault(error: Mapping[str, Any]) -> str:
    """`history[0].role: input should be 'user' or 'assistant'`: pydantic's words, none of which repeat the input."""
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"][1:])
    words = {"missing": "is missing", "string_pattern_mismatch": "must not be blank"}.get(error["type"], error["msg"])
    return f"{place.removeprefix('.') or 'the body'}: {words[:1].lower()}{words[1:]}"
