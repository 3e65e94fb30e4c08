"""What goes wrong, told by a test: answers for a "METHOD /path" in place of the server's own.

A step of a script is one answer (`status`, `headers`, `json`, `body`, `delay_s`, `behavior`), `ok` or None for the
server's own, or `{"if": condition, …, "else": step}`; `{"sequence": [step, …]}` is played once and then the server
answers itself, since a client that sends several messages must not meet the last fault for ever. In a path, `*` and
any `{name}` stand for one part. A success takes effect. A condition looks at the request's body:
`message_reference.fail_if_not_exists != false`, `len(content) > 1900`, `embeds`, `not nonce`, joined by `and`.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fakes.faults import Answer, answer_of
from fakes.openai_script import ScriptError

Condition = Callable[[Any], bool]
_TERM = re.compile(r"(?P<len>len\()?(?P<path>[\w.]+)\)?\s*(?P<sign>==|!=|<=|>=|<|>)\s*(?P<value>.+)")
_SIGNS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


class Faults:
    """The scripts that are in force. `play` may be called at any time, and again."""

    def __init__(self) -> None:
        self._scripts: dict[str, tuple[re.Pattern[str], _Steps]] = {}

    def play(self, scripts: Mapping[str, Any]) -> None:
        """Put these scripts in force, beside those for other paths; raises ScriptError for what cannot be played."""
        self._scripts |= {name: (_pattern(name), _Steps(script)) for name, script in scripts.items()}

    def clear(self) -> None:
        self._scripts.clear()

    def take(self, method: str, path: str, body: Any) -> Answer | None:
        """The scripted answer for a request, None where the server answers itself."""
        for pattern, steps in self._scripts.values():
            if pattern.fullmatch(f"{method} {path}"):
                return steps.take(body)
        return None


class _Steps:
    def __init__(self, script: Any) -> None:
        once = isinstance(script, list) or (isinstance(script, Mapping) and "sequence" in script)
        if isinstance(script, Mapping) and once:
            if unknown := sorted(script.keys() - {"sequence"}):
                raise ScriptError(f"unknown discord script key {unknown[0]}")
            script = script["sequence"]
        self._steps = [_step(step) for step in (script if once else [script])]
        self._once, self._next = once, 0

    def take(self, body: Any) -> Answer | None:
        number, self._next = self._next, self._next + 1
        if self._once and number >= len(self._steps):
            return None
        return self._steps[number if self._once else 0](body)


def _step(script: Any) -> Callable[[Any], Answer | None]:
    if isinstance(script, Mapping) and "if" in script:
        met = condition(script["if"])
        then = answer_of("discord", {name: value for name, value in script.items() if name not in ("if", "else")})
        otherwise = answer_of("discord", script.get("else"))
        return lambda body: then if met(body) else otherwise
    answer = answer_of("discord", script)
    return lambda body: answer


def condition(text: str) -> Condition:
    """Whether a body is so; what lies within something that is absent is never so. Raises ScriptError."""
    terms = [_term(part.strip()) for part in re.split(r"\band\b|&&", text)]
    return lambda body: all(term(body) for term in terms)


def _term(text: str) -> Condition:
    if found := _TERM.fullmatch(text):
        try:
            value = json.loads(found["value"].replace("'", '"'))
        except ValueError as error:
            raise ScriptError(f"cannot read {found['value']!r} in the condition {text!r}") from error
        measure: Callable[[Any], Any] = (lambda each: len(each or "")) if found["len"] else (lambda each: each)
        compare, path = _SIGNS[found["sign"]], found["path"].split(".")
        return lambda body: _holder(body, path) is not None and compare(measure(_at(body, path)), value)
    if found := re.fullmatch(r"(?P<not>not\s+)?(?P<path>[\w.]+)", text):
        path, wanted = found["path"].split("."), not found["not"]
        return lambda body: bool(_at(body, path)) is wanted
    raise ScriptError(f"cannot read the condition {text!r}")


def _holder(body: Any, path: Sequence[str]) -> Any:
    return _at(body, path[:-1]) if len(path) > 1 else body


def _at(body: Any, path: Sequence[str]) -> Any:
    for name in path:
        body = body.get(name) if isinstance(body, Mapping) else None
    return body


def _pattern(name: str) -> re.Pattern[str]:
    if not re.fullmatch(r"(GET|POST|PATCH|PUT|DELETE) /\S*", name):
        raise ScriptError(f"cannot read {name!r}: it should be METHOD /path")
    parts = re.split(r"(\*|\{\w+\})", name)
    return re.compile("".join("[^/]+" if number % 2 else re.escape(part) for number, part in enumerate(parts)))
