"""The days that a report is about, in UTC, and how they are divided. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

# Longer periods are shown by the week.
MOST_DAYS_SHOWN: Final = 21
WEEK: Final = 7


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days, the first one and how many."""

    first: date
    days: int

    @classmethod
    def ending(cls, last: date, days: int) -> Period:
        return cls(last - timedelta(days - 1), days)

    @property
    def last(self) -> date:
        return self.first + timedelta(self.days - 1)

    @property
    def before(self) -> Period:
        """As many days just before it."""
        return Period(self.first - timedelta(self.days), self.days)

    @property
    def since(self) -> str:
        """What sorts before every time in it, as history writes times."""
        return self.first.isoformat()

    @property
    def until(self) -> str:
        """What sorts after every time in it, as history writes times."""
        return (self.last + timedelta(1)).isoformat()

    @property
    def name(self) -> str:
        """In words: 24 to 30 November 2026."""
        first, last = self.first, self.last
        if first == last:
            return _day(last)
        if (first.year, first.month) == (last.year, last.month):
            return f"{first.day} to {_day(last)}"
        return f"{first.day} {first:%B}{'' if first.year == last.year else f' {first.year}'} to {_day(last)}"

    @property
    def short_name(self) -> str:
        """Its first day, for a row or a column: 24 Nov."""
        return f"{self.first.day} {self.first:%b}"

    @property
    def unit(self) -> str:
        """By what it is divided."""
        return "day" if self.days <= MOST_DAYS_SHOWN else "week"

    @property
    def unit_of_row(self) -> str:
        """The head of a column of `short_name`s."""
        return "Day" if self.days == 1 else "Week from"

    def spans(self) -> tuple[Period, ...]:
        """Its days; of a long period its weeks, counted back from its end, of which the first may be cut short."""
        length = 1 if self.unit == "day" else WEEK
        short = self.days % length
        starts = [0] * bool(short) + list(range(short, self.days, length))
        lengths = [short] * bool(short) + [length] * (self.days // length)
        return tuple(Period(self.first + timedelta(start), days) for start, days in zip(starts, lengths, strict=True))


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
