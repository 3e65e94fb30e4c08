"""Records and votes become the figures of a period."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Final

from bot.history import Feedback, Outcome, Record

# With fewer, the slowest one would be called the 95th percentile.
FEWEST_FOR_P95: Final = 20


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts of questions, but for `votes_up` and `votes_down`. `voted_down` are the answers that anybody voted down;
    `failures` are codes; `versions` are repository and ref as one text. `median_s` and `p95_s` are seconds until the
    whole answer."""

    questions: int
    answered: int
    declined: int
    failed: int
    abandoned: int
    surfaces: Mapping[str, int]
    failures: Mapping[str, int]
    versions: Mapping[str, int]
    votes_up: int
    votes_down: int
    voted_down: int
    median_s: float | None
    p95_s: float | None

    def share(self, count: int) -> float:
        """How much of the questions a count is, 0 to 1."""
        return count / self.questions if self.questions else 0.0


@dataclass(slots=True)
class Tally:
    """Counts what it is shown."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    surfaces: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    versions: Counter[str] = field(default_factory=Counter)
    votes: Counter[str] = field(default_factory=Counter)
    voted_down: int = 0
    seconds: list[float] = field(default_factory=list)

    def add(self, record: Record, votes: Collection[Feedback]) -> None:
        outcome = record.outcome
        self.outcomes[outcome] += 1
        self.surfaces[record.surface] += 1
        self.votes.update(each.vote for each in votes)
        self.voted_down += any(each.vote == "down" for each in votes)
        if outcome == "failed":
            self.failures[record.failure or "error"] += 1
        if record.answer:
            self.versions[f"{record.answer.index.repository} {record.answer.index.ref}"] += 1
            if whole := record.seconds.get("whole"):
                self.seconds.append(whole)

    def figures(self) -> Figures:
        enough = len(self.seconds) >= FEWEST_FOR_P95
        return Figures(
            questions=self.outcomes.total(),
            answered=self.outcomes["answered"],
            declined=self.outcomes["declined"],
            failed=self.outcomes["failed"],
            abandoned=self.outcomes["abandoned"],
            surfaces=dict(self.surfaces.most_common()),
            failures=dict(self.failures.most_common()),
            versions=dict(self.versions.most_common()),
            votes_up=self.votes["up"],
            votes_down=self.votes["down"],
            voted_down=self.voted_down,
            median_s=round(median(self.seconds), 3) if self.seconds else None,
            p95_s=round(quantiles(self.seconds, n=20)[-1], 3) if enough else None,
        )
