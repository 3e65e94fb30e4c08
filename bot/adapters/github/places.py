"""Where in the source of a text stands what its Markdown shows there, and not in code.

The tree has no places, so a number in characters that no text has is put into a copy behind each candidate, and
looked for in the copy's tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from typing import Final

from bot.adapters.github.cuts import Span
from bot.markdown import Node, parse, walk

# Noncharacters: one that begins a number, and sixteen that are its digits.
_BEGUN: Final = "\ufde0"
_DIGITS: Final = "".join(map(chr, range(0xFDD0, 0xFDE0)))
NUMBER: Final = rf"{_BEGUN}([{_DIGITS}]{{4}})"
"""A pattern for a number, as its only group."""
_FOREIGN: Final = dict.fromkeys((0, *range(0xD800, 0xE000), *range(0xFDD0, 0xFDF0)), 0xFFFD)
# https://github.com/gjtorikian/html-pipeline: GitHub's mention filter passes over these, and so do we over quotations.
_SILENT: Final = frozenset({"pre", "code", "a", "style", "script", "blockquote"})
_ELEMENTS: Final = {"em": "em", "strong": "strong", "s": "del", "link": "a", "blockquote": "blockquote"}
# `<!-->` is a whole comment.
_COMMENT: Final = re.compile(r"<!--(?!-?>)()")
_IMAGE: Final = re.compile(
    r"(?P<link>\[[ \t]*)?!\[()(?:[^\[\]\n]|\[[^\[\]\n]*\]){0,400}\]"
    r"(?:\([^()\s]{0,2000}(?:\s+\"[^\"\n]*\")?\)|\[[^\[\]\n]{0,200}\])?"
    r"(?(link)[ \t]*\]\([^()\s]{0,2000}\))"
)


def comments(text: str) -> list[Span]:
    """The HTML comments of a text; one that nothing ends goes on to its end."""
    if "<!--" not in text:
        return []
    starts = [start for start, _ in _places(text, _COMMENT, "<!--" + NUMBER, _raw)]
    ends = (text.find("-->", start) for start in starts)
    return [(start, end + 3 if end >= 0 else len(text)) for start, end in zip(starts, ends, strict=True)]


def images(text: str) -> list[Span]:
    """The images of a text, each with the link that holds nothing else."""
    return _places(text, _IMAGE, NUMBER, _alternatives) if "![" in text else []


def in_text(text: str, candidate: re.Pattern[str], shown: str) -> list[Span]:
    """Where a pattern finds what stands in the text that a reader sees, outside code, links and quotations.

    The pattern's empty group says where a number goes, and `shown` is a pattern for what the reader sees, in which
    `NUMBER` stands in that place. Elements part texts: `a<b>c` is two.
    """
    return _places(text, candidate, shown, _shown)


def _places(text: str, candidate: re.Pattern[str], sought: str, read: Callable[[Node], str]) -> list[Span]:
    copy = text.translate(_FOREIGN)
    found = list(candidate.finditer(copy))[: len(_DIGITS) ** 4]
    pieces, at = list[str](), 0
    for number, match in enumerate(found):
        place = next(match.end(group) for group in range(1, candidate.groups + 1) if match[group] == "")
        pieces += [copy[at:place], _numbered(number)]
        at = place
    marked = "".join((*pieces, copy[at:]))
    numbers = (_value(match[1]) for match in re.finditer(sought, read(parse(marked)), re.IGNORECASE))
    return [found[number].span() for number in dict.fromkeys(numbers)]


def _numbered(number: int) -> str:
    return _BEGUN + "".join(_DIGITS[number >> 4 * place & 15] for place in range(4))


def _value(digits: str) -> int:
    return sum(_DIGITS.index(digit) << 4 * place for place, digit in enumerate(digits))


def _raw(tree: Node) -> str:
    """The raw HTML in a tree."""
    return "\0".join(node.text for node in walk(tree) if node.kind in ("html_block", "html_inline"))


def _alternatives(tree: Node) -> str:
    return "\0".join(node.text for node in walk(tree) if node.kind == "image")


def _shown(tree: Node) -> str:
    """The texts of a tree in no silent element, raw HTML read as HTML."""
    reader = _Reader()
    reader.feed("".join(_html(tree)) + "<p>")  # without a close: what is incomplete there is shown by no browser
    return "\0".join(reader.texts)


def _html(node: Node) -> list[str]:
    """The tree as HTML, in which code and images are empty elements."""
    match node.kind:
        case "html_block" | "html_inline":
            return [node.text]
        case "text":
            return [escape(node.text, quote=False)]
        case "softbreak" | "hardbreak":
            return ["\n"]
        case "code_inline" | "fence" | "image" | "hr":
            return ["<hr>"]
    name = _ELEMENTS.get(node.kind, "p")
    return [f"<{name}>", *(piece for child in node.children for piece in _html(child)), f"</{name}>"]


class _Reader(HTMLParser):
    """Collects the texts that stand in no silent element. Comments are no text; what a paragraph leaves open ends with
    it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self._silent: list[str] = []
        self._outside: list[int] = []  # of each open paragraph, how many silent elements are around it

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent.append(tag)
        elif tag == "p":
            self._outside.append(len(self._silent))

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:
            del self._silent[self._silent.index(tag) :]
        elif tag == "p" and self._outside:
            del self._silent[self._outside.pop() :]

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.texts.append(data)
