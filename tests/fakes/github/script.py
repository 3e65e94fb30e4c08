"""What goes wrong, told by a test: answers for a "METHOD /path" in place of the server's own.

A step of a script is one answer (`status`, `headers`, `json`, `body`, `delay_s`, `behavior`), `ok` or None for the
server's own, or `{"if": condition, …, "else": step}`; `{"sequence": [step, …]}` goes on with its last step. A path
may have `*` in it. What a mutation of GraphQL is answered is scripted as "POST /graphql addDiscussionComment", what
is answered to all that only reads as "POST /graphql query".

A success takes effect: a scripted 201 for a new comment makes the comment, with the fields that its `json` names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import CodeType
from typing import Any

from fakes.faults import Answer, answer_of
from fakes.github.calls import Call
from fakes.openai_script import ScriptError

_NAMES = frozenset({"len", "body", "json", "headers", "query", "call"})


class Faults:
    """The scripts that are in force. `play` may be called at any time, and again."""

    def __init__(self) -> None:
        self._scripts: dict[tuple[str, str, str], _Steps] = {}

    def play(self, scripts: Mapping[str, Any]) -> None:
        """Put these scripts in force, beside those for other paths; raises ScriptError for what cannot be played."""
        self._scripts |= {_key(name): _Steps(script) for name, script in scripts.items()}

    def clear(self) -> None:
        self._scripts.clear()

    def take(self, call: Call) -> Answer | None:
        """The scripted answer for a request, None where the server answers itself."""
        for (method, path, operation), steps in self._scripts.items():
            wanted = not operation or operation in call.operations
            if wanted and method == call.method and fnmatchcase(call.path, path):
                return steps.take(call)
        return None


class _Steps:
    def __init__(self, script: Any) -> None:
        if isinstance(script, Mapping) and "sequence" in script:
            if unknown := sorted(script.keys() - {"sequence"}):
                raise ScriptError(f"unknown github script key {unknown[0]}")
            script = script["sequence"]
        self._steps = [_step(step) for step in (script if isinstance(script, list) else [script])]
        self._next = 0

    def take(self, call: Call) -> Answer | None:
        step = self._steps[min(self._next, len(self._steps) - 1)]
        self._next += 1
        return step.take(call)


@dataclass(slots=True)
class _Plain:
    answer: Answer | None

    def take(self, call: Call) -> Answer | None:
        return self.answer


@dataclass(slots=True)
class _Choice:
    condition: CodeType
    then: _Plain
    otherwise: _Steps

    def take(self, call: Call) -> Answer | None:
        names = {"len": len, "body": call.text, "json": call.json, "headers": call.headers, "query": call.query}
        met = eval(self.condition, {"__builtins__": {}}, names | {"call": call})  # the tests' own words
        return (self.then if met else self.otherwise).take(call)


def _step(script: Any) -> _Plain | _Choice:
    if isinstance(script, Mapping) and "if" in script:
        rest = {name: value for name, value in script.items() if name not in ("if", "else")}
        return _Choice(_condition(script["if"]), _Plain(_answer(rest)), _Steps(script.get("else")))
    return _Plain(_answer(script))


def _condition(text: str) -> CodeType:
    try:
        code = compile(text, "<condition>", "eval")
    except SyntaxError as error:
        raise ScriptError(f"cannot read the condition {text!r}") from error
    if unknown := [name for name in code.co_names if name not in _NAMES and not hasattr(Call, name)]:
        raise ScriptError(f"unknown name {unknown[0]} in the condition {text!r}")
    return code


def _answer(script: Any) -> Answer | None:
    """An answer with a body is a whole one."""
    if isinstance(script, Mapping) and {"json", "body"} & script.keys():
        script = {"status": 200, **script}
    return answer_of("github", script)


def _key(name: str) -> tuple[str, str, str]:
    found = re.fullmatch(r"(GET|POST|PATCH|PUT|DELETE) (/\S*)(?: (\w+))?", name)
    if not found:
        raise ScriptError(f"cannot read {name!r}: it should be METHOD /path")
    return found[1], found[2], found[3] or ""
