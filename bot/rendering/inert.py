"""Plain words become inline nodes in which nothing pings, refers, links or commands, on GitHub or on Discord."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlsplit

from bot.markdown import Node, plain
from bot.markdown.autolinks import trimmed
from bot.markdown.tree import normalized, shown

REMOVED: Final = "(link removed)"

# Control tokens of chat templates, and Discord's markup; each is replaced by words until none is left, since what
# stood around one may have become another: https://discord.com/developers/docs/reference#message-formatting
_TOKEN: Final = (
    r"<\|[^<>|\n]{0,80}\|>|<｜[^<>｜\n]{0,80}｜>|<</?SYS>>|</?(?:start|end|begin)_of_\w+>|◁/?\w{0,40}▷"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|THINK|PREFIX|MIDDLE|SUFFIX)\]"
)
_MARKUP: Final = re.compile(
    rf"(?P<token>{_TOKEN})|<(?P<user>@!?\d+)>|<(?P<role>@&\d+)>|<(?P<channel>#\d+)>|<a?(?P<emoji>:\w+:)\d+>"
    r"|<t:(?P<time>-?\d{1,14})(?::[a-zA-Z])?>|<(?P<command>/[\w -]{1,100}):\d+>|@(?P<all>everyone|here)\b",
    re.IGNORECASE,
)
_NAMES: Final = {"user": "a user", "role": "a role", "channel": "a channel"}

# What a code host or a chat turns into links or notifications by itself:
# https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls
_LIVE: Final = re.compile(
    r"(?P<url>(?:[a-z][a-z0-9+.-]{0,30})?://[^\s<>`]*|(?<![A-Za-z0-9])www\.[^\s<>`]+)"
    r"|(?P<code>"
    r"(?<![\w.+-])(?:(?:mailto|xmpp):)?[\w.+-]++@[\w-]*+(?:\.[\w-]++)+(?:[:/][\w./~-]*\w)?"  # addresses, remotes
    r"|(?<![\w.-])(?:[\w.-]++/)?+[\w.-]++@[0-9a-f]{7,40}\b"  # commits
    r"|(?<!\w)@\w[\w-]*+(?:[./][\w-]++)*(?:\((?!link removed)[^()\n]{0,80}\))?"  # mentions, decorators
    r"|(?<![\w.-])(?:[\w.-]++(?:/[\w.-]++)?+)?+#\d\w*+|\bGH-\d\w*+"  # issues
    r"|\b(?:CVE-\d{4}-\d{4,}|GHSA(?:-\w{4}){3})\b"  # advisories
    r"|(?<![\w-])(?=[a-f]*+\d)(?=\d*+[a-f])[0-9a-f]{7,40}(?![\w-]))",
    re.IGNORECASE,
)
_ISSUE: Final = re.compile(r"https?://[\w.:-]+/([\w.-]+/[\w.-]+)/(?:issues|pull|discussions)/(\d+)", re.IGNORECASE)
_CLOSING: Final = re.compile(
    r"\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?|duplicates? of)\s*:?\s*\Z",
    re.IGNORECASE,
)
_LONGEST_CLOSING: Final = 40
_REFERENCE: Final = re.compile(r"(?:[\w./-]*#|GH-)\d\w*", re.IGNORECASE)
_COMMAND: Final = re.compile(r"\s*(/[A-Za-z-][\w-]*)(?P<end>\s|\Z)")

Links = Callable[[str], str | None]
"""A normalized URL as it may stand in an answer, or None."""


def inert(text: str, links: Links) -> Iterator[Node]:
    """An unmarked text as inline nodes.

    What would be live becomes a code span, so that it can be copied; a link that is not allowed is removed. What
    Discord would show for an id, which nobody here knows, becomes a word.
    """
    while found := _LIVE.search(text):
        before, word = text[: found.start()], found[0]
        if found["url"]:
            word = trimmed(word) or word
            node = inert_link(word, links)
        else:
            node = Node("code_inline", text=word)
        yield from inert(before, links) if _LIVE.search(before) else _words(before)
        yield node
        text = text[found.start() + len(word) :]
    yield from _words(text)


def command(text: str, is_whole_line: bool) -> tuple[str, str]:
    """The slash command that the text of a line starts with, and the rest. Bots read it, also ones we do not know."""
    found = _COMMAND.match(text)
    if found is None or not (found["end"] or is_whole_line):
        return "", text
    return found[1], text[found.end(1) :]


def parted(nodes: Sequence[Node]) -> Iterator[Node]:
    """The inline nodes with a word between each that closes issues, or calls a duplicate, and an issue behind it."""
    before = ""
    for node in nodes:
        if (_REFERENCE.fullmatch(node.text) or _ISSUE.match(node.url)) and _CLOSING.search(before):
            yield Node("text", text="issue " if before[-1:].isspace() else " issue ")
        yield node
        before = (before + plain([node]))[-_LONGEST_CLOSING:]


def _words(text: str) -> Iterator[Node]:
    if text:
        yield Node("text", text=text)


def unmarked(text: str) -> str:
    """The text without control tokens, and with words in place of Discord's markup."""
    while (replaced := _MARKUP.sub(_replacement, text)) != text:
        text = replaced
    return text.partition("<!--")[0]


def _replacement(found: re.Match[str]) -> str:
    name, value = str(found.lastgroup), found[str(found.lastgroup)]
    match name:
        case "token":
            return ""
        case "time":
            return _moment(int(value))
        case "emoji" | "all":
            return value
    return _NAMES.get(name, value)


def _moment(seconds: int) -> str:
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError, OSError):
        return "some time"


def inert_link(url: str, links: Links) -> Node:
    """A bare URL: a link when it is allowed, code when it leads nowhere in public, else a note."""
    if allowed := links(normalized(url)):
        return bare_link(allowed)
    if issue := _ISSUE.match(url):
        return Node("code_inline", text=f"{issue[1]}#{issue[2]}")
    if url.startswith("mailto:"):
        return Node("code_inline", text=url.removeprefix("mailto:"))
    return Node("code_inline", text=url) if _is_private(url) else Node("text", text=REMOVED)


def bare_link(url: str) -> Node:
    """A link that shows its URL."""
    return Node("link", (Node("text", text=shown(normalized(url))),), url=normalized(url))


def _is_private(url: str) -> bool:
    """Whether a URL names no host, this machine, or a host without a domain."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        host = parts.hostname or ""
    except ValueError:
        return False
    if not host:
        return not parts.scheme.startswith(("http", "ftp")) or not url.partition("://")[2].strip("/")
    return host in ("127.0.0.1", "0.0.0.0", "::1") or bool(re.fullmatch(r"[A-Za-z0-9_-]+", host))
