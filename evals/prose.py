"""Documentation files become sentences that know which names they mark up as code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evals.corpus import Text

MARKUP = re.compile(
    r":[\w:]+:`(?P<role>[^`]+)`|``(?P<double>[^`]+)``|`(?P<single>[^`<]+)`(?!_)"  # `text`_ is a link, not code
)
IDENTIFIER = re.compile(r"[~.!]{0,2}[A-Za-z_][\w.]*(?:::\w+)*(?:\(\))?|--[a-z][\w-]+")
LINK = re.compile(r"`([^`<]+?)\s*<[^>]+>`_{1,2}|\[([^\]]+)\]\([^)]+\)|`([^`]+)`_{1,2}")
BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|#\.)\s+")
BREAK = re.compile(r"^\s*(\.\. |#{1,6}\s|>>>|\$ |\||<|!!!|:\w+[^`]*:|[=\-~^\"'#*+]{3,}\s*$)")
DIRECTIVE = re.compile(
    r"(?P<indent>\s*)\.\. (?:py:|c:|cpp:)?(?P<what>function|method|classmethod|staticmethod|class|exception|attribute|"
    r"data|decorator|coroutine)::\s+(?:async |abstract )*(?P<name>[\w.]+)"
)
INSIDE = re.compile(r"\s*(\.\. (?!version)|:\w+.*:)")
ITEM = re.compile(
    r"\s*[-*]\s+`{1,2}(?P<name>[\w.:-]+(?:\(\))?)`{1,2}(?:\s*\([^)]*\))?\s*(?::| --?| –| —)\s+(?P<said>[A-Z].+)"
)
SENTENCE = re.compile(r"(?<=[\w)`'\"])[.!?]\s+(?=[A-Z`:\"(])")
UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}\s*$")
MARK = "\N{WHITE SQUARE}"
"""Stands for the one name of a sentence while it is reworded."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence with its markup; `line` is where its paragraph starts."""

    raw: str
    path: str
    line: int
    whole: bool = True
    """Whether it ends as sentences do; list items may not."""

    @property
    def names(self) -> list[str]:
        """Marked-up names as written, each once."""
        return list(dict.fromkeys(name for match in MARKUP.finditer(self.raw) if (name := _marked(match))))

    @property
    def quoted(self) -> int:
        """How many pieces are marked up, names or not."""
        return len(MARKUP.findall(self.raw))

    def plain(self, name: str = "", instead: str = MARK) -> str:
        """The words without markup; where `name` is marked up, `instead` stands."""

        def shown(match: re.Match[str]) -> str:
            return instead if name and _marked(match) == name else _shown(match)

        text = MARKUP.sub(shown, LINK.sub(lambda m: m[1] or m[2] or m[3], self.raw))
        return re.sub(r"\s+", " ", re.sub(r"\*\*?|\\", "", text)).strip()


def sentences(text: Text) -> Iterator[Sentence]:
    """The sentences of a Markdown or reStructuredText file, in order; code, tables and directives have none."""
    for line, paragraph in paragraphs(text.lines):
        pieces = SENTENCE.split(paragraph)
        for number, raw in enumerate(pieces, start=1):
            whole = number < len(pieces) or paragraph.rstrip().endswith(".")
            yield Sentence(raw.strip().rstrip("."), text.path, line, whole)


def entries(text: Text) -> Iterator[tuple[str, Sentence]]:
    """(name, first sentence) of each thing that a reference describes: directives and `name`: lists."""
    outer: list[tuple[int, str]] = []
    for number, line in enumerate(text.lines, start=1):
        if match := DIRECTIVE.match(line):
            indent, name = len(match["indent"]), match["name"]
            outer = [(depth, above) for depth, above in outer if depth < indent]
            said = _below(text.lines[number : number + 12], indent)
            if match["what"] in {"class", "exception", "autoclass"}:
                outer.append((indent, name))
            elif outer and "." not in name:
                name = f"{outer[-1][1]}.{name}"
            if said:
                yield f"{name}()", Sentence(SENTENCE.split(said)[0].rstrip("."), text.path, number)
        elif match := ITEM.match(line):
            following = [line.strip() for line in text.lines[number : number + 4]]
            until = next(
                (n for n, more in enumerate(following) if not more or BREAK.match(more) or BULLET.match(more)), 4
            )
            said = " ".join((match["said"], *following[:until]))
            yield match["name"], Sentence(SENTENCE.split(said)[0].rstrip("."), text.path, number)


def _below(lines: Sequence[str], indent: int) -> str:
    """The first paragraph of prose inside a directive; empty when a directive or field comes first."""
    found = next(paragraphs(lines), None)
    if found is None or any(INSIDE.match(line) for line in lines[: found[0]]):
        return ""
    if any(len(line) - len(line.lstrip()) <= indent for line in lines[: found[0]] if line.strip()):
        return ""
    return found[1]


def paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """(first line, words on one line) of each paragraph and list item of prose."""
    start, words, fenced, code_indent = 0, list[str](), False, -1
    for number, line in enumerate((*lines, ""), start=1):
        indent = len(line) - len(line.lstrip())
        if line.strip() and indent <= code_indent:
            code_indent = -1
        fence = line.lstrip().startswith("```")
        ends = not line.strip() or fence or fenced or code_indent >= 0 or BREAK.match(line) or BULLET.match(line)
        if ends and words:
            if words[-1].endswith("::"):
                code_indent = len(lines[start - 1]) - len(lines[start - 1].lstrip())
            if not UNDERLINE.match(line):
                yield start, " ".join(words)
            words = []
        fenced ^= fence
        if re.match(r"\s*\.\. (code|sourcecode|testcode|literalinclude|parsed|doctest|image|math|toctree|table)", line):
            code_indent = indent
        if fence or fenced or code_indent >= 0 or not line.strip() or (BREAK.match(line) and not BULLET.match(line)):
            continue
        if not words:
            start = number
        words.append(BULLET.sub("", line).strip())


def _marked(match: re.Match[str]) -> str | None:
    token = _target(match)
    return token if IDENTIFIER.fullmatch(token) else None


def _target(match: re.Match[str]) -> str:
    token = match["role"] or match["double"] or match["single"]
    inner = re.search(r"<([^>]+)>$", token)
    return (inner[1] if inner else token).strip()


def _shown(match: re.Match[str]) -> str:
    token = (match["role"] or match["double"] or match["single"]).strip()
    text = re.sub(r"\s*<[^>]+>$", "", token)
    if match[0].startswith((":rfc:", ":pep:")):
        return f"{match[0][1:4].upper()} {text}"
    return text.rsplit(".", 1)[-1] if text.startswith("~") else text.lstrip("!.")
