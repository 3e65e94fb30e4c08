"""Examples of operators for their tests: an observation each accepts and one it must not, so that each can fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic

from cases.expectations import Observation, Operators


@dataclass(frozen=True, slots=True)
class Example(Generic[Observation]):
    """One check with an observation that satisfies it and one that does not."""

    op: str
    good: Observation
    bad: Observation
    check: dict[str, Any]

    def __str__(self) -> str:
        return self.op


def example(op: str, good: Observation, bad: Observation, **check: Any) -> Example[Observation]:
    return Example(op, good, bad, {"op": op, **check})


def number_examples(name: str, seen: Callable[[int], Observation]) -> Iterator[Example[Observation]]:
    """For a family of numbers; `seen` makes an observation that measures this number."""
    yield example(name, seen(5), seen(6), n=5)
    yield example(f"{name}_min", seen(5), seen(4), n=5)
    yield example(f"{name}_max", seen(5), seen(6), n=5)
    yield example(f"{name}_in", seen(5), seen(6), values=[4, 5])
    yield example(f"{name}_not_in", seen(5), seen(6), values=[6])


def text_examples(name: str, seen: Callable[[str], Observation]) -> Iterator[Example[Observation]]:
    """For a family of texts; `seen` makes an observation that shows this text."""
    yield example(f"{name}_contains", seen("one two"), seen("one"), value="Two")
    yield example(f"{name}_contains_all", seen("one two"), seen("one"), values=["one", "two"])
    yield example(f"{name}_contains_any", seen("one"), seen("none of them".replace("one", "")), values=["one", "two"])
    yield example(f"{name}_not_contains", seen("one"), seen("one two"), value="two")
    yield example(f"{name}_regex", seen("a1"), seen("ab"), pattern="[0-9]")
    yield example(f"{name}_not_regex", seen("ab"), seen("a1"), pattern="[0-9]")
    yield from number_examples(f"{name}_len", lambda length: seen("x" * length))


def judged(operators: Operators[Observation], tried: Example[Observation]) -> tuple[str | None, str | None]:
    """What the operator says of the good and of the bad observation."""
    return operators.difference(tried.good, tried.check), operators.difference(tried.bad, tried.check)
