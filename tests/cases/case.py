"""One black-box case as its file gives it, and how a folder of them is read."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cases.builders import built


@dataclass(frozen=True, slots=True)
class Case:
    """`given` has its builders replaced already; `section` is the letter before the number."""

    id: str
    title: str
    given: Mapping[str, Any]
    expect: Mapping[str, Any]

    @property
    def section(self) -> str:
        return self.id.partition("-")[0]


def cases_of(folder: Path, sections: Collection[str] = (), only: Collection[str] = ()) -> list[Case]:
    """The cases of every JSON array in a folder, in order of id; empty `sections` or `only` means all."""
    found = [case for file in sorted(folder.glob("*.json")) for case in _cases(file)]
    chosen = [c for c in found if (not sections or c.section in sections) and (not only or c.id in only)]
    return sorted(chosen, key=lambda case: case.id)


def _cases(file: Path) -> Iterator[Case]:
    for raw in json.loads(file.read_text(encoding="utf-8")):
        yield Case(raw["id"], raw["title"], built(raw["given"]), built(raw["expect"]))
