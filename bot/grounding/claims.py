"""What a sentence claims: its words, and the names, values, lines and addresses in it. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final

from bot.grounding.language import foreign
from bot.grounding.values import claimed_values
from bot.markdown import Node, plain, walk
from bot.reading.interest import stem
from indexer.lexical import STOP_WORDS
from indexer.terms import NAME, terms, written_names

# A sentence with so many words says something, even without a name or a value.
TELLING_WORDS: Final = 4

_LETTER: Final = re.compile(r"[^\W\d_]")
_SILENT: Final = STOP_WORDS | {"doesn", "isn", "aren", "didn", "wasn", "weren", "hasn", "haven", "won", "couldn"}
URL: Final = re.compile(r"(?:(?:https?|ftp)://|\bwww\.)[^\s<>`\"'，。）)\]]*[^\s<>`\"'.,;:!?，。）)\]}*_]")
_LOCAL: Final = ("http://localhost", "http://127.0.0.1", "http://0.0.0.0")
PATH: Final = re.compile(
    r"(?<![\w/.@:-])(?:\.?[\w@-][\w.@-]*/)+[\w.@-]*\w\.[A-Za-z]\w{0,5}\b"
    r"|(?<![\w/.-])[\w-]+\.(?:py|pyi|md|rst|rs|cu|cuh|cpp|cc|hpp|go|ts|js|java|sh|ya?ml|toml|json|cfg|ini)\b(?![(\w])"
)
_LINES: Final = re.compile(
    r"(?:\.[A-Za-z]\w{0,4}:|#L|\b[Ll]ines?\s+)(\d+)(?:\s*(?:[-–]|to|and)\s*L?(\d+))?(?![\w.]*\w)"
)
# Between Latin letters or digits and a script that sets no blanks: `4096` in "は4096です".
_SCRIPTS: Final = re.compile(r"(?<=[A-Za-z\d_])(?=[^\W\d_A-Za-zÀ-ɏ])|(?<=[^\W\d_A-Za-zÀ-ɏ])(?=[A-Za-z\d_])")
_ROUTE: Final = re.compile(r"(?:(?:GET|POST|PUT|PATCH|DELETE|HEAD)\s+)?(/[\w{}.-]+(?:/[\w{}.-]+)*)/?")
_CALLED: Final = re.compile(r"(?<![\w.:])[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*\(\)|(?<![\w.:])[A-Za-z_]\w*(?:::\w+)+")
# `CPUs` and `IDs` are written as names are, and are none.
_PLURAL: Final = re.compile(r"[A-Z]{2,}s")
# The name at the start of a code span: `a.b`, `A::b(x)`, `name=…`, `dict[str]`; not the first word of a command.
_SPANNED: Final = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|-)[A-Za-z_]\w*)*(?=[(<\[{=:]|\Z)")
_SHORT_FLAG: Final = re.compile(r"-[A-Za-z][\w-]*")
_LITERALS: Final = frozenset("true false none null nil undefined self cls int str float bool".split())
# How a sentence says that a name is not there.
_ABSENCE: Final = re.compile(
    r"n[o'’]t (?:\w+ ){0,2}(?:exist|occur|appear|found|find|present|known|defined|declared|there|available|supported"
    r"|accepted|recogni[sz]ed|documented|mentioned|listed|an?|any|part|in|read)\b"
    r"|\b(?:nowhere|no such|no longer|unknown|removed|gone|unsupported|neither|has no|have no)\b"
    r"|\bthere(?:['’]s| is| are) no\b",
    re.IGNORECASE,
)
# How it says that the passages do not answer.
_ADMISSION: Final = re.compile(
    r"\b(?:passages?|sources?|excerpts?|documentation|docs)\b.{0,60}\b(?:do(?:es)?|did)(?: not|n['’]t) (?:\w+ ){0,2}"
    r"(?:say|mention|contain|answer|describe|cover|specify|explain|tell|show|state|provide|include|discuss|address)"
    r"|\b(?:no passage|none of the passages)\b"
    r"|\bnot (?:\w+ )?(?:mentioned|covered|documented|stated|specified|described|answered|shown) in the passages",
    re.IGNORECASE | re.DOTALL,
)
# What a piece of code names itself. `name=` without blanks is an argument or an environment variable.
_OWN: Final = re.compile(
    r"^\s*(?:let\s+|let\s+mut\s+|const\s+|var\s+)?([A-Za-z_][\w, ]{0,80}?)(?:\s*:[^=\n]{1,40})?\s+=\s"
    r"|\b(?:def|class|fn|function|for|as|struct)\s+([A-Za-z_]\w*)(?:\(([^()\n]*)\))?",
    re.MULTILINE,
)
_QUESTION: Final = re.compile(r"[?？؟][\"'”’)*_\s]*\Z")


@dataclass(frozen=True, slots=True)
class Claim:
    """What a text says, without its citations. `foreign`: its words are of another language than English. `urls` are
    the addresses in it that lead elsewhere; of `code`, the lines that have one."""

    text: str
    words: Set[str]
    names: Set[str]
    values: Set[str]
    lines: Set[int]
    urls: Set[str]
    foreign: bool
    code: bool = False

    @property
    def denies(self) -> bool:
        """Whether it may say that something does not exist."""
        return _ABSENCE.search(self.text) is not None

    @property
    def admits(self) -> bool:
        """Whether it says of the passages that they do not answer."""
        return _ADMISSION.search(self.text) is not None

    @property
    def asks(self) -> bool:
        """Whether it is a question, which claims nothing."""
        return _QUESTION.search(self.text) is not None

    @property
    def exact(self) -> bool:
        """Whether there is something in it that must be found as it stands."""
        return bool(self.names or self.values or self.lines or self.urls)

    @property
    def telling(self) -> bool:
        """Whether it says something that can be right or wrong of the repository."""
        return self.exact or len(self.words) >= TELLING_WORDS


def claim_of(nodes: Sequence[Node]) -> Claim:
    """What inline nodes without citations claim."""
    text = plain(nodes)
    coded = [node.text for node in _leaves(nodes) if node.kind == "code_inline"]
    apart = "".join(f" {node.text} " if node.kind == "code_inline" else plain([node]) for node in _leaves(nodes))
    said = _SCRIPTS.sub(" ", URL.sub(" ", apart))
    numbered = (claimed_values(code, code=True) for code in coded if not _LINES.search(code))
    return Claim(
        text,
        content_words(said),
        frozenset((*_names(said), *(name for code in coded for name in _spanned(code)))),
        claimed_values(_LINES.sub(" ", said)).union(*numbered),
        frozenset(int(line[-9:]) for found in _LINES.findall(said) for line in found if line),
        frozenset(url for url in URL.findall(text) if not url.startswith(_LOCAL)),
        foreign("".join(node.text if node.kind == "text" else " " for node in _leaves(nodes))),
    )


def _leaves(nodes: Sequence[Node]) -> Iterator[Node]:
    return (node for top in nodes for node in walk(top) if not node.children)


def content_words(text: str) -> frozenset[str]:
    """The stems of the words in a text that say something; numbers are none."""
    return frozenset(
        stem(term) for term in terms(text) if len(term) > 1 and term not in _SILENT and _LETTER.search(term)
    )


def _names(text: str) -> Iterator[str]:
    yield from PATH.findall(text)
    rest = PATH.sub(" ", text)
    yield from (name for name in written_names(rest) if not _PLURAL.fullmatch(name))
    for called in _CALLED.findall(rest):
        yield from _parts(called)


def _spanned(code: str) -> Iterator[str]:
    """The names that stand in a code span because it is code, whatever they look like."""
    code = code.strip()
    route = _ROUTE.fullmatch(code)
    if PATH.search(code) or URL.search(code):
        return
    if route:
        yield route[1]
    elif _SHORT_FLAG.fullmatch(code):
        yield code
    elif found := _SPANNED.match(code.strip("\"'")):
        yield from _parts(found[0])


def _parts(name: str) -> list[str]:
    parts = re.split(r"\.|::", name.removesuffix("()"))
    return [part for part in parts if len(part) > 1 and part.lower() not in _LITERALS]


def code_claim(code: str) -> Claim:
    """What a block of code claims: that there is what it names, but for what it defines itself."""
    own = {name for found in _OWN.findall(code) for part in found for name in NAME.findall(part)}
    names = frozenset(name for name in _names(URL.sub(" ", code)) if name not in own)
    nothing: frozenset[int] = frozenset()
    lines = (line.strip() for line in code.split("\n"))
    leading = frozenset(line for line in lines if any(not url.startswith(_LOCAL) for url in URL.findall(line)))
    return Claim(code, content_words(code), names, frozenset(), nothing, leading, foreign=False, code=True)
