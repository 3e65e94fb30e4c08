"""Parts of a text are taken out, and what stays is word for word as it was written."""

from __future__ import annotations

from collections.abc import Iterable

Span = tuple[int, int]
"""Characters from a place to another, without the last."""


def without(text: str, spans: Iterable[Span]) -> str:
    """The text without some of its characters. A line that has nothing left goes with them, and so do blank lines that
    are one too many then, or stand at the start or the end."""
    kept = bytearray(b"\1") * len(text)
    for start, end in spans:
        kept[start:end] = bytes(max(0, min(end, len(text)) - start))
    lines: list[str] = []
    at, dropped = 0, True
    for line in text.split("\n"):
        marks, end = kept[at : at + len(line)], at + len(line) + 1
        left = line if all(marks) else "".join(char for char, keep in zip(line, marks, strict=True) if keep).rstrip()
        gone = not all(kept[at:end]) and not left.strip()
        superfluous = dropped and not left.strip() and not (lines and lines[-1].strip())
        if not gone and not superfluous:
            lines.append(left)
        dropped = gone or (dropped and superfluous)
        at = end
    return "\n".join(lines).rstrip()


def line_spans(text: str, numbers: Iterable[int]) -> list[Span]:
    """Where lines of a text, counted from 0, stand."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return [(starts[number], starts[number + 1] - 1) for number in numbers]
