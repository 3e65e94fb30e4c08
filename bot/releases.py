"""A message becomes the releases of a project that it names, each with how the asker stands to it. Pure functions.

No project is known here: its name comes from the repository, and what its releases look like from those indexed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from packaging.version import InvalidVersion, Version

from bot.standing import NUMBER, PROJECT, Standing, Surety, Words, standing, surety, words_before

# https://packaging.python.org/en/latest/specifications/version-specifiers/, of two numbers or more.
_NUMBER: Final = (
    r"(?<![a-z\d.])v?(?P<number>[0-9]{1,6}(?:\.[0-9]{1,6}){1,4}"
    r"(?:[-_.]?(?:alpha|beta|preview|pre|post|dev|rc|a|b)[-_.]?[0-9]{1,6})*(?:\+[a-z0-9]+(?:[._-][a-z0-9]+)*)?)"
    r"(?:\.[x*])?(?![a-z\d]|\.\d)"
)
# What may stand between a name and its number.
_GAP: Final = (
    r"(?P<gap>(?:['’]s)?[ \t]{0,40}(?:===?|[@/(=:|,]|[-_](?=v(?:ersion)?\b|v?[0-9]|[ \t]))?[ \t]{0,40}"
    r"(?:(?:api|build|cli|client|core|current|docker|engine|image|installed|latest|library|nightly|package|release"
    r"|server|tag|ver|version|wheel|is|was|at|on)\b[ \t]{0,40}[:=|(]?[ \t]{0,40}){0,4})"
)
_LABEL: Final = re.compile(r"(?:\b|_)ver(?:sion)?\b", re.IGNORECASE)
_BARE: Final = re.compile(_NUMBER, re.IGNORECASE)
_TAGGED: Final = re.compile(rf"(?<=[\w-]):{_NUMBER}", re.IGNORECASE)
_ANY_NUMBER: Final = re.compile(r"\bv?\d+(?:\.\d+)+[\w+]*", re.IGNORECASE)
_UNIT: Final = re.compile(
    r"\s?(?:%|°|(?:[kmgt]i?b|[bkmx]|[mun]?s|secs?|seconds?|min|minutes?|h|hours?|tok(?:en)?s?|req|requests|times|percent"
    r"|fps|[kmg]?hz|gbps|tflops|billion|million)(?:/\w+)?(?![\w.]))",
    re.IGNORECASE,
)
_FENCED: Final = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_URL: Final = re.compile(r"\b(?:git\+)?(?:https?|ssh)://[^\s<>()\[\]\"'`]+", re.IGNORECASE)
_MARKUP: Final = re.compile(r"[`*\"“”]")
_LINKED: Final = re.compile(
    r"(?:/(?:releases/(?:tag|download)|tree|blob|raw|archive|tags?|en|project/[^/]+)/(?:refs/tags/)?|@)"
    r"([^/?#@]+?)(?:\.tar\.gz|\.zip)?(?=[/?#]|$)"
)
_NO_IMAGE: Final = re.compile(r"[^\w./:-]")
_ROW: Final = re.compile(r"[ \t>|-]*(?:\[\w+\])?[ \t]*")
_ROW_END: Final = re.compile(r"[ \t|]*(?:$|\n)|[ \t]{2,}\S|[ \t]+(?:pypi|/)")
_OF_ANOTHER: Final = re.compile(r"\s+of\s+(?!(?:it|the|this|that|course)\b)[a-z]", re.IGNORECASE)
_OF_PROJECT: Final = re.compile(rf"\s+of\s+(?:the\s+)?{PROJECT}")
# What may follow a number of two parts that is no measure.
_ENDS: Final = re.compile(
    r"\s*(?:$|[,.;:!?)(]"
    r"|(?:and|but|it|the|my|our|we|i|is|are|has|have|does|do|which|image|release|version|docker|build|when)\b)",
    re.IGNORECASE,
)
_NOT_BARE: Final = re.compile(r"[-_/\\@$#^]$|(?<![-=])[<>~!≤≥]=?\s*$")
# A line of nothing but a number is a field of a form, and the label above it says of what.
_ALONE: Final = re.compile(r"[ \t>|]*v?[0-9][\w.+-]*[ \t|]*(?:\n|$)")
_ASKING: Final = "your the current which what are you using is of release running do use installed exact".split()

# Characters, as many as GitHub's longest comment has. More is a log, which begins with what it is about.
LONGEST_READ: Final = 1 << 16
# Shorter names are part of too many others.
SHORTEST_PART: Final = 4
# How far beyond the releases that there are a bare number may lie: minor versions, and those of the next major one.
MINORS_AHEAD: Final = 20
MINORS_OF_NEXT: Final = 3
# From here on numbers are years or counters, and do not start at 1.
LARGE_MAJOR: Final = 100

_RELEASE: Final = re.compile(r"(?:.*[-_/])?(v?\d+(?:\.\d+)+\S*)")


@dataclass(frozen=True, slots=True)
class Mention:
    """A release that a message names, and at which character. Without a standing: one that the asker ran once, or that
    changed something."""

    version: Version
    standing: Standing | None
    at: int


def release(ref: str) -> Version | None:
    """The number of the release that a tag names (`v0.8.5`, `release-1.2`, `1.0.0rc1`), or None for anything else."""
    number = _RELEASE.fullmatch(ref)
    return _version(number[1]) if number else None


def mentions(text: str, project: str, known: Sequence[Version]) -> list[Mention]:
    """What a message names as releases of a project, in order. `known` are some that there are."""
    message = _Message(text[:LONGEST_READ], project, known)
    finders = (message.reported, message.images, message.named, message.linked, message.bare)
    found: dict[int, Mention] = {}
    for mention in (mention for finder in finders for mention in finder()):
        found.setdefault(mention.at, mention)
    return [found[at] for at in sorted(found)]


def plausible(version: Version, known: Sequence[Version]) -> bool:
    """Whether a number that nothing names looks like the project's releases, or newer ones. Numbers of Python
    (3.6 and later), which people mention most, are not taken for old releases."""
    like_python = version.major == 3 and version.minor >= 6 and not any(k.major == 3 and k.minor >= 6 for k in known)
    if like_python or not any(version.release):
        return False
    top = max((there.major for there in known), default=None)
    if top is None:
        return version.major < LARGE_MAJOR
    if version.major == top:
        return version.minor <= MINORS_AHEAD + max(there.minor for there in known if there.major == top)
    if version.major > top:
        return version.major == top + 1 and version.minor <= MINORS_OF_NEXT
    return top < LARGE_MAJOR or version.major >= top // 2


class _Message:
    """A text in forms of equal length: words have no addresses and emphasis, prose no code either, and in signs the
    project's name and all numbers are one character."""

    def __init__(self, text: str, project: str, known: Sequence[Version]) -> None:
        self._text, self._project, self._known = text, project, known
        self._whole = text.strip()
        self._name = spelled(project)
        plain = _blanked(_URL, text)
        self._words = _MARKUP.sub(" ", plain)
        self._prose = _MARKUP.sub(" ", _blanked(_FENCED, plain))
        signs = re.sub(self._name, lambda m: PROJECT.ljust(len(m[0])), self._words, flags=re.IGNORECASE)
        self._signs = _ANY_NUMBER.sub(lambda m: NUMBER.ljust(len(m[0])), signs)

    def reported(self) -> Iterator[Mention]:
        """What `pip show`, `--version`, `__version__` and the fields of issue forms say."""
        for pattern in _reports(self._name):
            for match in pattern.finditer(self._words):
                yield from self._mention(match, Standing.REPORTED)

    def named(self) -> Iterator[Mention]:
        """`name 0.9`, `name==0.9.2`, `name Version: 0.9.2`, and the rows of package lists."""
        for match in re.finditer(self._name + _GAP + _NUMBER, self._words, re.IGNORECASE):
            version = _version(match["number"])
            address = version and len(version.release) > 3 and not _LABEL.search(match["gap"])
            if version and not _UNIT.match(self._rest(match)) and (not address or plausible(version, self._known)):
                yield from self._mention(match, self._standing_of(match))

    def images(self) -> Iterator[Mention]:
        """Tags of container images whose name holds the project's."""
        for match in _TAGGED.finditer(self._text):
            image = _NO_IMAGE.split(self._text[max(0, match.start() - 200) : match.start()])[-1]
            version = _version(match["number"])
            if version and self._is_image(image) and plausible(version, self._known):
                stands = standing(words_before(self._signs, match.start() - len(image)), self._rest(match))
                yield from self._mention(match, max(stands, Standing.RUN) if stands else None)

    def linked(self) -> Iterator[Mention]:
        """Releases in addresses of the project's pages and archives."""
        for url in _URL.finditer(self._text):
            if re.search(self._name, url[0], re.IGNORECASE):
                archive = re.search(f"{self._name}-{_NUMBER}", url[0], re.IGNORECASE)
                page = _LINKED.search(url[0])
                version = release(page[1]) if page else archive and _version(archive["number"])
                if version:
                    yield Mention(version, Standing.ELSEWHERE, url.start())

    def bare(self) -> Iterator[Mention]:
        """Numbers that only the words around them, and the releases that there are, make the project's."""
        for match in _BARE.finditer(self._prose):
            before, rest = words_before(self._signs, match.start()), self._rest(match)
            near = self._words[max(0, match.start() - 4) : match.start()]
            if _UNIT.match(rest) or _OF_ANOTHER.match(rest) or _NOT_BARE.search(near):
                continue
            if _OF_PROJECT.match(rest) or self._is_release(match, before, rest):
                yield from self._mention(match, standing(before, rest))

    def _mention(self, match: re.Match[str], stands: Standing | None) -> Iterator[Mention]:
        version = _version(match["number"])
        if version:
            yield Mention(version, stands, match.start("number"))

    def _rest(self, match: re.Match[str]) -> str:
        return self._signs[match.end() : match.end() + 60]

    def _standing_of(self, match: re.Match[str]) -> Standing | None:
        """Of a release with its name: what a label or a row of a list says is more than prose."""
        line = self._words[max(0, match.start() - 200) : match.start()].rpartition("\n")[2]
        labelled = _LABEL.search(match["gap"]) and not set(":=|").isdisjoint(match["gap"])
        row = _ROW.fullmatch(line) and ("[" in line or _ROW_END.match(self._words, match.end()))
        if labelled or row:
            return Standing.REPORTED
        return standing(words_before(self._signs, match.start()), self._rest(match))

    def _is_image(self, image: str) -> bool:
        parts = [_plain(part) for part in re.split(r"[/_.-]", image)]
        name = _plain(self._project)
        return name in parts or (len(name) >= SHORTEST_PART and name in _plain(image))

    def _is_release(self, match: re.Match[str], before: Words, rest: str) -> bool:
        version = _version(match["number"])
        if version is None or not plausible(version, self._known):
            return False
        there, sure = version in self._known, surety(before)
        parts, marked = len(version.release), match[0][0] in "vV" or match[0][-1] in "xX*"
        if sure is Surety.NONE:  # `Starting the engine (v0.9.2)`, `name-server 0.9.2`
            return there and (marked or before[1:2] == [PROJECT])
        if marked or sure is Surety.CLEAR or self._whole == match[0]:
            return True
        if parts > 3 or (parts == 3 and version.major >= 1990):  # an address, or a date
            return there
        if parts == 3:
            return not _ALONE.match(match.string, match.string.rfind("\n", 0, match.start()) + 1)
        series = any(known.release[:2] == version.release for known in self._known)
        return series and before[:1] != [] and before[0] in ("in", "on", "since", "does") and bool(_ENDS.match(rest))


