"""Bytes of a source file become text: always an answer, and always with the file's own line ends."""

from __future__ import annotations

import codecs
import re

from indexer.types import SourceFile

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_COOKIE = re.compile(rb"\A(?:[ \t\f]*(?:#[^\n]*)?\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")
_PYTHON = (".py", ".pyi", ".pyx", ".pxd")


def decode(file: SourceFile) -> str:
    """Return the text of `file`: byte order mark, UTF-8, PEP 263 cookie (Python only), then Windows-1252.

    What no encoding explains becomes U+FFFD, so this never raises and a file is never lost for one odd byte.
    """
    mark, encoding = byte_order_mark(file.data)
    if mark:
        return file.data[len(mark) :].decode(encoding, "replace")
    try:
        return file.data.decode("utf-8")
    except UnicodeDecodeError:
        return _by_cookie(file) or file.data.decode("cp1252", "replace")


def byte_order_mark(data: bytes) -> tuple[bytes, str]:
    """Return the byte order mark that `data` starts with and the encoding it tells, or two empty values."""
    return next(((mark, encoding) for mark, encoding in _MARKS if data.startswith(mark)), (b"", ""))


def without_lone_surrogates(text: str) -> str:
    """Return `text` with a ? for each half of a surrogate pair, which escapes can make and no UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _by_cookie(file: SourceFile) -> str | None:
    """Return the text by the encoding that a Python file names in its first two lines (PEP 263), if that works."""
    cookie = _COOKIE.match(file.data) if file.path.endswith(_PYTHON) else None
    if cookie is None:
        return None
    try:
        text = without_lone_surrogates(file.data.decode(cookie[1].decode("ascii", "replace"), "replace"))
    except (LookupError, ValueError):
        return None
    # An encoding that is no superset of ASCII (unicode_escape, utf-7) would move the lines that links point at.
    return text if text.count("\n") == file.data.count(b"\n") else None
