"""A comment as GitHub parses it: raw HTML, bare links, footnotes and all."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.gfm import gfm_plugin


def github_tokens(text: str) -> Iterator[Token]:
    """All tokens of a comment, inline ones behind the block that holds them."""
    for token in _parser().parse(text):
        yield token
        yield from token.children or ()


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).use(gfm_plugin)
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser
