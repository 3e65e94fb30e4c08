"""Bodies: how large, in which form and how fast they must come, decided before one is parsed."""

from __future__ import annotations

import asyncio
from email.message import Message as Mail
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Message, Receive

from bot.adapters.http.problem import Problem, Refused

# The rest of the body is not waited for.
_CLOSE: Final = {"Connection": "close"}
UNSUPPORTED: Final = Problem(
    415, "unsupported_media_type", "Send JSON in UTF-8, with `Content-Type: application/json`."
)
ENCODED: Final = Problem(
    415,
    "unsupported_encoding",
    "Send the body as it is, without a Content-Encoding.",
    {"Accept-Encoding": "identity"},  # RFC 9110 §12.5.3: so a 415 says which encodings would do
)
SLOW: Final = Problem(408, "too_slow", "The body did not come in time.", _CLOSE)
_UTF_8: Final = (None, "utf-8", "utf8", "us-ascii")


def too_large(largest: int) -> Problem:
    return Problem(413, "too_large", f"The body is larger than {largest // 1024} KiB.", _CLOSE)


def oversized(headers: Headers, largest: int) -> Problem | None:
    declared = headers.get("content-length", "")
    return too_large(largest) if declared.isdecimal() and int(declared) > largest else None


def unreadable(method: str, headers: Headers) -> Problem | None:
    """A body without a type is taken for JSON, unless a page sent it: browsers let any page send such a body here."""
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    if method != "POST" or not has_body:
        return None
    if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        return ENCODED
    declared = headers.get("content-type")
    if declared is None:
        return UNSUPPORTED if "origin" in headers else None
    return None if _is_json(declared) else UNSUPPORTED


def _is_json(declared: str) -> bool:
    mail = Mail()
    mail["Content-Type"] = declared
    kind = declared.partition(";")[0].strip().lower()
    is_json = kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
    return is_json and mail.get_content_charset() in _UTF_8


def limited(receive: Receive, largest: int, seconds: float) -> Receive:
    """The same messages, until a body is larger than its limit or takes longer to come. Raises Refused then."""
    received, whole = 0, False
    ends = asyncio.get_running_loop().time() + seconds

    async def counted() -> Message:
        nonlocal received, whole
        if whole:
            return await receive()
        try:
            async with asyncio.timeout_at(ends):
                message = await receive()
        except TimeoutError:
            raise Refused(SLOW) from None
        received += len(message.get("body", b""))
        whole = not message.get("more_body", False)
        if received > largest:
            raise Refused(too_large(largest))
        return message

    return counted
