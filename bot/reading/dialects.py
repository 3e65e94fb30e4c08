"""Documentation as sites and Sphinx read it becomes CommonMark without what only they understand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

# https://squidfunk.github.io/mkdocs-material/reference/admonitions/, …/content-tabs/, and pymdownx.snippets
_MARKER: Final = re.compile(r"( *)(?:!!!|\?\?\?\+?|===[!+]?) +(?:[\w-]|[\"'])")
_SNIPPET: Final = re.compile(r"\s*;*-+8<-+")
# `[text][reference]` and `[^1]`, outside code spans: what they refer to is elsewhere.
_REFERENCE: Final = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|(?<![!\w\]])\[(?P<text>(?:[^\[\]`]|`[^`]*`)+)\]\[[^\[\]]*\]"
    r"|\[\^[^\]\s]+\]:?"
)
FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})(.*)")
# A fence that is no code: MyST's, and others' way to write an admonition.
_ADMONITION: Final = re.compile(
    r"\s*\{?(?:note|tip|warning|important|info|caution|danger|attention|hint|admonition|seealso)\b", re.IGNORECASE
)
_DIRECTIVE: Final = re.compile(r"( *)\.\. +([\w-]+)::\s*(.*)$")
_RST_OPTION: Final = re.compile(r"\s*:[\w-]+:( |$)")
_ROLE: Final = re.compile(r":[\w:-]+:`([^`<]*?)(?:\s*<[^`]*>)?`")
_RST_LINE: Final = re.compile(r"([=\-~^\"'#*+.:_`])\1{2,}\s*$")
_RST_HELD: Final = dict.fromkeys(("code-block", "code", "sourcecode", "highlight"), "code") | dict.fromkeys(
    ("image", "figure", "toctree", "include", "contents", "raw", "literalinclude"), "nothing"
)


def commonmark(lines: Sequence[str], language: str, first_line: int) -> list[str]:
    """The lines as CommonMark. `first_line` is theirs in the file: only at its start is a ruled line front matter."""
    if language == "rst":
        return list(_without_mkdocs(_without_rst(lines)))
    return list(_without_mkdocs(_without_front_matter(lines) if first_line == 1 else lines))


def _without_front_matter(lines: Sequence[str]) -> Sequence[str]:
    if not lines or lines[0].rstrip() != "---":
        return lines
    end = next((at for at, line in enumerate(lines) if at and line.rstrip() in ("---", "...")), 0)
    return lines[end + 1 :] if end else lines


def _without_mkdocs(lines: Sequence[str]) -> Iterator[str]:
    """Markdown without the markers of MkDocs: what an admonition or a tab holds moves to the margin."""
    margins: list[int] = []
    closing, note = "", False
    for line in lines:
        indent = len(line) - len(line.lstrip(" "))
        while margins and line.strip() and indent < margins[-1] and not closing:
            margins.pop()
        dedented = line[min(indent, 4 * len(margins)) :] if margins else line
        if closing:
            closes = dedented.strip().startswith(closing) and not dedented.strip().strip(closing[0])
            closing = "" if closes else closing
            yield "" if note and closes else dedented
        elif match := FENCE.match(dedented):
            closing, note = match[1], bool(_ADMONITION.match(match[2]))
            yield "" if note else dedented
        elif match := _MARKER.match(line):
            margins.append(len(match[1]) + 4)
            yield ""
        elif _SNIPPET.match(line):
            yield ""
        else:
            yield _REFERENCE.sub(lambda match: match["code"] or match["text"] or "", dedented)


def _without_rst(lines: Sequence[str]) -> list[str]:
    """reStructuredText brought near enough to Markdown: directives, roles, literal blocks, underlined titles."""
    shown: list[str] = []
    margin, held = -1, ""  # where the current directive stands, and what it is: words, code or nothing to show
    for line in lines:
        indent = len(line) - len(line.lstrip(" "))
        if margin >= 0 and line.strip() and indent <= margin:
            shown += _closed(shown, held)
            margin, held = -1, ""
        if margin >= 0:
            shown += _held(line, held, shown)
        elif match := _DIRECTIVE.match(line):
            margin, held = len(match[1]), _RST_HELD.get(match[2], "words")
            shown.append({"words": _unroled(match[3]), "code": f"```{match[3].split(' ')[0]}"}.get(held, ""))
        elif line.rstrip().endswith("::"):
            margin, held = indent, "code"
            shown += [_unroled(line.rstrip()[:-1]), "```"]
        elif _RST_LINE.match(line) or line.lstrip().startswith(".. "):
            title = shown.pop() if shown and shown[-1].strip() and not line.lstrip().startswith(".. ") else ""
            shown += [f"## {title}"] if title else [""]
        else:
            shown.append(_unroled(line))
    return [*shown, *_closed(shown, held)]


def _held(line: str, held: str, shown: Sequence[str]) -> list[str]:
    """A line inside a directive as it is shown: nothing for options, and for the blank lines above code."""
    if held not in ("words", "code") or _RST_OPTION.match(line):
        return []
    if held == "words":
        return [_unroled(line.strip())]
    return [line] if line.strip() or not shown[-1].startswith("```") else []


def _closed(shown: list[str], held: str) -> list[str]:
    """The end of a directive; blank lines at the end of its code are taken off `shown`."""
    while held == "code" and not shown[-1].strip():
        shown.pop()
    return ["```", ""] if held == "code" else []


def _unroled(line: str) -> str:
    """:class:`~pkg.Cache` is shown as `Cache`, as Sphinx does."""
    return _ROLE.sub(lambda match: f"`{match[1].split('.')[-1] if match[1].startswith('~') else match[1]}`", line)
