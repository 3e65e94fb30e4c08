"""A Markdown text becomes the links that it writes, and each of them the path in its repository that it leads to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import unescape
from typing import Any, Final
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from indexer.chunking.markdown import as_parsed

# https://url.spec.whatwg.org/#concept-basic-url-parser: what a browser strips, removes, and takes for absolute.
_STRIPPED: Final = "".join(map(chr, range(0x21)))
_REMOVED: Final = re.compile(r"[\t\n\r]")
_ABSOLUTE: Final = re.compile(r"//|[A-Za-z][A-Za-z\d+.-]*:")

# The markers of MkDocs (https://squidfunk.github.io/mkdocs-material/reference/admonitions/, …/content-tabs/,
# …/footnotes/, …/lists/#using-definition-lists) below which text indented by 4 is content, as it is in this list item.
_MARKER: Final = re.compile(r"^( *)(?:(?:!!!|\?\?\?\+?|===[!+]?) +(?=[\w\"'-])|\[\^[^\]]+\]: *|: +(?=\S))")
_ITEM: Final = r"\1-   "
_INDENT: Final = 4

# Each alternative takes what it has read even where the tag stays open, so that no character is read twice.
_HTML: Final = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<raw>script|style)\b.*?(?:</(?P=raw)\b|\Z)"
    r"|<(?P<tag>a|img)(?=[\s/])(?P<attributes>(?:[^<>\"']++|\"[^\"]*+\"?+|'[^']*+'?+)*+)(?P<closed>>)?+",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE: Final = re.compile(r"([^\s\"'<>/=]+)(?:\s*+=\s*+(\"[^\"]*\"|'[^']*'|[^\s\"'<>]+))?")
_TARGET_ATTRIBUTE: Final = {"a": "href", "img": "src"}


def resolved(path: str, text: str) -> dict[str, str | None]:
    """Every target that `text` writes, with the path of the repository that it leads to from the file `path`."""
    return {target: resolve(path, target) for target in links(text)}


def resolve(path: str, target: str) -> str | None:
    """The path of the repository that the link `target` in the file `path` leads to, or None when it leads elsewhere.

    Elsewhere are other sites, the document itself (`#part`, an empty target), and whatever is above the root or the
    root itself. A target that starts with `/` leads from the root of the repository, as GitHub shows it:
    https://docs.github.com/get-started/writing-on-github/getting-started-with-writing-and-formatting-on-github/basic-writing-and-formatting-syntax#relative-links.
    Escapes are undone once and before the path is walked, query and fragment are left out, and a backslash is a
    character as any other. Whether the path exists is not looked at; it has no `..`, `.` or empty part, no NUL, and no
    `/` at either end.
    """
    target = _REMOVED.sub("", target.strip(_STRIPPED))
    if _ABSOLUTE.match(target):
        return None
    way = _decoded(re.split("[?#]", target, maxsplit=1)[0])
    if not way:
        return None
    start = [] if target.startswith("/") else path.split("/")[:-1]
    return _walked([*start, *way.split("/")])


def _decoded(way: str) -> str:
    """The way without percent-encoding, or "" when no path can be written so: paths are UTF-8 and hold no NUL."""
    try:
        decoded = unquote(way, errors="strict")
        decoded.encode()
    except UnicodeError:
        return ""
    return "" if "\0" in decoded else decoded


def _walked(steps: Sequence[str]) -> str | None:
    place: list[str] = []
    for step in steps:
        if step == ".." and not place:
            return None
        if step == "..":
            place.pop()
        elif step not in ("", "."):
            place.append(step)
    return "/".join(place) or None


def links(text: str) -> list[str]:
    """The targets of links and images that a Markdown text writes, in its order, each once.

    These are inline links, reference definitions (used or not: the text may be a piece of a document), and `<a href>`
    and `<img src>`; not autolinks, which are absolute, and nothing in code or comments. Targets are as their author
    means them: without escapes and entities of the markup, but percent-encoded where they are written so. The text
    may start inside a list item, an admonition or a tab, but not inside a fence or a comment.
    """
    definitions: dict[str, Any] = {}
    rows = _rows(text)
    found = list(_written(_parser().parse("\n".join(rows), definitions)))
    found += [(entry["map"][0], entry["href"]) for entry in definitions.get("references", {}).values()]
    found.sort(key=lambda placed: placed[0])
    return list(dict.fromkeys(target for _, target in found if target))


class _Parser(MarkdownIt):
    """CommonMark that leaves the targets of links as they are."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url


@cache
def _parser() -> MarkdownIt:
    parser = _Parser("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block", "inline"])
    return parser


def _rows(text: str) -> list[str]:
    """The rows as CommonMark alone would need them: markers of MkDocs as list items, and no indentation that stems
    from what stands above the text."""
    rows, indent = [], len(text)
    for raw in text.split("\n"):
        row = as_parsed(raw)
        if row.strip():
            indent = min(indent, len(row) - len(row.lstrip(" ")))
        rows.append(_MARKER.sub(_ITEM, row[indent:]))
    return rows


def _written(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """The row of the block that each target is in, and the target."""
    row = 0
    for token in tokens:
        row = token.map[0] if token.map else row
        for part in (token, *(token.children or ())):
            for target in _targets(part):
                yield row, target


def _targets(token: Token) -> Iterator[str]:
    if token.type in ("html_block", "html_inline"):
        yield from _html_targets(token.content)
    elif token.type == "image" or (token.type == "link_open" and token.info != "auto"):
        yield str(token.attrs.get("href") or token.attrs.get("src") or "")


def _html_targets(markup: str) -> Iterator[str]:
    for tag in _HTML.finditer(markup):
        if tag["closed"]:
            wanted = _TARGET_ATTRIBUTE[tag["tag"].lower()]
            values = (value for name, value in _ATTRIBUTE.findall(tag["attributes"]) if name.lower() == wanted)
            value = next(values, "")
            yield unescape(value[1:-1] if value[:1] in ("'", '"') else value)
