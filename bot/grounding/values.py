"""Numbers in a text, in one spelling: `1,000`, `1_000` and `1000`; `0.90` and `0.9`; `90 %` and `0.9`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_UNIT: Final = (
    r"(?:[KMGTkmgt]i?[Bb]?|B|[mµu]?s|[hx]|(?:milli|micro)?seconds?|minutes?|hours?|days?|bytes?|Sekunden?|secondes?)"
)
# Not the 256 of `SHA-256`, nor the 16 of `float16`.
_VALUE: Final = re.compile(
    rf"(?<![\w.])(?<![A-Za-z]-)[vV]?(?P<number>\d[\d,_\u00a0\u202f]*(?:\.\d+)*(?:[eE][+-]?\d+)?)"
    rf"(?:\s?(?P<percent>%|percent\b)|\s?(?P<unit>{_UNIT}))?(?!\w|\.\w)"
)
# A single digit counts things more often than it is a value, but for one with a unit, or that something is set to.
_SET_TO: Final = re.compile(r"(?:=\s?|[:：]\s|\b(?:is|are|to|at|equals|defaults?|ist|est|es)\s|[为是])\Z")
_GROUPED: Final = re.compile(r"\d{1,3}(?:[,_\u00a0\u202f]\d{3})+(?:\.\d+)?")
_DECIMAL_COMMA: Final = re.compile(r"\d+,\d+")
_SEPARATORS: Final = ",_\u00a0\u202f"
_WORDED: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty".split()
)
_WORD: Final = re.compile(rf"\b(?:{'|'.join(_WORDED)})\b", re.IGNORECASE)
_LONGEST: Final = 20


def claimed_values(text: str, code: bool = False) -> frozenset[str]:
    """The values that a text states: numbers of two characters or more, and digits with a unit or that something
    is set to; in `code`, one that stands last. Percentages end with `%`."""
    return frozenset(
        value for found in _VALUE.finditer(text) if _is_value(text, found, code) for value in _spelled(found)
    )


def held_values(text: str) -> frozenset[str]:
    """Every value that a text can be cited for, in all the ways in which it may be said."""
    written = (value for found in _VALUE.finditer(text) for value in _spelled(found))
    worded = (str(_WORDED.index(word.lower())) for word in _WORD.findall(text))
    return frozenset(said for value in (*written, *worded) for said in _ways(value.rstrip("%"), value))


def _is_value(text: str, found: re.Match[str], code: bool) -> bool:
    if len(found["number"].strip(_SEPARATORS)) > 1 or found["percent"] or found["unit"]:
        return True
    start = found.start()
    return (code and found.end() == len(text)) or _SET_TO.search(text, max(0, start - 12), start) is not None


def _spelled(found: re.Match[str]) -> list[str]:
    number, percent = found["number"].lower(), "%" if found["percent"] else ""
    if _GROUPED.fullmatch(number):
        number = re.sub(f"[{_SEPARATORS}]", "", number)
    elif _DECIMAL_COMMA.fullmatch(number):
        number = number.replace(",", ".")
    return [plain_number(part) + percent for part in re.split(f"[{_SEPARATORS}]", number) if part]


def plain_number(number: str) -> str:
    """A number without zeros that say nothing; a version of three parts or more as it is."""
    if number.count(".") > 1 or "e" in number:
        return number
    number = number.lstrip("0") or "0"
    number = number.rstrip("0").rstrip(".") if "." in number else number
    return f"0{number}" if number.startswith(".") else number or "0"


def _ways(number: str, value: str) -> Iterator[str]:
    yield from (number, f"{number}%")
    if len(number) > _LONGEST or number.count(".") > 1 or "e" in number:
        return
    if value.endswith("%"):
        yield f"{float(number) / 100:g}"
    elif number.startswith("0."):
        yield f"{float(number) * 100:g}%"
    elif number.isdecimal() and len(number) > 3:
        yield plain_number(f"{int(number):,}".replace(",", "."))  # as Germans group digits: 16.384
