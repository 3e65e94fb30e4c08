"""The ways in which Discord refuses a request: https://discord.com/developers/docs/topics/opcodes-and-status-codes"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

INVALID_FORM_BODY = 50_035


class Problem(Exception):
    """An error as the REST API answers it: a status, a code of Discord's own, and sometimes what is wrong where."""

    def __init__(
        self,
        status: int,
        code: int,
        message: str,
        *,
        errors: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.errors, self.headers, self.more = errors, dict(headers or {}), dict(more or {})

    @property
    def document(self) -> dict[str, Any]:
        errors = {"errors": dict(self.errors)} if self.errors else {}
        return {"message": self.message, "code": self.code, **errors, **self.more}


def invalid(where: str, code: str, message: str) -> Problem:
    """50035 with what is wrong at a field, whose path is written with dots."""
    tree: dict[str, Any] = {"_errors": [{"code": code, "message": message}]}
    for name in reversed(where.split(".")):
        tree = {name: tree}
    return Problem(400, INVALID_FORM_BODY, "Invalid Form Body", errors=tree)


def too_long(where: str, most: int) -> Problem:
    return invalid(where, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")


def bad_length(where: str, least: int, most: int) -> Problem:
    return invalid(where, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")


def unauthorized() -> Problem:
    return Problem(401, 0, "401: Unauthorized")


def not_found() -> Problem:
    """A path that does not exist."""
    return Problem(404, 0, "404: Not Found")


def unknown_channel() -> Problem:
    return Problem(404, 10_003, "Unknown Channel")


def unknown_guild() -> Problem:
    return Problem(404, 10_004, "Unknown Guild")


def unknown_message() -> Problem:
    return Problem(404, 10_008, "Unknown Message")


def unknown_user() -> Problem:
    return Problem(404, 10_013, "Unknown User")


def unknown_webhook() -> Problem:
    return Problem(404, 10_015, "Unknown Webhook")


def unknown_interaction() -> Problem:
    return Problem(404, 10_062, "Unknown interaction")


def already_acknowledged() -> Problem:
    return Problem(400, 40_060, "Interaction has already been acknowledged.")


def post_without_starter() -> Problem:
    message = "Cannot message this thread until after the post author has sent an initial message."
    return Problem(400, 40_058, message)


def missing_access() -> Problem:
    return Problem(403, 50_001, "Missing Access")


def authored_by_another() -> Problem:
    return Problem(403, 50_005, "Cannot edit a message authored by another user")


def empty_message() -> Problem:
    return Problem(400, 50_006, "Cannot send an empty message")


def closed_to_messages() -> Problem:
    return Problem(403, 50_007, "Cannot send messages to this user")


def missing_permissions() -> Problem:
    return Problem(403, 50_013, "Missing Permissions")


def wrong_channel_type() -> Problem:
    return Problem(400, 50_024, "Cannot execute action on this channel type")


def invalid_webhook_token() -> Problem:
    return Problem(401, 50_027, "Invalid Webhook Token")


def archived() -> Problem:
    return Problem(400, 50_083, "Thread is archived")


def no_json() -> Problem:
    return Problem(400, 50_109, "The request body contains invalid JSON.")


def thread_exists() -> Problem:
    return Problem(400, 160_004, "A thread has already been created for this message")


def locked() -> Problem:
    return Problem(400, 160_005, "Thread is locked")
