"""An index becomes a package to mine: its texts, and what each name in it is defined by."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from indexer.catalog import Catalog
from indexer.records import Snapshot, StoredChunk
from indexer.types import FileKind

JOINT = re.compile(r"\.|::|#")
FLAG = re.compile(r"""["'](--[a-z][\w-]{3,})["']""")
VARIABLE = re.compile(r"""["']([A-Z][A-Z0-9]+_[A-Z0-9_]+)["']""")
OPTION_CALL = re.compile(r"add_argument\s*\(|option\s*\(|Option\s*\(|add_parser\s*\(")
RESERVED = frozenset(dir(builtins)) | frozenset(keyword.kwlist) | {"self", "cls", "args", "kwargs", "true", "false"}
# A name with more places than this is a word, not a name.
MOST_PLACES = 3
SHORTEST_NAME = 4
# Tests that do not call themselves so, and other projects' code.
FOREIGN = re.compile(r"(^|/)(t|testing|benchmarks?|examples?|conftest\.py|extern\w*|third_?party|vendor\w*)(/|$)")
# Pieces of one definition that stand in chunks one after the other are that far apart at most.
PIECE_GAP = 3
LONGEST_STATEMENT = 15


@dataclass(frozen=True, slots=True)
class Text:
    """One file of the version, lines without their ends; line n is `lines[n - 1]`."""

    path: str
    language: str
    kind: FileKind
    lines: tuple[str, ...]

    @property
    def prose(self) -> bool:
        return self.kind == "docs" and self.language in {"markdown", "rst"}


@dataclass(frozen=True, slots=True)
class Spot:
    """The lines (1-based, inclusive) that define a name; `noun` is what a person calls such a thing."""

    name: str
    path: str
    start_line: int
    end_line: int
    noun: str

    @property
    def last(self) -> str:
        return JOINT.split(self.name)[-1]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading path with all lines below it, up to the next heading."""

    headings: tuple[str, ...]
    path: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Package:
    """What the miners read. `definitions` are those of code that is neither a test nor generated."""

    name: str
    texts: Mapping[str, Text]
    definitions: Sequence[Spot]
    sections: Sequence[Section]
    places: Mapping[str, Sequence[Spot]]

    def resolve(self, written: str) -> list[Spot]:
        """The places that define a name as documentation writes it (`pkg.Class.method()`, `--flag`, `VARIABLE`).

        Empty when there are none, when there are too many, or when the name may be an ordinary word.
        """
        called, name = written.endswith("()"), written.strip("~.!()")
        *outer, last = JOINT.split(name)
        found = [s for s in self.places.get(last, ()) if not any(o.startswith("_") for o in JOINT.split(s.name)[:-1])]
        narrowed = [s for s in found if outer and JOINT.split(s.name)[-2:-1] == outer[-1:]]
        found = narrowed or [s for s in found if not outer or _in_module(s, outer[-1])]
        plain_word = last.islower() and "_" not in last and not last.startswith("-") and not (outer or called)
        shouted = last.isupper() and "_" not in last and len(last) < 6
        if plain_word or shouted or last in RESERVED or len(last) < SHORTEST_NAME or last.startswith("__"):
            return []
        return list(found) if 0 < len(found) <= MOST_PLACES else []

    def twins(self, spot: Spot) -> tuple[Spot, ...]:
        """The places of a definition, itself first, as it may be declared in one file and written in another.

        Empty when so many are called the same that the name does not tell which is meant.
        """
        inner = JOINT.split(spot.name)[-2:]
        others = [
            s
            for s in self.places.get(spot.last, ())
            if s != spot and len(inner) > 1 and JOINT.split(s.name)[-2:] == inner
        ]
        return (spot, *others) if len(others) < MOST_PLACES else ()


def read_package(catalog: Catalog, snapshot: Snapshot, name: str) -> Package:
    """The package that an indexed version is."""
    chunks = list(catalog.all_chunks(snapshot))
    texts: dict[str, Text] = {}
    for chunk in chunks:
        if chunk.path not in texts and not chunk.generated and not FOREIGN.search(chunk.path):
            whole = catalog.text(snapshot, chunk.path) or ""
            texts[chunk.path] = Text(chunk.path, chunk.language, chunk.kind, tuple(whole.split("\n")))
    code = [c for c in chunks if c.kind == "code" and c.path in texts]
    definitions = _definitions(code, texts)
    places: dict[str, list[Spot]] = defaultdict(list)
    for spot in (*definitions, *_literals(texts)):
        places[spot.last].append(spot)
    return Package(name, texts, definitions, _sections(chunks, texts), dict(places))


def statement_end(lines: Sequence[str], start: int) -> int:
    """The line on which the statement that starts on line `start` closes its brackets (strings are not parsed)."""
    depth = 0
    for number in range(start, min(len(lines), start + LONGEST_STATEMENT) + 1):
        line = lines[number - 1]
        depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
        if depth <= 0:
            return number
    return min(len(lines), start + LONGEST_STATEMENT)


def _definitions(chunks: Sequence[StoredChunk], texts: Mapping[str, Text]) -> list[Spot]:
    spots: list[Spot] = []
    latest: dict[tuple[str, str], int] = {}
    for stored in chunks:
        for found in stored.chunk.definitions:
            key = (stored.path, found.name)
            before = spots[latest[key]] if key in latest else None
            if before and found.start_line - before.end_line <= PIECE_GAP:
                spots[latest[key]] = Spot(
                    before.name, before.path, before.start_line, max(before.end_line, found.end_line), before.noun
                )
                continue
            if before and before.noun == "class":
                continue  # what follows the first method is said by the class's own start
            latest[key] = len(spots)
            line = texts[stored.path].lines[found.start_line - 1]
            spots.append(Spot(found.name, stored.path, found.start_line, found.end_line, _noun(found.name, line)))
    return spots


def _noun(name: str, line: str) -> str:
    *outer, last = JOINT.split(name)
    before_value = line.split("=", maxsplit=1)[0]
    if re.search(r"\b(class|struct|enum|trait|interface|impl)\b", before_value):
        return "class"
    if re.search(r"\b(def|fn|func|function)\b|^\s*(@|template)|\w\s*\(", before_value):
        return "method" if outer and "::" not in name else "function"
    return "constant" if last.isupper() else "setting" if outer else "variable"


def _literals(texts: Mapping[str, Text]) -> Iterator[Spot]:
    """Options and environment variables, where code spells them."""
    for text in texts.values():
        if text.kind != "code":
            continue
        for number, line in enumerate(text.lines, start=1):
            for match in FLAG.finditer(line):
                start = _call_start(text.lines, number)
                if start:
                    yield Spot(match[1], text.path, start, statement_end(text.lines, start), "option")
            if "environ" in line or "getenv" in line or "env::var" in line:
                for match in VARIABLE.finditer(line):
                    end = statement_end(text.lines, number)
                    yield Spot(match[1], text.path, number, end, "environment variable")


def _call_start(lines: Sequence[str], number: int) -> int | None:
    """The line of the call that declares the option on line `number`, if one does."""
    return next((n for n in range(number, max(0, number - 4), -1) if OPTION_CALL.search(lines[n - 1])), None)


def _sections(chunks: Sequence[StoredChunk], texts: Mapping[str, Text]) -> list[Section]:
    starts: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for stored in chunks:
        if stored.path in texts and texts[stored.path].prose:
            for found in stored.chunk.definitions:
                starts[stored.path].append((found.start_line, found.name))
    sections: list[Section] = []
    for path, headed in starts.items():
        ends = [start - 1 for start, _ in sorted(headed)[1:]] + [len(texts[path].lines)]
        for (start, symbol), end in zip(sorted(headed), ends, strict=True):
            last = end
            while last > start and not texts[path].lines[last - 1].strip():
                last -= 1
            sections.append(Section(tuple(symbol.split(" > ")), path, start, last))
    return sections


def _in_module(spot: Spot, module: str) -> bool:
    return f"/{module}." in f"/{spot.path}" or f"/{module}/" in f"/{spot.path}"
