"""Inline nodes become Markdown source: every character that would be markup is escaped, and no other."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.markdown.tree import Kind, Node, joined, normalized, parse_inline, shown, without

_SPECIAL: Final = re.compile(r"[\\`*_~\[\]<&!:\n\x0c]")
_PUNCTUATION: Final = re.escape(string.punctuation)
_TICKS: Final = re.compile(r"`+")
_REFERENCE: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_DELIMITERS: Final = frozenset("*_~")
# `a < b` and `<5` cannot begin a tag or a link.
_NO_TAG: Final = re.compile(r"<(?:[\s=<]|\d+(?:[\s.,;]|\Z))")
_SCHEME: Final = re.compile(r"(?:https?|ftp)\Z", re.IGNORECASE)
_CITATION: Final = re.compile(r"\[\d+\]")
_PLAIN_TARGET: Final = re.compile(r"[^\s<>()\\&\x00-\x20\x7f]+")
_AUTOLINK: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>\x00-\x20]*")


@dataclass(frozen=True, slots=True)
class _Style:
    """One way to write emphasis: the delimiter for each depth, the last one for all below it.

    `guarded` writes the characters that touch a delimiter as references: these are punctuation, beside which it always
    opens and closes.
    """

    delimiters: str
    guarded: bool = False

    def mark(self, kind: str, depth: int) -> str:
        """The delimiter of emphasis that lies this deep in other emphasis, or behind as much."""
        if kind == "s":
            return "~~"
        return self.delimiters[min(depth, len(self.delimiters) - 1)] * (2 if kind == "strong" else 1)


_STYLES: Final = tuple(
    _Style(marks, guarded) for guarded in (False, True) for marks in ("*", "*_*_*_", "_", "_*", "**_")
)
_EMPHASIS: Final[tuple[Kind, ...]] = ("em", "strong", "s")


def spelled(nodes: Sequence[Node]) -> str:
    """The source of the inline nodes of one block, which may hold line ends.

    Emphasis is a matter of its neighbours, so what holds any is read again; emphasis that no way of writing can bring
    back is left out, with its text kept.
    """
    nodes = joined(nodes)
    if not _emphasized(nodes):
        return _trimmed(_Speller(_STYLES[0]).all(nodes))
    for style in _STYLES:
        text = _trimmed(_Speller(style).all(nodes))
        if parse_inline(text) == nodes:
            return text
    return _trimmed(_Speller(_STYLES[0]).all(joined(without(nodes, *_EMPHASIS))))


def code_span(text: str) -> str:
    """A code span that shows the text whatever backticks it has."""
    text = text.replace("\n", " ") or " "
    ticks = "`" * (max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
    spaced = text.startswith(" ") and text.endswith(" ") and text.strip(" ")
    pad = " " if spaced or text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def reference(character: str) -> str:
    """The character as a numeric reference, which is never markup."""
    return f"&#{ord(character)};"


def _trimmed(text: str) -> str:
    """The text with blanks at the ends of its lines as references, since plain ones are dropped."""
    return "\n".join(_trimmed_line(line) for line in text.split("\n"))


def _trimmed_line(line: str) -> str:
    if line[:1].isspace():
        line = reference(line[0]) + line[1:]
    return line[:-1] + reference(line[-1]) if line[-1:].isspace() else line


def _emphasized(nodes: Iterable[Node]) -> bool:
    return any(node.kind in _EMPHASIS or _emphasized(node.children) for node in nodes)


@dataclass(frozen=True, slots=True)
class _Speller:
    style: _Style

    def all(self, nodes: Sequence[Node], depth: int = 0, in_link: bool = False, edges: str = "  ") -> str:
        """`edges` are the characters before and after the nodes: a blank stands for an end of the block."""
        written, turn = "", depth
        after = [*(self._first(node, depth) for node in nodes[1:]), edges[1]]
        for node, right in zip(nodes, after, strict=False):
            left = written[-1:] or edges[0]
            written += self._one(node, turn, in_link, left + right)
            turn = turn + 1 if node.kind in _EMPHASIS else depth
        return written

    def _one(self, node: Node, depth: int, in_link: bool, edges: str) -> str:  # noqa: PLR0911 - a kind a line
        match node.kind:
            case "text":
                return self._text(node.text, edges, in_link)
            case "code_inline":
                return code_span(node.text)
            case "softbreak":
                return "\n"
            case "hardbreak":
                return "\\\n"
            case "em" | "strong" | "s":
                mark = self.style.mark(node.kind, depth)
                inner = self.all(node.children, depth + 1, in_link, mark[-1] + mark[0])
                return f"{mark}{inner}{mark}" if inner else ""
            case "link":
                return self._link(node, depth)
            case "image":
                return f"![{self._text(node.text, '[]', True)}]({_target(node)})"
        return node.text

    def _first(self, node: Node, depth: int) -> str:
        """The character that a node's source starts with, as far as its neighbour must know it."""
        match node.kind:
            case "em" | "strong" | "s":
                return self.style.mark(node.kind, depth)[0]
            case "code_inline":
                return "`"
            case "link":
                return "<" if _is_bare(node) else "["
            case "softbreak":
                return "\n"
            case "hardbreak":
                return "\\"
        return "!" if node.kind == "image" else (node.text[:1] or "<")

    def _link(self, node: Node, depth: int) -> str:
        if _is_bare(node):
            return f"<{node.children[0].text}>"
        return f"[{self.all(node.children, depth, True, '[]')}]({_target(node)})"

    def _text(self, text: str, edges: str, in_link: bool) -> str:
        kept = _inside(_CITATION, text) if in_link else frozenset()
        at = int(self._guards(edges[0]))
        end = len(text) - int(len(text) > at and self._guards(edges[1]))
        parts = [reference(text[0])] if at else []
        for found in _SPECIAL.finditer(text, at, end):
            where = found.start()
            parts += [text[at:where], found[0] if where in kept else self._character(text, where, edges, in_link)]
            at = found.end()
        parts += [text[at:end], *(map(reference, text[end:]))]
        return "".join(parts)

    def _guards(self, edge: str) -> bool:
        return self.style.guarded and edge in _DELIMITERS

    def _character(self, text: str, at: int, edges: str, in_link: bool) -> str:
        if self.style.guarded and text[at] in _DELIMITERS:
            return "\\" + text[at]  # what stands beside it may become a reference
        left = text[at - 1].replace("\n", ";") if at else edges[0]  # written as a reference
        right = text[at + 1] if at + 1 < len(text) else edges[1]
        return _escaped(text, at, left, right, in_link)


