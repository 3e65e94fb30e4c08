"""Families of operators on one measured thing: a number with its bounds, a text with what it must and must not hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from cases.expectations import Check, Observation, Operator, Operators, operand


def add_numbers(
    operators: Operators[Observation], name: str, measure: Callable[[Observation], Sequence[float | str | None]]
) -> None:
    """Register `name`, `name_min`, `name_max`, `name_in` and `name_not_in`; each measured number must satisfy them."""
    tests: dict[str, Callable[[Any, Any], bool]] = {
        "": lambda got, wanted: got == wanted,
        "_min": lambda got, wanted: got >= wanted,
        "_max": lambda got, wanted: got <= wanted,
        "_in": lambda got, wanted: got in wanted,
        "_not_in": lambda got, wanted: got not in wanted,
    }

    def operator(suffix: str) -> Operator[Observation]:
        def compare(observation: Observation, check: Check) -> str | None:
            wanted, measured = operand(check), measure(observation)
            if not measured or None in measured:
                return f"{name} was not observed"
            wrong = [got for got in measured if not tests[suffix](got, wanted)]
            return f"expected {(suffix.strip('_') + ' ').lstrip()}{wanted} got {wrong[0]}" if wrong else None

        return compare

    for suffix in tests:
        operators.add(name + suffix, operator(suffix))


def add_texts(operators: Operators[Observation], name: str, texts: Callable[[Observation], Sequence[str]]) -> None:
    """Register `name_contains`, `_contains_any`, `_contains_all`, `_not_contains`, `_regex`, `_not_regex`, `_len…`.

    Each observed text must satisfy them. Without a text the demands fail and the prohibitions hold. Words are
    compared without regard to case; values that must not leak are searched the same way, which is the stricter one.
    """

    def listed(check: Check) -> list[str]:
        wanted = operand(check)
        return wanted if isinstance(wanted, list) else [wanted]

    def has(text: str, word: str) -> bool:
        return word.casefold() in text.casefold()

    demands: dict[str, Callable[[str, list[str]], bool]] = {
        "_contains": lambda text, words: all(has(text, word) for word in words),
        "_contains_all": lambda text, words: all(has(text, word) for word in words),
        "_contains_any": lambda text, words: any(has(text, word) for word in words),
        "_regex": lambda text, patterns: all(re.search(p, text) for p in patterns),
    }
    bans: dict[str, Callable[[str, list[str]], bool]] = {
        "_not_contains": lambda text, words: not any(has(text, word) for word in words),
        "_not_regex": lambda text, patterns: not any(re.search(p, text) for p in patterns),
    }

    def operator(holds: Callable[[str, list[str]], bool], needed: bool, words: str) -> Operator[Observation]:
        def compare(observation: Observation, check: Check) -> str | None:
            wanted, observed = listed(check), texts(observation)
            if needed and not observed:
                return f"no {name} was seen"
            wrong = [text for text in observed if not holds(text, wanted)]
            return f"expected {words} {wanted!r} got {wrong[0]!r}" if wrong else None

        return compare

    for suffix, holds in demands.items():
        operators.add(name + suffix, operator(holds, True, suffix.strip("_").replace("_", " ")))
    for suffix, holds in bans.items():
        operators.add(name + suffix, operator(holds, False, suffix.strip("_").replace("_", " ")))
    add_numbers(operators, f"{name}_len", lambda observation: [len(text) for text in texts(observation)])
