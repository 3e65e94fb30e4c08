"""A line that a document shows becomes simple commands: words, the variables set before them, and where they run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

OPTIONAL = re.compile(r"(?<=\s)\[([^\]]+)\]")
ASSIGNMENT = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)", re.DOTALL)
HERE = PurePosixPath()
BETWEEN = {"&&", ";", "|", "||"}


@dataclass(frozen=True, slots=True)
class Simple:
    """`words` are empty where only variables are set. `folder` is where `cd` has led."""

    words: tuple[str, ...]
    variables: Mapping[str, str]
    folder: PurePosixPath = HERE

    @property
    def program(self) -> str:
        """What is run, without the folder that it lies in."""
        name = self.words[0] if self.words else ""
        return name if name.startswith("./") else PurePosixPath(name).name

    @property
    def arguments(self) -> tuple[str, ...]:
        return self.words[1:]

    def __str__(self) -> str:
        return shlex.join([*(f"{name}={value}" for name, value in self.variables.items()), *self.words])


def variants(line: str) -> list[str]:
    """A synopsis without what it has in brackets, and with all of it, once for each of `[one | another]`."""
    choices = [[choice.strip() for choice in found.split("|")] for found in OPTIONAL.findall(line)]
    most = max(map(len, choices), default=0)
    made = [OPTIONAL.sub("", line)]
    for at in range(most):
        chosen = iter([choice[min(at, len(choice) - 1)] for choice in choices])
        made.append(OPTIONAL.sub(lambda _, chosen=chosen: next(chosen), line))
    return made


def simple_commands(line: str) -> Iterator[Simple]:
    """The commands of a line, one after the other; what follows `#` is for people."""
    folder = HERE
    for words in _parted(line):
        command = _simple(words, folder)
        if command.program == "cd":
            folder = folder / command.words[1]
        yield command


def _parted(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="&|;")
    lexer.whitespace_split = True
    words = list[str]()
    for word in lexer:
        if word in BETWEEN:
            yield words
            words = []
        else:
            words.append(word)
    if words:
        yield words


def _simple(words: Sequence[str], folder: PurePosixPath) -> Simple:
    variables = dict[str, str]()
    rest = list(words)
    while rest and (found := ASSIGNMENT.fullmatch(rest[0])):
        variables[found[1]] = found[2]
        rest.pop(0)
    if rest[:2] == ["sudo", "-u"]:
        inner = _simple(rest[3:], folder)
        return Simple(inner.words, variables | dict(inner.variables), folder)
    return Simple(tuple(rest), variables, folder)
