"""Whether a delivery comes from GitHub: HMAC-SHA256 over the raw bytes, compared in constant time.

https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
"""

from __future__ import annotations

import hmac


def verified(secret: str, body: bytes, header: str | None) -> bool:
    """Whether `X-Hub-Signature-256` is the signature of these bytes; a header that is missing or malformed is wrong."""
    if not secret or not header:
        return False
    expected = "sha256=" + hmac.digest(secret.encode(), body, "sha256").hex()
    return hmac.compare_digest(expected.encode(), header.encode("utf-8", "surrogateescape"))
