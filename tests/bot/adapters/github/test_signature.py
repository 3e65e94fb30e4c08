"""https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries has the first example."""

from __future__ import annotations

import pytest

from bot.adapters.github.signature import verified

SECRET = "It's a Secret to Everybody"
SIGNATURE = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


def test_githubs_own_example() -> None:
    assert verified(SECRET, b"Hello, World!", SIGNATURE)


@pytest.mark.parametrize(
    ("secret", "body", "header"),
    [
        (SECRET, b"Hello, World", SIGNATURE),
        ("another", b"Hello, World!", SIGNATURE),
        ("", b"Hello, World!", SIGNATURE),
        (SECRET, b"Hello, World!", None),
        (SECRET, b"Hello, World!", ""),
        (SECRET, b"Hello, World!", "sha256="),
        (SECRET, b"Hello, World!", SIGNATURE.removeprefix("sha256=")),
        (SECRET, b"Hello, World!", SIGNATURE.replace("sha256", "sha1")),
        (SECRET, b"Hello, World!", "sha256=é\udcff"),
    ],
)
def test_anything_else_is_wrong(secret: str, body: bytes, header: str | None) -> None:
    assert not verified(secret, body, header)
