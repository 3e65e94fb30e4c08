"""Operators of section G on what was answered: the JSON, the citations, the stream, and what the model was asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from cases.expectations import Check, Operators, expected, operand
from cases.families import add_numbers, add_texts
from cases.http_observation import Exchange, HttpObservation
from cases.sse import stray_lines

OPERATORS: Operators[HttpObservation] = Operators()
FOLLOW_UP_LIMIT_S = 15.0  # a freed slot answers at once; a lost one only after the model's own time limit


def _counts(name: str, seen: HttpObservation) -> list[int]:
    """How many citations, warnings or passages each successful response has."""
    return [len(answer[name]) for answer in seen.answers]


for _name in ("citations", "warnings", "passages"):
    add_numbers(OPERATORS, _name, partial(_counts, _name))
add_numbers(OPERATORS, "llm_calls", lambda seen: [len(seen.calls)])
add_numbers(OPERATORS, "llm_concurrency", lambda seen: [seen.llm_concurrency])
add_texts(OPERATORS, "answer", lambda seen: [answer["answer"] for answer in seen.answers])
add_texts(OPERATORS, "prompt", lambda seen: [call.prompt for call in seen.calls])


def _at(value: Any, dotted: str) -> tuple[bool, Any]:
    """Whether the dotted path exists in a JSON value, and what is there."""
    for key in dotted.split("."):
        if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return False, None
    return True, value


@OPERATORS.operator
def json_has(seen: HttpObservation, check: Check) -> str | None:
    missing = [key for key in check["keys"] if not _at(seen.last.answer or seen.last.json, key)[0]]
    return f"{', '.join(missing)} missing in {seen.last.body!r}" if missing else None


@OPERATORS.operator
def json_lacks(seen: HttpObservation, check: Check) -> str | None:
    held = [key for key in check["keys"] if _at(seen.last.answer or seen.last.json, key)[0]]
    return f"{', '.join(held)} present in {seen.last.body!r}" if held else None


@OPERATORS.operator
def json_equals(seen: HttpObservation, check: Check) -> str | None:
    got = _at(seen.last.answer or seen.last.json, check.get("key") or check["path"])
    return None if got == (True, check["value"]) else expected(check["value"], got[1])


@OPERATORS.operator
def declined(seen: HttpObservation, check: Check) -> str | None:
    wanted, got = check.get("value", True), [answer["declined"] for answer in seen.answers]
    return None if got and set(got) == {wanted} else expected(wanted, got)


@OPERATORS.operator
def citation_numbers_match_text(seen: HttpObservation, check: Check) -> str | None:
    """`[n]` in the answer and the citations are the same numbers: from 1, in order of first use, none repeated."""
    for answer in seen.answers:
        used = list(dict.fromkeys(int(number) for number in re.findall(r"\[(\d+)\]", answer["answer"])))
        listed = [citation["number"] for citation in answer["citations"]]
        if used != listed or listed != list(range(1, len(listed) + 1)):
            return f"the text uses {used}, the citations are {listed}"
    return None if seen.answers else "there is no answer"


@OPERATORS.operator
def if_200(seen: HttpObservation, check: Check) -> str | None:
    """Each successful answer is what the words say: `retrieval_only flagged`, `citations present`, `declined`."""
    meanings: dict[str, Callable[[Mapping[str, Any]], bool]] = {
        "retrieval_only flagged": _flagged,
        "citations present": lambda answer: bool(answer["citations"]),
        "declined": lambda answer: answer["declined"] is True,
        "answer present": lambda answer: bool(answer["answer"].strip()),
    }
    wanted = check["then"].split(" and ")
    if unknown := [words for words in wanted if words not in meanings]:
        return f"unknown demand {unknown[0]}"
    wrong = [words for words in wanted for answer in seen.answers if not meanings[words](answer)]
    return f"expected {wrong[0]} got {[e.body for e in seen.exchanges]}" if wrong else None


def _flagged(answer: Mapping[str, Any]) -> bool:
    """Whether the answer says that no model wrote it."""
    return bool(answer["warnings"])


@OPERATORS.operator
def says_no_answer_or_retrieval_only(seen: HttpObservation, check: Check) -> str | None:
    silent = [answer for answer in seen.answers if not (answer["declined"] or _flagged(answer))]
    return f"neither declined nor flagged: {silent[0]['answer']!r}" if silent else None


@OPERATORS.operator
def says_no_answer(seen: HttpObservation, check: Check) -> str | None:
    return declined(seen, {"op": "declined", "value": True})


@OPERATORS.operator
def no_mixed_commits_in_one_answer(seen: HttpObservation, check: Check) -> str | None:
    for answer in seen.answers:
        strange = [c["url"] for c in answer["citations"] if answer["index"]["commit"] not in c["url"]]
        if strange:
            return f"{strange[0]} is not of commit {answer['index']['commit']}"
    return None if seen.answers else "there is no answer"


@OPERATORS.operator
def commit_field_changes_or_stays_valid(seen: HttpObservation, check: Check) -> str | None:
    got = [answer["index"]["commit"] for answer in seen.answers]
    strange = [commit for commit in got if commit not in seen.commits]
    return f"{strange[0]} is no indexed commit" if strange else None if got else "there is no answer"


@OPERATORS.operator
def second_prompt_shorter(seen: HttpObservation, check: Check) -> str | None:
    lengths = [len(call.prompt) for call in seen.calls]
    return None if len(lengths) > 1 and lengths[1] < lengths[0] else f"the prompts have {lengths} characters"


@OPERATORS.operator
def citations_only_from_kept_sources(seen: HttpObservation, check: Check) -> str | None:
    kept = seen.calls[-1].prompt
    lost = [c["path"] for answer in seen.answers for c in answer["citations"] if c["path"] not in kept]
    return f"{lost[0]} is cited but was not in the last prompt" if lost else None


def _only_stream(seen: HttpObservation) -> Exchange:
    if not seen.last.events:
        raise ValueError(f"no event stream but {seen.last.body!r}")
    return seen.last


@OPERATORS.operator
def sse_parses(seen: HttpObservation, check: Check) -> str | None:
    """Every line of the stream is a field, the last event is closed, and no event's data is lost."""
    stream = _only_stream(seen)
    if stray := stray_lines(stream.body):
        return f"{stray[0]!r} is no field of an event"
    unread = [e.name for e in stream.events if e.name in ("passages", "answer", "error") and e.json is None]
    if unread:
        return f"the data of {unread[0]} is no JSON"
    return None if re.search(r"(?:\r\n|\n|\r){2}\Z", stream.body) else "the last event is not closed by a blank line"


