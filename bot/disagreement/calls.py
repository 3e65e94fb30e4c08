"""Defaults that code gives by a call or an attribute: options, flags, variables of the environment. Pure functions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bot.disagreement.literals import LITERAL

# Longer calls are not followed to their end.
LONGEST_CALL: Final = 2_000

_PLAIN: Final = re.compile(rf"\s*({LITERAL})(?=[ \t]*(?:[,;)\]}}\n]|#|//|$))")
_NAMED: Final = re.compile(r"\s*(?:\w+(?:\.|::))*([A-Z][A-Z\d]*_[A-Z\d_]+)(?=[ \t]*(?:[,;)\]}\n]|#|//|$))")
_CONSTANT: Final = re.compile(rf"\b([A-Z][A-Z\d]*_[A-Z\d_]+)\b[ \t]*(:[^=\n]+)?=(?!=){_PLAIN.pattern}")
_TOKEN: Final = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[()\[\]{},]")
_OPTION: Final = re.compile(r"\b(?:add_argument|add_option|[oO]ption)\(")
_FLAG: Final = re.compile(r"\s*[\"'](--[A-Za-z][\w-]+)(?:/[\w/-]+)?[\"']\s*$")
_DEFAULT: Final = re.compile(r"\s*default\s*=")
# Go's flag and pflag, gflags and absl: name, then default.
_NAMED_FLAG: Final = re.compile(
    r"\b(?:(?:Int|Uint|Bool|String|Float)\w*\(\s*(?:&?[\w.]+,\s*)?\"([A-Za-z][\w-]+)\",\s*(?:\"\w?\",\s*)?"
    r"|DEFINE_\w+\(\s*[\"']?([A-Za-z]\w+)[\"']?\s*,\s*)"
)
# https://docs.rs/clap/latest/clap/_derive/: the field after the attribute has the flag's name.
_CLAP: Final = re.compile(r"#\[(?:arg|clap|structopt)\(")
_CLAP_DEFAULT: Final = re.compile(r"\s*default_values?(?:_t|_os)?\s*=")
_CLAP_LONG: Final = re.compile(r"\s*long\s*=\s*\"([\w-]+)\"")
_CLAP_FIELD: Final = re.compile(r"\s*\](?:\s*(?:#\[[^\n]*\]|//[^\n]*))*\s*(?:pub(?:\([^)]*\))?\s+)?(\w+)\s*:")
_VARIABLE: Final = re.compile(r"([\w.:]+)!?\(\s*[\"']([A-Z][A-Z\d]*_[A-Z\d_]+)[\"']\s*(,|\))")
_KEY: Final = re.compile(r"\bget\w*\(\s*[\"']([a-z][a-z\d]*_[a-z\d_]+)[\"']\s*,")
_READS: Final = re.compile(r"get|env|read|lookup|var$", re.IGNORECASE)
_WRITES: Final = re.compile(r"set|put|del|pop|patch|require|assert|register", re.IGNORECASE)
_UNWRAPPED: Final = re.compile(r"(?:\s*\.\w+\([^()]*\)){0,3}?\s*\.unwrap_or\(")
_NODE_VARIABLE: Final = re.compile(r"\bprocess\.env\.([A-Z][A-Z\d]*_[A-Z\d_]+)\s*(?:\?\?|\|\|)")


@dataclass(frozen=True, slots=True)
class Given:
    """A name with the literal that is its default (None: one that has to be computed), and which characters say so."""

    name: str
    literal: str | None
    end: int
    start: int
    owner: str = ""
    argument: bool = False
    fallback: bool = False


def literal_at(text: str, at: int) -> tuple[str | None, int]:
    """The literal that is all there is at this place, or the one of the constant that is, where the text gives it; else
    None. Then where it ends."""
    if found := _PLAIN.match(text, at):
        return found[1], found.end()
    constant = _NAMED.match(text, at)
    return (_constants(text).get(constant[1]), constant.end()) if constant else (None, at)


@lru_cache(maxsize=16)
def _constants(text: str) -> Mapping[str, str]:
    """The literals of a text's constants; of one that is given twice neither."""
    found = _CONSTANT.findall(text)
    times = Counter(name for name, *_ in found)
    return {name: literal for name, _, literal in found if times[name] == 1}


def arguments(text: str, at: int) -> tuple[list[tuple[int, int]], int]:
    """Where the arguments of a call start and end, and where the call ends; `at` is after its opening bracket. A call
    that the text does not end has none."""
    found: list[tuple[int, int]] = []
    depth, start = 1, at
    for token in _TOKEN.finditer(text, at, at + LONGEST_CALL):
        depth += (token[0] in "([{") - (token[0] in ")]}")
        if depth == 0 or (depth == 1 and token[0] == ","):
            found.append((start, token.start()))
            start = token.end()
        if depth == 0:
            return found, token.end()
    return [], at


def given_by_calls(text: str, language: str) -> Iterator[Given]:
    """Defaults of options and of variables of the environment."""
    yield from _options(text)
    yield from _variables(text)
    for match in _NAMED_FLAG.finditer(text):
        yield Given(match[1] or match[2], *literal_at(text, match.end()), match.start())
    if language == "rust":
        yield from _clap(text)


def _options(text: str) -> Iterator[Given]:
    """`add_argument("--seqs", default=8)`, `@option("--seqs", default=8)`; one without a default says nothing."""
    for match in _OPTION.finditer(text):
        parts, _ = arguments(text, match.end())
        flags = [flag[1] for start, end in parts if (flag := _FLAG.match(text[start:end]))]
        defaults = [found.end() for start, end in parts if (found := _DEFAULT.match(text, start, end))]
        for name in flags if defaults else ():
            yield Given(name, *literal_at(text, defaults[0]), match.start())


def _variables(text: str) -> Iterator[Given]:
    """`getenv("QUEUE_SIZE", "8")`, `.get("queue_size", 8)`, and whatever else reads with a default beside the name."""
    for match in _VARIABLE.finditer(text):
        if not _READS.search(match[1]) or _WRITES.search(match[1]):
            continue
        unwrapped = _UNWRAPPED.match(text, match.end()) if match[3] == ")" else None
        at = unwrapped.end() if unwrapped else match.end()
        literal = literal_at(text, at) if unwrapped or match[3] == "," else (None, at)
        yield Given(match[2], *literal, match.start())
    for match in _KEY.finditer(text):
        yield Given(match[1], *literal_at(text, match.end()), match.start(), fallback=True)
    for match in _NODE_VARIABLE.finditer(text):
        yield Given(match[1], *literal_at(text, match.end()), match.start())


def _clap(text: str) -> Iterator[Given]:
    for match in _CLAP.finditer(text):
        parts, end = arguments(text, match.end())
        defaults = [found.end() for start, last in parts if (found := _CLAP_DEFAULT.match(text, start, last))]
        field = _CLAP_FIELD.match(text, end)
        if defaults and field:
            long = next((found[1] for start, _ in parts if (found := _CLAP_LONG.match(text, start))), field[1])
            yield Given(long, *literal_at(text, defaults[0]), match.start())
