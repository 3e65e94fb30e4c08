"""The `events` of a case of section C, read: what happens, how often, and what is waited for before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cases.program import CannotRunError

EVENT = frozenset({"t", "d", "interaction", "action", "delay_s", "repeat", "note", "why"})
ACTIONS: Mapping[str, frozenset[str]] = {
    "gateway_close": frozenset({"code"}),
    "gateway_drop": frozenset(),
    "gateway_reconnect": frozenset(),
    "gateway_invalid_session": frozenset({"resumable"}),
    "restart": frozenset(),
    "kill": frozenset(),
    "wait": frozenset(),
    "ask": frozenset({"content", "by"}),
    "say": frozenset({"content", "by"}),
    "follow_up": frozenset({"content", "by", "ping"}),
    "edit": frozenset({"content"}),
    "delete": frozenset(),
    "press": frozenset({"label", "by"}),
    "react": frozenset({"emoji", "by"}),
    "command": frozenset({"name", "options", "by", "admin"}),
    "menu": frozenset({"name", "by"}),
}
# Answers to IDENTIFY: no client that has been let in ever gets them.
REFUSALS: Mapping[int, str] = {
    4004: "Authentication failed.",
    4010: "Invalid shard.",
    4011: "Sharding required.",
    4012: "Invalid API version.",
    4013: "Invalid intent(s).",
    4014: "Disallowed intent(s).",
}
AFTERTHOUGHTS = frozenset({"MESSAGE_DELETE", "MESSAGE_REACTION_ADD"})


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens: a dispatch or interaction (`event`), or an `action` with its `fields`.

    `settled` first waits until everything before it is done: people edit, delete and judge what was answered already.
    """

    event: Mapping[str, Any] | None = None
    action: str = ""
    fields: Mapping[str, Any] | None = None
    delay_s: float = 0.0
    settled: bool = False


def steps(given: Mapping[str, Any]) -> list[Step]:
    """What a case lets happen, in order. Raises CannotRunError for what nobody would play."""
    return [step for event in given["events"] for step in _steps(event, slow=_is_slow(given.get("llm")))]


def _is_slow(llm: object) -> bool:
    """Whether the model takes its time, so that the case means what happens meanwhile."""
    return isinstance(llm, Mapping) and bool(llm.get("delay_s"))


def _steps(event: Mapping[str, Any], slow: bool) -> Iterator[Step]:
    action = event.get("action", "")
    if action and action not in ACTIONS:
        raise CannotRunError(f"unknown action {action}")
    allowed = EVENT | ACTIONS.get(action, frozenset())
    if unknown := sorted(event.keys() - allowed):
        raise CannotRunError(f"unknown event field {unknown[0]}")
    told = {name: event[name] for name in ("t", "d", "interaction") if name in event}
    fields = {name: event[name] for name in ACTIONS.get(action, ()) if name in event}
    settled = "delay_s" not in event and not slow and _is_afterthought(event)
    for _ in range(event.get("repeat", 1)):
        yield Step(told or None, action, fields, event.get("delay_s", 0.0), settled)


def _is_afterthought(event: Mapping[str, Any]) -> bool:
    if event.get("action") in ("follow_up", "edit", "delete", "press", "react", "wait", "menu"):
        return True
    edited = event.get("t") == "MESSAGE_UPDATE" and event["d"].get("edited_timestamp") is not None
    return edited or event.get("t") in AFTERTHOUGHTS


def refusal(all_steps: Sequence[Step]) -> tuple[int, str] | None:
    """The close code with which the gateway lets nobody in, where the case has one."""
    codes = [(step.fields or {}).get("code") for step in all_steps if step.action == "gateway_close"]
    return next(((code, REFUSALS[code]) for code in codes if code in REFUSALS), None)


def scripts(discord: object) -> Mapping[str, Any]:
    """What the fake plays, by route; a script that names none is about the messages that are sent.

    A list holds several scripts.
    """
    if discord is None:
        return {}
    if isinstance(discord, list):
        return {route: script for each in discord for route, script in scripts(each).items()}
    if not isinstance(discord, Mapping):
        return {SENDING: discord}
    if any(key.split(" ")[0] in ("GET", "POST", "PATCH", "PUT", "DELETE") for key in discord):
        return discord
    rest = {name: value for name, value in discord.items() if name != "route"}
    return {discord.get("route", SENDING): rest}


SENDING = "POST /channels/{ch}/messages"
