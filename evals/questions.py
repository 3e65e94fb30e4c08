"""Mined questions become files in the form that `repopilot eval` reads; those and written ones are read back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from bot.evaluation import Case, read_cases
from evals.mine import Mined

Asked = tuple[str, Case, frozenset[str]]
"""A package, one of its questions, and the paths whose passages do not count."""


def write(folder: Path, package: str, questions: Sequence[Mined]) -> Path:
    """Write one package's questions, a JSON object a line; returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [_row(f"{package}-{number:03}", mined) for number, mined in enumerate(questions, start=1)]
    file = folder / f"{package}.jsonl"
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file


def load(folder: Path, *, unanswerable: bool = False) -> list[Asked]:
    """All questions of a folder by package, those without an answer only when asked for. Raises QuestionFileError."""
    rows = (asked for file in sorted(folder.glob("*.jsonl")) for asked in _read(file))
    return [asked for asked in rows if unanswerable or asked[1].answerable]


def _read(file: Path) -> list[Asked]:
    cases = read_cases(file)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
    return [(file.stem, case, frozenset(row.get("exclude", ()))) for case, row in zip(cases, rows, strict=True)]


def _row(identity: str, mined: Mined) -> dict[str, object]:
    gold = [
        {
            "path": spot.path,
            "start_line": spot.start_line,
            "end_line": spot.end_line,
            "symbol": spot.name,
            "primary": True,
        }
        for spot in mined.gold
    ]
    return {
        "id": identity,
        "kind": mined.kind,
        "variant": mined.variant,
        "question": mined.text,
        "answerable": True,
        "gold": gold,
        "alternatives": mined.alternatives,
        "facts": [],
        "exclude": list(mined.exclude),
        "source": mined.source,
    }
