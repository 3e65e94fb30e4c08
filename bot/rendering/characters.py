"""Text without the characters that a reader cannot see, and that steer terminals, directions or models."""

from __future__ import annotations

from typing import Final

import regex

# ECMA-48 control sequences and strings. A string without an end takes the rest of its line along, unless it begins with
# a C1 control: these are more often what a wrong decoding left of a quotation mark.
_ANSI: Final = regex.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|[\x90\x98\x9d-\x9f][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_LINE_ENDS: Final = regex.compile(r"\r\n?|[\u2028\u2029\x85]")
# Controls, directions, zero widths, fillers, tags, variation selectors that only hide data, noncharacters. What joins
# emoji, or letters of scripts that need it, is looked at by itself.
_UNSEEN: Final = regex.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff\p{Noncharacter_Code_Point}]"
)
_JOINERS: Final = regex.compile(
    r"(?<![\p{Extended_Pictographic}\p{EMod}\ufe0f])\u200d|\u200d(?!\p{Extended_Pictographic})"
)
_COMPLEX: Final = (
    r"\p{Arabic}\p{Syriac}\p{Mongolian}\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Oriya}\p{Tamil}\p{Telugu}\p{Kannada}"
    r"\p{Malayalam}\p{Sinhala}\p{Khmer}\p{Myanmar}"
)
_IN_A_WORD: Final = regex.compile(rf"(?<=[{_COMPLEX}])[\u200c\u200d](?=[{_COMPLEX}\s]|\Z)")
_SELECTORS: Final = regex.compile(r"(?<=^|[\ufe00-\ufe0f\s])[\ufe00-\ufe0f]+", regex.MULTILINE)
_SURROGATES: Final = regex.compile(r"[\ud800-\udfff]")


def visible(text: str) -> str:
    """The text with only line feeds as line ends and nothing unseen in it; what is no character becomes U+FFFD.

    Doing it twice changes nothing more.
    """
    text = _LINE_ENDS.sub("\n", _ANSI.sub("", text))
    text = _SURROGATES.sub("\ufffd", _UNSEEN.sub("", text))
    if "\u200c" in text or "\u200d" in text:
        text = _without_joiners(text)
    return _SELECTORS.sub("", text)


def _without_joiners(text: str) -> str:
    kept = {found.start() for found in _IN_A_WORD.finditer(text)}
    loose = {found.start() for found in _JOINERS.finditer(text)} | {
        at for at, char in enumerate(text) if char == "\u200c"
    }
    return "".join(char for at, char in enumerate(text) if at not in loose or at in kept)


def graphemes(text: str) -> list[str]:
    """What a reader takes for one character each: https://unicode.org/reports/tr29/"""
    found: list[str] = regex.findall(r"\X", text)
    return found
