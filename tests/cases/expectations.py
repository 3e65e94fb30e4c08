"""What a case expects, judged: every expectation is an operator, and an operator says in words what differed.

An operator is a pure function `(observation, check) -> str | None`. The keys of `expect` itself are operators too:
`"status_in": [200]` is the check `{"op": "status_in", "value": [200]}`. An operator nobody registered is a
difference, never silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Observation = TypeVar("Observation")
Check = Mapping[str, Any]
Operator = Callable[[Observation, Check], str | None]
Named = TypeVar("Named", bound=Callable[..., str | None])

ASIDES = frozenset({"why", "note", "notes", "severity", "checks", "source", "from"})  # reasons, not checks
OPERANDS = ("n", "value", "values", "statuses", "pattern", "regex", "chars")
SOFT = frozenset({"should", "may"})
UNREADABLE = (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, re.error)


@dataclass(frozen=True, slots=True)
class Difference:
    """What one expectation found wrong. A soft one is printed as a note and fails nothing."""

    operator: str
    words: str
    severity: str = "must"

    @property
    def soft(self) -> bool:
        return self.severity in SOFT

    def __str__(self) -> str:
        return f"{self.operator}: {self.words}"


def operand(check: Check) -> Any:
    """The value that a check compares with, by whichever of the usual names it has."""
    return next((check[name] for name in OPERANDS if name in check), None)


def expected(wanted: object, got: object) -> str:
    return f"expected {wanted!r} got {got!r}"


def checks(expect: Mapping[str, Any]) -> Iterator[Check]:
    """Every demand of an expectation as a check: its own keys (null is no demand), then its list of checks."""
    for name, value in expect.items():
        if name not in ASIDES and value is not None:
            yield {"op": name, "value": value, "severity": expect.get("severity", "must")}
    yield from expect.get("checks") or ()


class _Asked(Mapping[str, Any]):
    """A check that remembers which of its fields were looked at: one that nobody reads would be passed over."""

    def __init__(self, check: Check) -> None:
        self._check, self._read = check, {"op"}

    def __getitem__(self, name: str) -> Any:
        self._read.add(name)
        return self._check[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._check)

    def __len__(self) -> int:
        return len(self._check)

    @property
    def unread(self) -> str | None:
        """The first field nobody looked at; `true` is only the switch of an operator without operands."""
        left = (name for name, value in self._check.items() if name not in self._read | ASIDES and value is not True)
        return next((f"unknown field {name}" for name in left), None)


class Operators(Generic[Observation]):
    """The operators of one section, by name."""

    def __init__(self) -> None:
        self._functions: dict[str, Operator[Observation]] = {}
        self.add("one_of", self._one_of)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._functions)

    def add(self, name: str, function: Operator[Observation]) -> None:
        if name in self._functions:
            raise ValueError(f"operator {name} is defined twice")
        self._functions[name] = function

    def include(self, *others: Operators[Observation]) -> Operators[Observation]:
        """Take over the operators of other registries; returns this one."""
        for other in others:
            for name in other.names - self.names:
                self.add(name, other._functions[name])
        return self

    def operator(self, function: Named) -> Named:
        """Register a function under its own name."""
        self.add(function.__name__, function)
        return function

    def differences(self, observation: Observation, expect: Mapping[str, Any]) -> list[Difference]:
        """What the observation lacks of what is expected, in the order of the case."""
        judged = ((check, self.difference(observation, check)) for check in checks(expect))
        return [Difference(check["op"], words, check.get("severity") or "must") for check, words in judged if words]

    def difference(self, observation: Observation, check: Check) -> str | None:
        """What differs, in words; a field of the check that its operator never read is a difference too."""
        function = self._functions.get(check["op"])
        if function is None:
            return f"unknown operator {check['op']}"
        asked = _Asked(check)
        try:
            return function(observation, asked) or asked.unread
        except UNREADABLE as error:  # the program's output has another form than the contract says
            return f"cannot be read: {type(error).__name__}: {error}"

    def _one_of(self, observation: Observation, check: Check) -> str | None:
        options = [_as_expectation(option) for option in check.get("options") or check["value"]]
        tried = [self.differences(observation, option) for option in options]
        if any(not [d for d in found if not d.soft] for found in tried):
            return None
        return "none holds: " + " / ".join("; ".join(map(str, found)) for found in tried)


def _as_expectation(option: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """An alternative may be an operator's name, one check, or a whole expectation."""
    if isinstance(option, str):
        return {"checks": [{"op": option}]}
    return {"checks": [option]} if "op" in option else option
