"""What a run of cases prints: one line a failing case, notes for soft differences, and the count at the end."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cases.expectations import Difference

VALUE_LENGTH_MAX = 200


@dataclass(frozen=True, slots=True)
class Result:
    """A case that was tried, with everything that differed."""

    id: str
    title: str
    differences: list[Difference] = field(default_factory=list)

    @property
    def failures(self) -> list[Difference]:
        return [difference for difference in self.differences if not difference.soft]

    @property
    def passed(self) -> bool:
        return not self.failures


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a run against the list of ids that are known to fail."""

    results: list[Result]
    known: frozenset[str] = frozenset()
    known_file: str = ""

    @property
    def repaired(self) -> list[str]:
        """Known failures that pass: their lines have to go, so that the list only shrinks."""
        return [result.id for result in self.results if result.passed and result.id in self.known]

    @property
    def broken(self) -> list[Result]:
        return [result for result in self.results if not result.passed and result.id not in self.known]

    @property
    def good(self) -> bool:
        return not self.broken and not self.repaired

    def lines(self) -> Iterator[str]:
        for result in self.results:
            yield from self._lines(result)
        for name in self.repaired:
            yield f"{name} passes now: remove it from {self.known_file}"
        passed = sum(result.passed for result in self.results)
        yield f"{passed} passed, {len(self.results) - passed} failed"

    def _lines(self, result: Result) -> Iterator[str]:
        head = f"{result.id} {result.title}"
        if result.failures:
            word = "known" if result.id in self.known else "FAIL"
            yield f"{word} {head}: {'; '.join(map(shortened, result.failures))}"
        for difference in result.differences:
            if difference.soft:
                yield f"note {head}: {shortened(difference)} ({difference.severity})"

    def document(self) -> dict[str, Any]:
        """The same as JSON."""
        passed = sum(result.passed for result in self.results)
        return {
            "passed": passed,
            "failed": len(self.results) - passed,
            "repaired": self.repaired,
            "results": [asdict(result) | {"passed": result.passed} for result in self.results],
        }


def shortened(difference: Difference) -> str:
    """One difference on one line, whatever the program printed."""
    words = " ".join(str(difference).split()) if "\n" in str(difference) else str(difference)
    return words if len(words) <= VALUE_LENGTH_MAX else words[: VALUE_LENGTH_MAX - 1] + "…"


def known_failures(file: Path | None) -> frozenset[str]:
    """The ids that a file lists, one a line; what follows a `#` says why."""
    lines: Iterable[str] = file.read_text(encoding="utf-8").splitlines() if file else ()
    return frozenset(name for line in lines if (name := line.partition("#")[0].strip()))


def unlisted(known: Collection[str], results: Iterable[Result]) -> list[str]:
    """Known failures that no case has: a list that only shrinks must not hide a misspelt id."""
    return sorted(set(known) - {result.id for result in results})
