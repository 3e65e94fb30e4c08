"""Code becomes coloured lines: spans of text, each with what kind of thing it is. Pygments is imported here alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby, islice
from typing import Final

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

from indexer.chunking.languages import BY_NAME, language_of

Span = tuple[str, str]
"""(kind, text); the kind of what has no colour is ""."""
Line = tuple[Span, ...]

PLAIN: Final = "text"
# Pygments reads some 650,000 characters a second: what stands further down is read from a few lines above.
LONGEST_READ: Final = 300_000
LINES_BEFORE: Final = 200
# Lexers are regular expressions, and some take their time over lines that nobody writes.
LONGEST_LINE: Final = 2_000

# Where Pygments calls a language of ours otherwise.
_ALIASES: Final = {
    "ocaml_interface": "ocaml",
    "metal": "cpp",
    "svelte": "html",
    "notebook": "json",
    "proto": "protobuf",
    "dockerfile": "docker",
}
# What people write behind ``` beside the names of the languages. Only these and ours are ever looked up, since any of
# Pygments' hundreds of lexers could be asked for, and not all of them are fit for what strangers write.
_SPELLINGS: Final = {
    "py": "python",
    "python3": "python",
    "pycon": "pycon",
    "sh": "bash",
    "shell": "bash",
    "zsh": "bash",
    "console": "console",
    "shell-session": "console",
    "c++": "cpp",
    "cu": "cuda",
    "rs": "rust",
    "js": "javascript",
    "ts": "typescript",
    "rb": "ruby",
    "c#": "csharp",
    "cs": "csharp",
    "kt": "kotlin",
    "hs": "haskell",
    "yml": "yaml",
    "md": "markdown",
    "diff": "diff",
    "patch": "diff",
    "xml": "xml",
    "make": "makefile",
    "docker": "dockerfile",
    "protobuf": "proto",
    "terraform": "hcl",
    "traceback": "pytb",
    "pytb": "pytb",
}
# The most particular one first; what is none of these has no colour.
_KINDS: Final = (
    (Comment, "comment"),
    (String.Doc, "comment"),
    (String, "string"),
    (Number, "number"),
    (Keyword.Type, "type"),
    (Keyword.Constant, "number"),
    (Keyword, "keyword"),
    (Operator.Word, "keyword"),
    (Name.Function, "function"),
    (Name.Class, "type"),
    (Name.Tag, "keyword"),
    (Name.Decorator, "decorator"),
    (Name.Builtin.Pseudo, "keyword"),
    (Name.Builtin, "type"),
    (Name.Exception, "type"),
    (Name.Attribute, "type"),
    (Name.Variable, "decorator"),
    (Generic.Heading, "function"),
    (Generic.Subheading, "function"),
    (Generic.Inserted, "inserted"),
    (Generic.Deleted, "deleted"),
    (Generic.Prompt, "comment"),
    (Generic.Error, "deleted"),
)
UNSEEN: Final = "unseen"
KINDS: Final = frozenset({UNSEEN, *(kind for _, kind in _KINDS)})
_STEERING: Final = re.compile("([\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff])")


def coloured(text: str, language: str) -> tuple[Line, ...]:
    """All lines of a text, as many as `text.split("\\n")` gives. `language` is ours, or what people call it."""
    return tuple(_lines(text, language))


def coloured_lines(text: str, path: str, start: int, end: int) -> tuple[Line, ...]:
    """Lines `start` to `end` (1-based, inclusive) of a file. It is read from its beginning where that takes no time, so
    that what begins above them, such as a docstring, is known to go on; and no further than it has to be."""
    lines = text.split("\n")
    first = 1 if sum(map(len, lines[:end])) <= LONGEST_READ else max(1, start - LINES_BEFORE)
    found = islice(_lines("\n".join(lines[first - 1 :]), language_of(path)), start - first, end - first + 1)
    return tuple(_revealed(line) for line in found)


def _revealed(line: Line) -> Line:
    """The line with the name of each character that nobody sees and that steers the reading: https://trojansource.codes"""
    if all(text.isascii() for _, text in line):
        return line
    parts = ((kind, part) for kind, text in line for part in _STEERING.split(text) if part)
    return tuple((UNSEEN, f"U+{ord(part):04X}") if _STEERING.fullmatch(part) else (kind, part) for kind, part in parts)


def known(language: str) -> str:
    """Our name of a language, by what people call it; PLAIN when it is unknown."""
    name = language.lower()
    name = _SPELLINGS.get(name, name)
    return name if name in BY_NAME or name in _SPELLINGS.values() else PLAIN


def _lines(text: str, language: str) -> Iterator[Line]:
    """Pygments' tokens, cut at line feeds alone. (`get_tokens` would change the text's line ends first.)"""
    line: list[Span] = []
    for kind, piece in _tokens(text, known(language)):
        first, *others = piece.split("\n")
        line.append((kind, first))
        for other in others:
            yield _joined(line)
            line = [(kind, other)]
    yield _joined(line)


def _tokens(text: str, language: str) -> Iterator[Span]:
    lexer = _lexer(language)
    if lexer is None or max(map(len, text.split("\n"))) > LONGEST_LINE:
        yield "", text
        return
    at = 0
    for start, token, piece in lexer.get_tokens_unprocessed(text):
        if start < at:  # some lexers say a thing twice
            continue
        yield "", text[at:start]
        yield _kind(token), piece
        at = start + len(piece)
    yield "", text[at:]


def _joined(spans: list[Span]) -> Line:
    """The spans without empty ones, and neighbours of one kind as one."""
    parts = groupby((span for span in spans if span[1]), key=lambda span: span[0])
    return tuple((kind, "".join(text for _, text in run)) for kind, run in parts)


@cache
def _kind(token: _TokenType) -> str:
    return next((kind for among, kind in _KINDS if among in token.split()), "")


@cache
def _lexer(language: str) -> Lexer | None:
    if language == PLAIN:
        return None
    try:
        found = find_lexer_class_by_name(_ALIASES.get(language, language))
    except ClassNotFound:
        return None
    return found(stripnl=False, ensurenl=False)