def _inside(pattern: re.Pattern[str], text: str) -> frozenset[int]:
    return frozenset(at for found in pattern.finditer(text) for at in (found.start(), found.end() - 1))


def _escaped(text: str, at: int, left: str, right: str, in_link: bool) -> str:  # noqa: PLR0911 - a case a character
    """One special character, escaped where its neighbours make it markup."""
    char = text[at]
    escaped = "\\" + char
    match char:
        case "\n" | "\f":
            return reference(char)
        case "\\":
            return char if right.isalnum() else escaped
        case "`":
            return reference(char) if "`" in (left, right) and not (at and at + 1 < len(text)) else escaped
        case "*":
            return char if left.isspace() and right.isspace() else escaped
        case "_":
            return char if _inside_a_word(text, at) or (left.isspace() and right.isspace()) else escaped
        case "~":
            return char if left.isspace() and right != "~" else escaped
        case "[":
            return escaped if in_link or right == "^" else char
        case "]":
            return escaped if in_link or right == "(" else char
        case "<":
            return char if _NO_TAG.match(text, at) else "&lt;"
        case "&":
            return escaped if _REFERENCE.match(text, at) else char
        case "!":
            return escaped if right == "[" and at + 1 == len(text) else char
    return escaped if text.startswith("://", at) and _SCHEME.search(text[max(0, at - 5) : at]) else char


def _inside_a_word(text: str, at: int) -> bool:
    """Whether a run of underscores has a letter or digit on either side: it is no emphasis then."""
    start, end = at, at
    while start and text[start - 1] == "_":
        start -= 1
    while end < len(text) and text[end] == "_":
        end += 1
    return text[start - 1 : start].isalnum() and text[end : end + 1].isalnum()


def _is_bare(link: Node) -> bool:
    """Whether a link is written as nothing but its URL."""
    if link.title or len(link.children) != 1 or link.children[0].kind != "text":
        return False
    text = link.children[0].text
    return bool(_AUTOLINK.fullmatch(text)) and normalized(text) == link.url and shown(link.url) == text


def _target(node: Node) -> str:
    url = node.url if _PLAIN_TARGET.fullmatch(node.url) else f"<{_quoted(node.url, '<>')}>"
    if not node.title:
        return url
    title = "\n".join(line for line in node.title.split("\n") if line.strip())  # a blank line would end the paragraph
    return f'{url} "{_quoted(title, chr(34))}"'


def _quoted(text: str, also: str) -> str:
    """Text of a target: escapes and references hold there too."""
    text = re.sub(rf"\\(?=[{_PUNCTUATION}]|\Z)|[{also}]", r"\\\g<0>", text)
    return _REFERENCE.sub(r"\\\g<0>", text)
