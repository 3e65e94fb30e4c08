"""The ways in which GitHub refuses a request, in its own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

DOCS = "https://docs.github.com/rest"
BODY_LIMIT = 65_536
TOO_LONG = f"Body is too long (maximum is {BODY_LIMIT} characters)"


class Problem(Exception):
    """An error as the REST API answers it: a status, a message, and sometimes what is wrong with each field."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.errors, self.headers = status, message, errors, dict(headers or {})

    @property
    def document(self) -> dict[str, Any]:
        errors = {"errors": list(self.errors)} if self.errors else {}
        return {"message": self.message, **errors, "documentation_url": DOCS, "status": str(self.status)}


class GraphProblem(Exception):
    """An error as GraphQL answers it, with status 200 and a type."""

    def __init__(self, type_: str, message: str) -> None:
        super().__init__(message)
        self.type = type_


def not_found() -> Problem:
    return Problem(404, "Not Found")


def bad_credentials() -> Problem:
    return Problem(401, "Bad credentials")


def needs_credentials() -> Problem:
    return Problem(401, "Requires authentication")


def not_accessible(permission: str = "", level: str = "") -> Problem:
    """https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api#resource-not-accessible"""
    accepted = {"X-Accepted-GitHub-Permissions": f"{permission}={level}"} if permission else {}
    return Problem(403, "Resource not accessible by integration", headers=accepted)


def too_long(resource: str) -> Problem:
    error = {"resource": resource, "code": "unprocessable", "field": "data", "message": TOO_LONG}
    return Problem(422, "Validation Failed", errors=[error])


def missing(resource: str, field: str) -> Problem:
    return Problem(422, "Validation Failed", errors=[{"resource": resource, "code": "missing_field", "field": field}])


def no_json() -> Problem:
    return Problem(400, "Problems parsing JSON")
