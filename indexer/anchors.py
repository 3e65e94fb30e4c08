"""A Markdown document becomes its headings, each with the anchors that GitHub's and MkDocs' pages give it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final
from unicodedata import category, normalize

from markdown_it.token import Token

from indexer.chunking.markdown import as_parsed, outline, parser
from indexer.chunking.outline import Rows

_CODE_INDENT: Final = 4
_NO_ANCHORS: Final[Mapping[str, str]] = {}

# https://github.com/Flet/github-slugger/blob/main/script/generate-regex.js; circled letters are symbols and letters.
_GITHUB_KEEPS: Final = frozenset(["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"])
_CIRCLED: Final = re.compile("[\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]")

# https://python-markdown.github.io/extensions/attr_list/: what stands in braces at the end of a heading, after a blank.
_ATTRIBUTES: Final = re.compile(r"(?<= )\{:?\s*([^{}\s][^{}]*)\}\s*$")
_ATTRIBUTE: Final = re.compile(r"[^\s=]+=(?:\"[^\"]*\"|'[^']*')|\S+")
_NUMBERED: Final = re.compile(r"(.*)_(\d{1,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading in `line` (1-based). `name` is its heading path, as in `Definition.name` of the document's chunks.

    `anchors` holds, by site (`github`, `mkdocs`), the fragment of a link to it: `#` and the anchor, not
    percent-encoded. A site is missing where no link can lead to the heading: nothing is left of its title, GitHub
    shows it as text (it stands in an admonition or tab of MkDocs), or its explicit id was given before.
    """

    line: int
    name: str
    anchors: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Written:
    """A heading as the document writes it; without a `name` it only counts (it stands in a quote or a list)."""

    row: int
    markup: str
    name: str = ""
    on_github: bool = True


def headings(text: str) -> list[Heading]:
    """The headings that name chunks of a Markdown document, in order, with their anchors. Never raises.

    Headings in quotes and lists name no chunk, but take their share of the numbers that tell equal titles apart.
    """
    references: dict[str, Any] = {}
    written = list(_written(Rows(text), references))
    github = _github(written, references)
    mkdocs = _mkdocs(written, references)
    return [
        Heading(heading.row + 1, heading.name, {site: f"#{anchor}" for site, anchor in anchors if anchor})
        for heading in written
        if heading.name and (anchors := (("github", github.get(heading.row)), ("mkdocs", mkdocs.get(heading.row))))
    ]


def anchors_at(headings: Sequence[Heading], line: int) -> Mapping[str, str]:
    """The anchors of the heading that is open at a line (1-based): the last one in it or above, if there is one."""
    following = bisect_right(headings, line, key=lambda heading: heading.line)
    return headings[following - 1].anchors if following else _NO_ANCHORS


def github_slug(title: str) -> str:
    """The anchor that GitHub makes of a heading's rendered text, before equal ones are told apart.

    Lower case; letters, marks, digits, connecting punctuation, `-` and blanks stay, each blank as a `-`; all else goes:
    https://docs.github.com/get-started/writing-on-github/getting-started-with-writing-and-formatting-on-github/basic-writing-and-formatting-syntax#section-links
    and https://github.com/Flet/github-slugger, whose test data are GitHub's own answers.
    """
    kept = (char for char in title.lower() if char in " -" or category(char) in _GITHUB_KEEPS or _CIRCLED.match(char))
    return "".join(kept).replace(" ", "-")


def mkdocs_slug(title: str) -> str:
    """The anchor that MkDocs makes of a heading's rendered text, before equal ones are told apart.

    This is `slugify` of Python-Markdown, the default of its table of contents: letters without their accents, then
    only ASCII, lower case, blanks and dashes as one `-`.
    https://github.com/Python-Markdown/markdown/blob/master/markdown/extensions/toc.py
    """
    ascii_only = normalize("NFKD", " ".join(title.split())).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip().lower())


