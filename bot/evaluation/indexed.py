"""The indexed version that an answer was read from, for looking up what the answer claims of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from bot.names import unknown_among
from bot.types import Citation
from indexer.catalog import Catalog
from indexer.lexical import LexicalIndex
from indexer.permalink import permalink
from indexer.records import Snapshot
from indexer.terms import plain_name


@dataclass(slots=True)
class Indexed:
    """Looks up citations and names in one version; what was asked once is remembered."""

    snapshot: Snapshot
    catalog: Catalog
    lexical: LexicalIndex
    _known: dict[str, bool] = field(default_factory=dict)

    def stored(self, citation: Citation) -> str | None:
        """The text of a citation's lines, or None when the file has no such lines."""
        text = self.catalog.text(self.snapshot, citation.path)
        lines = [] if text is None else text.split("\n")
        if not 1 <= citation.start_line <= citation.end_line <= len(lines):
            return None
        return "\n".join(lines[citation.start_line - 1 : citation.end_line])

    def link(self, citation: Citation) -> str:
        """The permanent link of exactly a citation's lines."""
        return permalink(self.snapshot.origin, citation.path, citation.start_line, citation.end_line)

    def unknown(self, names: Collection[str]) -> list[str]:
        """Those names and paths that are nowhere in the version. Cheapest when all come in one call: what a search does
        not find is looked for in every text, since a search misses names that stand in a longer one."""
        new = [name for name in dict.fromkeys(names) if name not in self._known]
        files = [f"/{file.path}".lower() for file in self.catalog.files(self.snapshot)] if new else []
        missing = {name for name in new if not (_is_file(name, files) if "/" in name else self._is_found(name))}
        missing -= self._written(missing)
        self._known |= {name: name not in missing for name in new}
        return [name for name in names if not self._known[name]]

    def _is_found(self, name: str) -> bool:
        return not unknown_among([name], self.snapshot, self.catalog, self.lexical)

    def _written(self, wanted: Iterable[str]) -> set[str]:
        """Those names and paths that some text of the version writes."""
        left = {name: _Spelling.of(name) for name in wanted}
        found: set[str] = set()
        for stored in self.catalog.all_chunks(self.snapshot) if left else ():
            lower = stored.chunk.text.lower()
            found |= {name for name, spelling in left.items() if spelling.is_in(lower)}
            for name in found & left.keys():
                del left[name]
        return found


@dataclass(frozen=True, slots=True)
class _Spelling:
    """How a name is found in text of lower case; `part` is looked for first, since patterns are slow."""

    part: str
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, name: str) -> _Spelling:
        plain = name.removeprefix("./").lower() if "/" in name else plain_name(name)
        joined = re.escape(plain).replace("_", "[-_]")
        pattern = re.compile(rf"(?<![a-z\d_])_*{joined}(?![a-z\d_])")
        return cls(max(plain.replace("-", "_").split("_"), key=len), pattern)

    def is_in(self, lower: str) -> bool:
        return self.part in lower and self.pattern.search(lower) is not None


def _is_file(path: str, files: Iterable[str]) -> bool:
    """Whether a file has this path, or ends with it."""
    return any(file.endswith("/" + path.removeprefix("./").lower()) for file in files)
