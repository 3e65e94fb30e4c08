"""Figures become a table: value, baseline, ratio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Row:
    """One figure, and the baseline of the same run that it is held against (None: nothing to hold it against)."""

    name: str
    value: float
    unit: str
    baseline: str = ""
    baseline_value: float | None = None

    def beside(self, value: float) -> Row:
        return replace(self, baseline_value=value)


def table(title: str, rows: Sequence[Row]) -> str:
    """Plain text in columns."""
    cells = [_cells(row) for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    lines = [
        f"  {name:<{widths[0]}}  {value:>{widths[1]}}  {ratio:>{widths[2]}}  {baseline:<{widths[3]}}".rstrip()
        for name, value, ratio, baseline in cells
    ]
    return "\n".join([title, *lines, ""])


def _cells(row: Row) -> tuple[str, str, str, str]:
    value = f"{row.value:,.{0 if row.value >= 100 else 1 if row.value >= 10 else 2}f} {row.unit}"
    if not row.baseline_value:
        return row.name, value, "", row.baseline
    return row.name, value, f"{row.value / row.baseline_value:.3g} ×", row.baseline