@OPERATORS.operator
def joined_equals_final(seen: HttpObservation, check: Check) -> str | None:
    stream = _only_stream(seen)
    joined = "".join(event.text for event in stream.events if event.name == "token")
    final = stream.answer.get("answer")
    return None if joined == final else expected(final, joined)


@OPERATORS.operator
def event_order(seen: HttpObservation, check: Check) -> str | None:
    """The first event, then only `then` (with `+` at least one of it), then one of `last_in`."""
    names = [event.name for event in _only_stream(seen).events]
    then = check["then"].rstrip("*+")
    middle = names[1:-1]
    fits = names[0] == check["first"] and set(middle) <= {then} and names[-1] in check["last_in"]
    enough = bool(middle) or not check["then"].endswith("+")
    return None if fits and enough else f"got {list(dict.fromkeys(names))}"


@OPERATORS.operator
def llm_request_cancelled_s_max(seen: HttpObservation, check: Check) -> str | None:
    """After the client hung up, every request to the model ended within that time, and none ran to its end."""
    if not seen.calls:
        return "the model was not asked"
    limit = operand(check)
    for call in seen.calls:
        if call.outcome != "cancelled":
            return f"the model's request was {call.outcome or 'still running'}"
        if (call.ended_after_disconnect_s or 0) > limit:
            return expected(f"at most {limit} s", call.ended_after_disconnect_s)
    return None


@OPERATORS.operator
def slot_freed(seen: HttpObservation, check: Check) -> str | None:
    """The next question is answered, and at once."""
    next_one = seen.follow_up
    if next_one is None:
        return "no question was asked after the disconnect"
    fits = next_one.status == 200 and next_one.seconds < FOLLOW_UP_LIMIT_S
    return None if fits else f"the next question got {next_one.status} after {next_one.seconds:.1f} s"
