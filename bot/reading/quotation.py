"""Words of a repository become Markdown that shows them and does nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

# The info strings that both GitHub and Discord highlight, where they differ from the language's own name.
INFO_STRINGS: Final = {
    "cuda": "cpp",
    "cython": "python",
    "notebook": "python",
    "jinja": "text",
    "rst": "text",
    "plain": "text",
}
_INFO_STRING: Final = re.compile(r"[A-Za-z0-9+#_.-]{1,20}")
_TICKS: Final = re.compile(r"`+")
# What a code host or a chat would turn into a ping, a reference or a link, and what would pass for our own citations.
_LIVE: Final = re.compile(
    r"(?:(?:https?|ftp)://[^\s<>`]*[^\s<>`.,;:!?'\")\]}*_]|\bwww\.[^\s<>`]+"  # links
    r"|(?<![\w`@])@[\w&!][\w./-]*\w|(?<![\w`@])@\w"  # mentions
    r"|(?:[\w.-]+/[\w.-]+)?#\d+\b|\bGH-\d+\b"  # issues
    r"|[\w.]*(?:\[\^?\d+(?:\s*[,;–-]\s*\d+)*\]|【[^】]*】))+"  # citations
)
_MARKUP: Final = re.compile(r"[\\`*\[\]<>~|]|(?<![^\W_])_|_(?![^\W_])|&(?=[\w#]+;)")


def span(text: str) -> str:
    """A code span that shows the text whatever backticks it has."""
    text = " ".join(text.split()) or " "
    ticks = "`" * (max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def words(text: str) -> str:
    """Plain words with nothing left that is markup; what would ping, refer or link becomes a code span."""
    shown, at = [], 0
    for match in _LIVE.finditer(text):
        shown += [_MARKUP.sub(r"\\\g<0>", text[at : match.start()]), span(match[0])]
        at = match.end()
    return "".join((*shown, _MARKUP.sub(r"\\\g<0>", text[at:])))


def joined(pieces: Iterable[str]) -> str:
    """The pieces as one text in which code spans that would touch stay two."""
    text = ""
    for piece in pieces:
        text += f" {piece}" if text.endswith("`") and piece.startswith("`") else piece
    return text


def info_string(language: str) -> str:
    name = INFO_STRINGS.get(language, language)
    return name if _INFO_STRING.fullmatch(name) else ""


def fence(lines: Sequence[str], language: str) -> str:
    """The lines, dedented and otherwise untouched, in a fence that none of them can close."""
    lines = dedented(lines)
    longest = max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)
    ticks = "`" * max(3, longest + 1)
    return "\n".join((ticks + info_string(language), *lines, ticks))


def dedented(lines: Sequence[str]) -> list[str]:
    """The lines without the white space that all of them start with, blank ones empty."""
    lines = [line.rstrip("\r") if line.strip() else "" for line in lines]
    starts = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line]
    common = 0
    if starts:
        low, high = min(starts), max(starts)
        common = next((at for at, char in enumerate(low) if high[at : at + 1] != char), len(low))
    return [line[common:] for line in lines]


def quote(lines: Sequence[str]) -> str:
    """A block quotation."""
    return "\n".join(f"> {line}".rstrip() for line in lines)
