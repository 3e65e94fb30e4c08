"""An answer's Markdown as a reader's browser would see it: its words, its code and its links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

# https://github.github.com/gfm/#autolinks-extension-
_WWW = re.compile(r"(?<![\w/.])www\.[\w-]+[^\s<]*", re.IGNORECASE)

Kind = Literal["words", "code", "block", "link", "html"]


@dataclass(frozen=True, slots=True)
class Piece:
    """`words` outside code, a `code` span, a code `block`, where a `link` or image leads, or raw `html`; pieces of one
    `paragraph` (or table cell) stand together."""

    kind: Kind
    text: str
    paragraph: int


def pieces(markdown: str) -> list[Piece]:
    """What a text shows, in order, read as GitHub reads it: with tables, bare addresses as links, and HTML.

    This is stricter than what renders answers, and shares nothing with it, so that it finds what that lets through.
    """
    return [piece for number, token in enumerate(_parser().parse(markdown)) for piece in _pieces(token, number)]


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("gfm-like", {"html": True, "linkify": True})
    assert parser.linkify is not None
    parser.linkify.set({"fuzzy_link": False})  # `main.py` would lead to Paraguay; GitHub wants a scheme or www.
    return parser.disable("text_join")  # `\[1]` must not look like a citation


def _pieces(token: Token, number: int) -> Iterator[Piece]:
    if token.type in ("fence", "code_block"):
        yield Piece("block", token.content, number)
    elif token.type == "html_block":
        yield Piece("html", token.content, number)
    for child in token.children or ():
        if child.type == "text":
            yield Piece("words", child.content, number)
            yield from (Piece("link", f"http://{address}", number) for address in _WWW.findall(child.content))
        elif child.type in ("softbreak", "hardbreak", "text_special"):
            yield Piece("words", " ", number)
        elif child.type == "code_inline":
            yield Piece("code", child.content, number)
        elif child.type == "html_inline":
            yield Piece("html", child.content, number)
        elif target := child.attrs.get("href", child.attrs.get("src")):
            yield Piece("link", str(target), number)