def _written(rows: Rows, references: dict[str, Any]) -> Iterator[_Written]:
    """Every heading in order; fills `references` with the link definitions that their texts may use."""
    definitions = outline(rows).definitions
    if not definitions:
        return
    lines = [as_parsed(row) for row in rows.text]
    # Front matter is no Markdown, and is over before the first heading.
    first = definitions[0].row if rows.text[0].rstrip() == "---" else 0
    counted = {row + first: markup for row, markup, level in _headings(lines[first:], references) if level}
    named = {found.row: found for found in definitions}
    for row in sorted(counted.keys() | named.keys()):
        if row in named:
            indent = len(lines[row]) - len(lines[row].lstrip(" "))
            section = [line.removeprefix(" " * indent) for line in lines[row : named[row].end]]
            markup = next((markup for _, markup, _ in _headings(section, {})), "")
            yield _Written(row, markup, named[row].name, indent < _CODE_INDENT)
        else:
            yield _Written(row, counted[row])


def _headings(lines: Sequence[str], references: dict[str, Any]) -> Iterator[tuple[int, str, int]]:
    """The row, markup and depth (0 outside of quotes and lists) of the headings that CommonMark finds."""
    for token, inline in pairwise(parser("block").parse("\n".join(lines), references)):
        if token.type == "heading_open" and token.map:
            yield token.map[0], inline.content, token.level


def _text(markup: str, references: dict[str, Any]) -> str:
    """What a reader sees of a heading: no markup, no images; entities as characters, line ends as they are."""
    block = parser("block")
    return "".join(map(_visible, block.inline.parse(markup, block, references, [])))


def _visible(token: Token) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    return token.content if token.type in ("text", "text_special", "code_inline") else ""


def _github(written: Iterable[_Written], references: dict[str, Any]) -> dict[int, str]:
    """The anchor of the heading in each row. A taken one gets `-` and the next number of its title that is free."""
    anchors: dict[int, str] = {}
    numbers: dict[str, int] = {}
    for heading in written:
        if heading.on_github:
            anchor = slug = github_slug(_text(heading.markup, references))
            while anchor in numbers:
                numbers[slug] += 1
                anchor = f"{slug}-{numbers[slug]}"
            numbers[anchor] = 0
            anchors[heading.row] = anchor
    return anchors


def _mkdocs(written: Sequence[_Written], references: dict[str, Any]) -> dict[int, str]:
    """The anchor of the heading in each row: its explicit id, unless that was given before, or one made of its title.

    All explicit ids are taken before the first title is looked at.
    """
    parts = [(heading.row, *_without_attributes(heading.markup)) for heading in written]
    anchors = {anchor: row for row, _, anchor in reversed(parts) if anchor}
    ids = _Ids(anchors)
    made = {row: ids.unused(mkdocs_slug(_text(markup, references))) for row, markup, anchor in parts if not anchor}
    return {row: anchor for anchor, row in anchors.items()} | made


def _without_attributes(markup: str) -> tuple[str, str]:
    """A heading's markup without the attributes at its end, and the id that they give, or ""."""
    match = _ATTRIBUTES.search(markup)
    if not match:
        return markup, ""
    given = ""
    for attribute in _ATTRIBUTE.findall(match[1]):
        if attribute.startswith(("#", "id=")):
            given = attribute.removeprefix("#").removeprefix("id=").strip("\"'")
    return markup[: match.start()], given


class _Ids:
    """Ids that are taken. Free numbers are remembered, since a document may have one title thousands of times."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._after: dict[tuple[str, int], int] = {}

    def unused(self, wanted: str) -> str:
        """The id wanted, or with `_1` at its end or its own number counted up (`a_7`, `a_8`), and taken from now on."""
        if not wanted or wanted in self._taken:
            numbered = _NUMBERED.fullmatch(wanted)
            base, number = (numbered[1], int(numbered[2])) if numbered else (wanted, 0)
            wanted = f"{base}_{self._free(base, number + 1)}"
        self._taken.add(wanted)
        return wanted

    def _free(self, base: str, number: int) -> int:
        passed = []
        while f"{base}_{number}" in self._taken:
            passed.append(number)
            number = self._after.get((base, number), number + 1)
        self._after.update({(base, taken): number for taken in passed})
        return number
