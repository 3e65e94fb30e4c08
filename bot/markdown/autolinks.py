"""Bare URLs are links, as on GitHub, before anything in them can be taken for markup."""

from __future__ import annotations

import re
from typing import Final

from markdown_it.rules_inline import StateInline

_SCHEME: Final = re.compile(r"(?<![A-Za-z0-9])https?\Z", re.IGNORECASE)
_REST: Final = re.compile(r"://[^\s<]+")
_NEVER_LAST: Final = "?!.,:*_~'\""
_ENTITY_AT_END: Final = re.compile(r"&[A-Za-z0-9]+;\Z")
_LONGEST: Final = 2_000


def bare_link(state: StateInline, silent: bool) -> bool:
    """A markdown-it inline rule for `http://…` and `https://…`: https://github.github.com/gfm/#autolinks-extension-

    `www.…` and addresses of e-mail hold nothing that could be markup, and stay text.
    """
    if silent or state.linkLevel or not state.src.startswith("://", state.pos):
        return False
    scheme = _SCHEME.search(state.src, max(0, state.pos - 6), state.pos)
    rest = _REST.match(state.src, state.pos, min(state.posMax, state.pos + _LONGEST))
    if not (scheme and rest and state.pending.endswith(scheme[0])):
        return False
    url = scheme[0] + trimmed(rest[0])
    if url.endswith("/") and url.count("/") == 2:
        return False
    state.pending = state.pending[: -len(scheme[0])]
    state.push("link_open", "a", 1).attrs = {"href": state.md.normalizeLink(url)}
    state.push("text", "", 0).content = state.md.normalizeLinkText(url)
    state.push("link_close", "a", -1)
    state.pos += len(url) - len(scheme[0])
    return True


def trimmed(url: str) -> str:
    """The URL without the punctuation of the sentence around it: GFM's extended autolink path validation."""
    open_brackets = url.count("(") - url.count(")")
    while url:
        if entity := _ENTITY_AT_END.search(url[-40:]):
            url = url[: -len(entity[0])]
        elif url[-1] in _NEVER_LAST or (url[-1] == ")" and open_brackets < 0):
            open_brackets += url[-1] == ")"
            url = url[:-1]
        else:
            break
    return url
