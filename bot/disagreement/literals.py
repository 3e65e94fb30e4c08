"""A default as documents and code write it becomes a value that can be compared, or nothing. Pure functions."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Final

Value = bool | Decimal | str
"""What a literal says, whoever wrote it: `1_000`, `1000` and `"1000"` are one number, `true` and `True` one truth."""

# A number, perhaps with the suffix of its type; a quoted text; a truth. Nothing that has to be computed.
LITERAL: Final = (
    r"[-+]?(?:0[xX][0-9a-fA-F_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][-+]?\d+)?)"
    r"(?:[fFlLuU]{1,3}|[iu](?:8|16|32|64|128|size)|f(?:32|64))?(?![\w.])"
    r"|\"[^\"\\\n{}]*\"|'[^'\\\n{}]*'|(?:True|False|true|false)(?!\w)"
)
_NUMBER: Final = re.compile(
    r"([-+]?)(?:0[xX]([0-9a-fA-F_]+)|((?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][-+]?\d{1,3})?))"
    r"(?:[fFlLuU]{1,3}|[iu](?:8|16|32|64|128|size)|f(?:32|64))?"
)
_THOUSANDS: Final = re.compile(r"-?\d{1,3}(?:,\d{3})+")
_BINARY: Final = frozenset((Decimal(0), Decimal(1)))
_TRUTHS: Final = {"true": True, "false": False}
# Words for no value: what then holds is decided elsewhere.
_NOTHING: Final = frozenset(("", "none", "null", "nil", "unset", "undefined", "nan", "n/a", "auto-detected", "-", "—"))
# Longer texts are prose, and those with such signs a template or a list.
LONGEST_TEXT: Final = 60
_NO_TEXT: Final = re.compile(r"[\s<>{}$\[\](),;|=*`]|\.\.\.|…")


def value_of(literal: str) -> Value | None:
    """The value of a literal with or without its quotes, or None for no value and what cannot be compared."""
    text = literal.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    text = text[1:-1] if quoted else text
    if text.lower() in _NOTHING or len(text) > LONGEST_TEXT or _NO_TEXT.search(text.replace(",", "")):
        return None
    if text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    number = _number(text.replace(",", "") if _THOUSANDS.fullmatch(text) else text)
    return number if number is not None else None if "," in text else text


def same(one: Value, other: Value) -> bool | None:
    """Whether two values are the same; None when nobody can tell: a number and a text, or a truth and a number that is
    neither 0 nor 1."""
    if isinstance(one, str) != isinstance(other, str):
        return None
    if isinstance(one, str) or isinstance(other, str):
        return _folded(str(one)) == _folded(str(other))
    numbers = {Decimal(one), Decimal(other)}
    return len(numbers) == 1 if isinstance(one, bool) == isinstance(other, bool) or numbers <= _BINARY else None


def _number(text: str) -> Decimal | None:
    found = _NUMBER.fullmatch(text)
    if not found:
        return None
    sign, hexadecimal, decimal = found.groups()
    try:
        size = (
            Decimal(int(hexadecimal.replace("_", "") or "0", 16)) if hexadecimal else Decimal(decimal.replace("_", ""))
        )
    except InvalidOperation:
        return None
    return -size if sign == "-" else size


def _folded(text: str) -> str:
    return re.sub(r"[-_]", "", text).lower()
