"""What documents show: commands, links, and the places that links may lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin

ROOT = Path(__file__).parents[2]
FOLDERS = ("docs", "deploy", "training", "evals")
# The beginning of docs/replies.md, put there by docs/replies/make.py.
PART = ROOT / "docs" / "replies" / "about.md"
DOCUMENTS = sorted(
    {*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))} - {PART}
)
# What these tell of is the past, or thoughts.
RECORDS = {"CHANGELOG.md", "DESIGN.md", "training/MODEL_CARD.md"}
SHELLS = {"", "sh", "bash", "shell", "console"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A line of a block, or a span of code within prose."""

    document: Path
    line: int
    text: str
    within_prose: bool

    @property
    def place(self) -> str:
        return f"{name_of(self.document)}:{self.line}"


def name_of(document: Path) -> str:
    return str(document.relative_to(ROOT))


def tokens(document: Path) -> list[Token]:
    reader = MarkdownIt("commonmark").enable("table").use(anchors_plugin, max_level=6)
    return reader.parse(document.read_text("utf-8"))


def inlines(document: Path) -> Iterator[tuple[int, Token]]:
    """Each piece of a paragraph, heading or cell, with its line."""
    for token in tokens(document):
        for child in token.children or ():
            yield (token.map[0] + 1 if token.map else 0), child


def fences(document: Path) -> set[str]:
    """The languages of the fenced blocks that are no shell's."""
    return {token.info.split()[0] for token in tokens(document) if token.type == "fence" and token.info} - SHELLS


def block_lines(document: Path) -> Iterator[Shown]:
    """The lines of indented blocks and of shells' fences; those that end in a backslash with the next."""
    for token in tokens(document):
        if token.type == "code_block" or (token.type == "fence" and token.info.strip() in SHELLS):
            at = (token.map or [0])[0] + 1 + (token.type == "fence")
            for number, line in enumerate(re.sub(r"\\\n\s*", " ", token.content).split("\n")):
                if line.strip() and not line.lstrip().startswith("#"):
                    yield Shown(document, at + number, line.strip(), within_prose=False)


def spans(document: Path) -> Iterator[Shown]:
    """The spans of code in prose."""
    for line, child in inlines(document):
        if child.type == "code_inline":
            yield Shown(document, line, child.content.strip(), within_prose=True)


def links(document: Path) -> Iterator[tuple[int, str]]:
    """Where links and pictures lead, with their lines."""
    for line, child in inlines(document):
        if target := child.attrGet("href") or child.attrGet("src"):
            yield line, str(target)


def anchors(document: Path) -> set[str]:
    """The names of its headings, as GitHub makes them."""
    return {str(token.attrGet("id")) for token in tokens(document) if token.type == "heading_open"}
