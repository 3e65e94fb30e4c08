"""Pairs from C, C++, CUDA, Rust, JavaScript, TypeScript, Go and Java, found by their comments and line shapes."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from training import questions
from training.corpus import SourceText
from training.pairs import PASSAGE_CHARS, Pair, first_paragraph, is_prose, passage, window, words

DOC_LINE = re.compile(r"^\s*(///|//!|//|/\*\*?|\*/?)!?<?\s?")
DECLARATION = re.compile(
    r"\b(?:fn|struct|enum|trait|class|interface|function|func|type|union|namespace|concept|const|mod|macro_rules!)\s+(\w+)"
    r"|\b(?!if\b|for\b|while\b|switch\b|return\b)(~?\w+)\s*(?:<[^>]*>)?\("
)
OWNER = re.compile(
    r"^\s*(?:pub\s+)?(?:impl(?:<[^>]*>)?\s+(?:[\w:<>, ]+\s+for\s+)?|class\s+|struct\s+|trait\s+)(\w+)[^;]*$"
)
ERROR_LINE = re.compile(
    r"\b(throw|panic!|bail!|anyhow!|Err|error!|warn!|CHECK\w*|\w*_CHECK|ASSERT\w*|Error|Fatal|LOG)\b"
)
STRING = re.compile(r'"((?:[^"\\]|\\.){12,200})"')
ATTRIBUTE = re.compile(r"^\s*(#\[|@\w+|template\s*<|__\w+__)")


def mine(source: SourceText, rng: random.Random) -> Iterator[Pair]:
    """Yields the pairs of one file."""
    lines = source.text.split("\n")
    owner, owner_indent, at = "", 0, 0
    while at < len(lines):
        line = lines[at]
        indent = len(line) - len(line.lstrip())
        if match := OWNER.match(line):
            owner, owner_indent = match[1], indent
        elif line.startswith("}"):
            owner = ""
        if _is_comment(line):
            stop = _comment_end(lines, at)
            member_of = owner if indent > owner_indent else ""
            yield from _commented(source, lines, range(at, stop), member_of, rng)
            at = stop
            continue
        if ERROR_LINE.search(line):
            yield from _raised(source, lines, at, rng)
        at += 1


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("//", "/*"))


def _comment_end(lines: list[str], start: int) -> int:
    """Returns the line after the comment block that starts at `start`."""
    at = start
    if lines[start].lstrip().startswith("/*"):
        while at < len(lines) and "*/" not in lines[at]:
            at += 1
        return at + 1
    while at < len(lines) and lines[at].lstrip().startswith("//"):
        at += 1
    return at


def _commented(source: SourceText, lines: list[str], comment: range, owner: str, rng: random.Random) -> Iterator[Pair]:
    """A comment → the declaration under it, or the lines around when it stands among statements."""
    text = first_paragraph(
        "\n".join(DOC_LINE.sub("", line).rstrip("/* ") for line in lines[comment.start : comment.stop])
    )
    text = re.sub(r"^[\\@](brief|file|class|fn|returns?|desc(ription)?)\s+", "", text)
    if not is_prose(text, 4) or re.search(r"copyright|licen[cs]e|clang-format|eslint|TODO", text, re.IGNORECASE):
        return
    code, symbol = _declaration(lines, comment.stop)
    if symbol:
        symbol = f"{owner}::{symbol}" if owner else symbol
        origin, kind, shown = f"{source.path}:{symbol}", "doc comment", passage(source.path, symbol, code)
        name = symbol if rng.random() < 0.5 else words(symbol)
        yield Pair("name", source.package, origin, questions.about_name(name, rng), shown)
    else:
        origin, kind = f"{source.path}:{comment.stop // 40}", "comment"
        shown = passage(source.path, owner, window(lines, comment.stop, comment))
    query = questions.about(text, rng) if rng.random() < 0.4 else text
    yield Pair(kind, source.package, origin, query, shown)


def _declaration(lines: list[str], start: int) -> tuple[str, str]:
    """Returns the declaration that starts at `start`, to the end of its body, and its name; "" when none does."""
    head = start
    while head < len(lines) and ATTRIBUTE.match(lines[head]):
        head += 1
    match = DECLARATION.search(lines[head]) if head < len(lines) else None
    if match is None or re.match(r"\s*(return|if|for|while|let|auto|\w+\s*=|[\w.>-]+\()", lines[head]):
        return "", ""
    indent = len(lines[head]) - len(lines[head].lstrip())
    end, chars = head, 0
    while end < len(lines) and chars < PASSAGE_CHARS:
        chars += len(lines[end]) + 1
        closes = (
            lines[end].rstrip().endswith(("}", "};", ";", "})"))
            and len(lines[end]) - len(lines[end].lstrip()) <= indent
        )
        end += 1
        if closes:
            break
    return "\n".join(lines[start:end]), match[1] or match[2]


def _raised(source: SourceText, lines: list[str], at: int, rng: random.Random) -> Iterator[Pair]:
    """The text of an error or a failed check → the lines around it."""
    for match in STRING.finditer(" ".join(lines[at : at + 3])):
        if is_prose(match[1], 4):
            shown = passage(source.path, "", window(lines, at, range(0)))
            origin = f"{source.path}:{at // 40}"
            yield Pair("error", source.package, origin, questions.pasted(match[1], "", rng), shown)
            return