def spelled(project: str) -> str:
    """A pattern for a project's name as people write it: `my-project`, `my_project`, `MyProject`, `my project`."""
    letters = "[-_. ]?".join(map(re.escape, _plain(project)))
    return rf"(?<![a-z\d_.-]){letters}(?![a-z\d])"


@lru_cache(maxsize=64)
def _reports(name: str) -> tuple[re.Pattern[str], ...]:
    asked = rf"(?:{'|'.join(_ASKING)}|{name})[ \t?]"
    heading = rf"[ \t#]{{0,10}}(?:{asked}+){{0,6}}versions?\b[^\w\n]{{0,3}}(?:{asked}*){{0,6}}"
    forms = (
        rf"^Name:[ \t]*{name}[ \t]*\n(?:[A-Z][\w-]*:[^\n]*\n){{0,3}}?Version:[ \t]*{_NUMBER}",
        rf"{name}(?:\.__version__|[ \t]+(?:--version|-v))[^\w\n]{{0,10}}\n?[^\w\n]{{0,6}}(?:{name}{_GAP})?{_NUMBER}",
        rf"^{heading}\n\s{{0,20}}{_NUMBER}[ \t]*$",
    )
    return tuple(re.compile(form, re.MULTILINE | re.IGNORECASE) for form in forms)


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    """The text with blanks instead of what is matched; line ends stay."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _version(number: str) -> Version | None:
    try:
        return Version(number)
    except InvalidVersion:
        return None
