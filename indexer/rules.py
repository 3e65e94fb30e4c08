"""What is said of paths: ignore patterns (settings, `.repopilotignore`, defaults) and `.gitattributes`.

Patterns are those of gitignore (https://git-scm.com/docs/gitignore), read by pathspec. The last pattern that matches
decides; the settings go before the repository's files, a deeper file before a higher one, and all before the defaults.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.decoding import decode
from indexer.types import Entry, Skipped, Source

if TYPE_CHECKING:  # a tenth of a second that a run without patterns need not wait for
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

IGNORE_FILE = ".repopilotignore"
ATTRIBUTES_FILE = ".gitattributes"
# Folders that package managers and tools fill. `vendor` and `third_party` hold code that people do ask about.
TOOL_FOLDERS = frozenset(
    {"node_modules", "bower_components", "site-packages", ".venv", "venv", "__pycache__", ".tox", ".nox", ".eggs"}
    | {".git", ".hg", ".svn", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints", ".terraform"}
)
TOOL_FOLDER_SUFFIXES = (".dist-info", ".egg-info")
# https://github.com/github-linguist/linguist/blob/main/docs/overrides.md
_ASIDE_ATTRIBUTES = ("linguist-generated", "linguist-vendored")
_FALSE = ("false", "0", "no", "off")


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The patterns of one origin ("REPOPILOT_EXCLUDE", "docs/.repopilotignore"), for paths below `folder`."""

    origin: str
    folder: str
    patterns: Sequence[GitIgnoreSpecPattern]

    def ignores(self, path: str) -> tuple[bool, str] | None:
        """Whether the path is left out and by which pattern, or None when no pattern is about it."""
        if not path.startswith(self.folder):
            return None
        inner = path[len(self.folder) :]
        for pattern in reversed(self.patterns):
            if pattern.match_file(inner):
                return bool(pattern.include), str(pattern.pattern)
        return None


@dataclass(frozen=True, slots=True)
class _Attribute:
    """A line of `.gitattributes` in `folder` that says whether files stand aside."""

    folder: str
    pattern: GitIgnoreSpecPattern
    aside: bool

    def matches(self, path: str) -> bool:
        """A pattern that matches a folder says nothing of the files in it (https://git-scm.com/docs/gitattributes)."""
        if not path.startswith(self.folder):
            return False
        found = self.pattern.match_file(path[len(self.folder) :])
        return found is not None and not found.match.groupdict().get("ps_d")


@dataclass(frozen=True, slots=True)
class Rules:
    """All that is said of a source's paths. `problems` are lines of its files that cannot be read."""

    ignores: Sequence[_Patterns] = ()
    attributes: Sequence[_Attribute] = ()
    problems: Sequence[str] = ()

    def ignored(self, path: str) -> str | None:
        """Why the path is left out, or None."""
        said = ((origin, origin.ignores(path)) for origin in self.ignores)
        origin, verdict = next(((origin, verdict) for origin, verdict in said if verdict), (None, None))
        if origin and verdict:
            return f"excluded by the pattern {verdict[1]} in {origin.origin}" if verdict[0] else None
        return next(filter(None, map(excluded_folder, path.split("/")[:-1])), None)

    def aside(self, path: str) -> bool | None:
        """Whether `.gitattributes` calls the file generated or vendored; None when it says nothing."""
        return next((line.aside for line in reversed(self.attributes) if line.matches(path)), None)


def excluded_folder(name: str) -> str | None:
    """Return why, by default, nothing below a folder of this name is indexed, or None."""
    if name in TOOL_FOLDERS or name.endswith(TOOL_FOLDER_SUFFIXES):
        return f"excluded: {name}/ holds vendored or generated files"
    return None


def read_rules(source: Source, entries: Iterable[Entry | Skipped], exclude: Sequence[str]) -> Rules:
    """The rules of a source: its own files are read, wherever in it they lie. `exclude` are the settings' patterns."""
    wanted = [
        entry
        for entry in entries
        if isinstance(entry, Entry)
        and entry.mode == "file"
        and entry.path.rpartition("/")[2] in (IGNORE_FILE, ATTRIBUTES_FILE)
    ]
    texts = {file.path: decode(file) for file in source.read(wanted)} if wanted else {}
    return rules_of(texts, exclude)


def rules_of(texts: Mapping[str, str], exclude: Sequence[str] = ()) -> Rules:
    """The rules in the texts of ignore and attributes files, by path, and in the settings' patterns."""
    problems: list[str] = []
    ignores, attributes = list[_Patterns](), list[_Attribute]()
    if exclude:
        ignores.append(_Patterns("REPOPILOT_EXCLUDE", "", _compiled("REPOPILOT_EXCLUDE", exclude, problems)))
    for path in sorted(texts, key=lambda path: -path.count("/")):
        if path.endswith(IGNORE_FILE):
            lines = texts[path].splitlines()
            ignores.append(_Patterns(path, path.removesuffix(IGNORE_FILE), _compiled(path, lines, problems)))
    for path in sorted(texts, key=lambda path: path.count("/")):
        if path.endswith(ATTRIBUTES_FILE):
            attributes += _attributes(path, texts[path], problems)
    return Rules(ignores, attributes, problems)


def _compiled(origin: str, lines: Sequence[str], problems: list[str]) -> list[GitIgnoreSpecPattern]:
    from pathspec.patterns.gitignore.base import GitIgnorePatternError
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    found: list[GitIgnoreSpecPattern] = []
    for number, line in enumerate(lines, start=1):
        try:
            pattern = GitIgnoreSpecPattern(line)
        except GitIgnorePatternError as error:
            problems.append(f"{origin}: line {number} is no ignore pattern ({error})")
            continue
        if pattern.include is not None:  # else a comment or a blank line
            found.append(pattern)
    return found


def _attributes(path: str, text: str, problems: list[str]) -> Iterator[_Attribute]:
    for line in text.splitlines():
        pattern, *words = _words(line)
        said = [aside for aside in map(_aside, words) if aside is not None]
        if said and not pattern.startswith(("#", "!", "[attr]")):
            for compiled in _compiled(path, [pattern], problems):
                yield _Attribute(path.removesuffix(ATTRIBUTES_FILE), compiled, any(said))


def _words(line: str) -> list[str]:
    """A line's pattern, which may be quoted, and its attributes."""
    try:
        return shlex.split(line, posix=line.lstrip().startswith('"')) or [""]
    except ValueError:  # a quote without its partner
        return line.split() or [""]


def _aside(word: str) -> bool | None:
    """What one attribute says: set, `=true`; unset `-`, `=false`; None when it is another attribute or unspecified."""
    name, _, value = word.lstrip("-").partition("=")
    if name not in _ASIDE_ATTRIBUTES:
        return None
    return not word.startswith("-") and value.lower() not in _FALSE
