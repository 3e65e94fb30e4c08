"""The name that git gives to bytes, for the sources that git does not keep."""

from __future__ import annotations

import hashlib
from typing import Protocol

_PIECE = 1 << 20


class Reader(Protocol):
    def read(self, size: int, /) -> bytes: ...


def blob_id(data: bytes) -> str:
    """Return the git blob SHA-1 of `data` (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects)."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def stream_blob_id(stream: Reader, size: int) -> str:
    """Return the git blob SHA-1 of the next `size` bytes of `stream`, in constant memory.

    Raises EOFError when there are fewer.
    """
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    while size:
        piece = stream.read(min(size, _PIECE))
        if not piece:
            raise EOFError("fewer bytes than announced")
        digest.update(piece)
        size -= len(piece)
    return digest.hexdigest()
