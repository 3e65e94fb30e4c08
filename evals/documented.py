"""Code becomes what its docstrings, comments and help texts say of a definition, one plain sentence each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evals.corpus import Spot, Text
from evals.prose import Sentence

FEWEST_WORDS, MOST_WORDS = 5, 34
# Sentences that lean on what stands around them.
LEANING = re.compile(
    r"^(this|these|that|those|it|its|they|here|there|see|such|for example|e\.g|i\.e|then|note:|below|above|the (above|"
    r"following|former|latter|same))\b|\b(when|if) (this|these|it)\b|"
    r"\b(above|below|following|previous section|as described|deprecated|hereby)\b|:$",
    re.IGNORECASE,
)
HELP = re.compile(r"""(?:help|description|desc)["']?\s*[=:]\s*\(?\s*[rf]?((?:["'][^"'\n]+["']\s*)+)""")


def said_of(spot: Spot, text: Text) -> str:
    """The first sentence that documents a definition: its docstring, or the comment above it."""
    if text.language == "python":
        return first_sentence(docstring(text.lines[spot.start_line - 1 : spot.end_line]))
    return first_sentence(" ".join(comment_above(text.lines, spot.start_line)))


def first_sentence(said: str) -> str:
    """The first sentence, markup taken out; empty when it is no plain sentence."""
    said = re.split(r"\n\s*\n|\n\s*(?::|@|\\|\.\. |[-=]{3,}|Args|Parameters)", said.strip())[0]
    said = re.sub(r"^\\?@?\\?brief\s+", "", re.sub(r"\s+", " ", said))
    plain = Sentence(said, "", 0).plain()
    first = re.split(r"(?<=[\w)'\"])\.(?:\s|$)", plain)[0].strip()
    odd = LEANING.search(first) or re.search(r"https?:|>>>|[{}=<>\\]|\bTODO\b|[Cc]opyright|#\d|\.\.\s", first)
    return "" if odd or not FEWEST_WORDS - 1 <= len(first.split()) <= MOST_WORDS else first


def docstring(lines: Sequence[str]) -> str:
    """The text of the docstring that follows a Python signature; empty when there is none."""
    body = next((n for n, line in enumerate(lines) if re.search(r":\s*(#.*)?$", line)), None)
    if body is None:
        return ""
    rest = "\n".join(lines[body + 1 :]).lstrip()
    match = re.match(r'[rRbBuU]?"""(.*?)(?:"""|\Z)', rest, re.DOTALL)
    return match[1] if match else ""


def comment_above(lines: Sequence[str], start: int) -> list[str]:
    """The comment lines right above line `start`, without their marks."""
    said: list[str] = []
    for line in reversed(lines[max(0, start - 20) : start - 1]):
        bare = line.strip()
        if bare.startswith(("#[", "@", "template")):
            continue
        match = re.match(r"(?:///?!?|/\*+!?|\*+/?|#:?)\s?(.*?)\s*(?:\*/)?$", bare)
        if not match:
            break
        said.insert(0, match[1])
        if bare.startswith("/*"):
            break
    return [line for line in said if line.strip("/*- ")]


def comment_on(lines: Sequence[str], spot: Spot) -> str:
    """The comment above a one-line definition, unless it is about a group of them."""
    below = lines[spot.end_line].strip() if spot.end_line < len(lines) else ""
    grouped = spot.noun == "constant" and below and not below.startswith(("#", "/", "*", "}", ")", '"'))
    said = [] if grouped else comment_above(lines, spot.start_line)
    keyed = [line for line in said if line.startswith("desc = ")]  # as in generated parameter documentation
    return keyed[0].removeprefix("desc = ") if keyed else " ".join(said)


def help_in(statement: str) -> str:
    match = HELP.search(statement)
    return "".join(re.findall(r"[\"']([^\"']+)[\"']", match[1])) if match else ""


def string_below(lines: Sequence[str], end: int) -> str:
    """The string that documents the field above it, as attribute docstrings do."""
    rest = "\n".join(lines[end : end + 6]).lstrip("\n")
    match = re.match(r'\s*[rf]?"""(.*?)"""', rest, re.DOTALL)
    return match[1] if match else ""
