"""Operators of sections A and B: what was answered to a delivery, and what was done at GitHub."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import jwt as json_web_tokens

from cases import http_operators
from cases.expectations import Check, Operators, expected, operand
from cases.families import add_numbers, add_texts
from cases.github_observation import GitHubObservation, mutations
from cases.http_observation import HttpObservation
from fakes.github.calls import Call

OPERATORS: Operators[GitHubObservation] = Operators()
HTTP = {"status_in": "status_in", "status_not_in": "status_not_in", "status": "status", "max_seconds": "seconds_max"}
CALL_FIELDS = frozenset(
    "method path path_in path_regex count count_in count_min count_max headers json_keys json graphql body_contains"
    " body_not_contains status status_in note why".split()
)
CITATION = re.compile(r"/blob/[0-9a-f]{7,40}/|\[\d+\]\(")
CONSISTENT = re.compile(r"2xx iff replies==(\d+); otherwise the response body names content type (\S+)")


def _missing(count: int | None) -> list[int | None]:
    return [count]


add_numbers(OPERATORS, "replies", lambda seen: [len(seen.created)])
add_numbers(OPERATORS, "answers", lambda seen: [len(seen.created)])
add_numbers(OPERATORS, "edits", lambda seen: [len(seen.edited)])
add_numbers(OPERATORS, "deletes", lambda seen: [len(seen.deleted)])
add_numbers(OPERATORS, "index_jobs", lambda seen: _missing(seen.index_jobs))
add_numbers(OPERATORS, "rss_growth_mb", lambda seen: [seen.peak_growth_mb])
add_texts(OPERATORS, "reply", lambda seen: seen.replies)
add_texts(OPERATORS, "question", lambda seen: seen.questions)


@OPERATORS.operator
def http(seen: GitHubObservation, check: Check) -> str | None:
    """Every response has one of the statuses, in time."""
    wanted = check["value"]
    if unknown := sorted(wanted.keys() - HTTP.keys()):
        return f"unknown http field {unknown[0]}"
    checks = [{"op": HTTP[name], "value": value} for name, value in wanted.items()]
    wrong = http_operators.OPERATORS.differences(seen, {"checks": checks})
    return "; ".join(map(str, wrong)) or None


@OPERATORS.operator
def calls(seen: GitHubObservation, check: Check) -> str | None:
    """Each of these requests was made, as often as it says; once at least where it does not say."""
    found = (_miscounted(seen.api, wanted) for wanted in check["value"])
    return next((words for words in found if words), None)


def _miscounted(api: Sequence[Call], wanted: Mapping[str, Any]) -> str | None:
    if unknown := sorted(wanted.keys() - CALL_FIELDS):
        return f"unknown call field {unknown[0]}"
    tests: dict[str, Callable[[int, Any], bool]] = {
        "count": lambda got, n: got == n,
        "count_in": lambda got, ns: got in ns,
        "count_min": lambda got, n: got >= n,
        "count_max": lambda got, n: got <= n,
    }
    there = [call for call in api if _is_at(call, wanted)]
    misfits = [words for call in there if (words := _misfit(call, wanted))]
    count = len(there) - len(misfits)
    demands = {name: wanted[name] for name in tests if name in wanted} or {"count_min": 1}
    wrong = [f"{name} {n}" for name, n in demands.items() if not tests[name](count, n)]
    what = f"{wanted.get('method', '')} {wanted.get('path') or wanted.get('path_in') or wanted.get('path_regex')}"
    return f"{what}: expected {wrong[0]} got {count} ({'; '.join(misfits[:1]) or 'others fit'})" if wrong else None


def _is_at(call: Call, wanted: Mapping[str, Any]) -> bool:
    paths = wanted.get("path_in") or ([wanted["path"]] if "path" in wanted else [call.path])
    named = wanted.get("graphql", {}).get("mutation")
    return (
        wanted.get("method", call.method) == call.method
        and call.path in paths
        and bool(re.search(wanted.get("path_regex", ""), call.path))
        and (named is None or named in [mutation.name for mutation in mutations(call)])
    )


def _misfit(call: Call, wanted: Mapping[str, Any]) -> str | None:
    """What keeps a request to the right place from being the one that is wanted."""
    told = call.json if isinstance(call.json, dict) else {}
    for name, pattern in (wanted.get("headers") or {}).items():
        if not re.search(pattern, call.headers.get(name.lower(), "")):
            return f"header {name} is {call.headers.get(name.lower())!r}"
    if lacking := [key for key in wanted.get("json_keys") or () if key not in told]:
        return f"no {lacking[0]} in the body"
    if wrong := [key for key, value in (wanted.get("json") or {}).items() if told.get(key) != value]:
        return f"{wrong[0]} is {told.get(wrong[0])!r}"
    if "body_contains" in wanted and wanted["body_contains"] not in call.text:
        return f"{wanted['body_contains']!r} is not in {call.text!r}"
    if "body_not_contains" in wanted and wanted["body_not_contains"] in call.text:
        return f"{wanted['body_not_contains']!r} is in {call.text!r}"
    statuses = wanted.get("status_in") or ([wanted["status"]] if "status" in wanted else [call.status])
    return (
        _wrong_input(call, wanted["graphql"])
        if "graphql" in wanted
        else (None if call.status in statuses else f"it was answered {call.status}")
    )


def _wrong_input(call: Call, wanted: Mapping[str, Any]) -> str | None:
    if unknown := sorted(wanted.keys() - {"mutation", "input", "absent"}):
        return f"unknown graphql field {unknown[0]}"
    given = next((m.input for m in mutations(call) if m.name == wanted.get("mutation")), {})
    wrong = [name for name, value in (wanted.get("input") or {}).items() if given.get(name) != value]
    present = [name for name in wanted.get("absent") or () if given.get(name) is not None]
    if wrong:
        return f"{wrong[0]} is {given.get(wrong[0])!r}"
    return f"{present[0]} is {given[present[0]]!r}" if present else None


def _to(seen: GitHubObservation, check: Check) -> list[Call]:
    """Requests that write to the path, or that end with it; reading the thread there is another matter."""
    method, path = check.get("method", "POST"), check["path"]
    return [call for call in seen.api if call.method == method and call.path.endswith(path)]


@OPERATORS.operator
def max_calls(seen: GitHubObservation, check: Check) -> str | None:
    count = len(_to(seen, check))
    return None if count <= operand(check) else expected(f"at most {operand(check)}", count)


@OPERATORS.operator
def min_calls(seen: GitHubObservation, check: Check) -> str | None:
    count = len(_to(seen, check))
    return None if count >= operand(check) else expected(f"at least {operand(check)}", count)


@OPERATORS.operator
def no_calls(seen: GitHubObservation, check: Check) -> str | None:
    made = _to(seen, check)
    return f"{made[0].method} {made[0].path} was called" if made else None


@OPERATORS.operator
def gap_between_calls_s(seen: GitHubObservation, check: Check) -> str | None:
    """Seconds between each request to the path and the next; there must be two at least."""
    at = [call.at for call in _to(seen, check)]
    gaps = [later - earlier for earlier, later in pairwise(at)]
    if not gaps:
        return f"{len(at)} requests were seen, so there is no gap"
    low, high = check.get("min", 0.0), check.get("max", float("inf"))
    wrong = [gap for gap in gaps if not low <= gap <= high]
    return expected(f"from {low} to {high} s", round(wrong[0], 2)) if wrong else None


@OPERATORS.operator
def jwt(seen: GitHubObservation, check: Check) -> str | None:
    """The App's token as it was shown when an installation's token was asked for."""
    wanted = check["value"]
    known = {"alg", "iss", "iat_max", "iat_recommended", "exp_minus_now_max_s", "scheme"}
    if unknown := sorted(wanted.keys() - known):
        return f"unknown jwt field {unknown[0]}"
    asked = [call for call in seen.api if call.method == "POST" and call.path.endswith("/access_tokens")]
    if not asked:
        return "no installation's token was asked for"
    return next((words for call in asked if (words := _wrong_token(call, wanted))), None)


def _wrong_token(call: Call, wanted: Mapping[str, Any]) -> str | None:
    scheme, _, token = call.headers.get("authorization", "").partition(" ")
    now = time.time() - (time.monotonic() - call.at)
    claims = json_web_tokens.decode(token, options={"verify_signature": False})
    app = call.hub.world.app
    algorithm = json_web_tokens.get_unverified_header(token)["alg"]
    if scheme != wanted.get("scheme", scheme) or algorithm != wanted.get("alg", algorithm):
        return f"the scheme is {scheme}, the algorithm {algorithm}"
    if "iss" in wanted and str(claims["iss"]) not in (str(app.id), app.client_id):
        return f"iss is {claims['iss']!r}"
    if wanted.get("iat_max") == "now" and claims["iat"] > now:
        return f"iat is {claims['iat'] - now:.0f} s ahead"
    if claims["exp"] - now > wanted.get("exp_minus_now_max_s", float("inf")):
        return f"exp is {claims['exp'] - now:.0f} s ahead"
    return None


@OPERATORS.operator
def unit(seen: GitHubObservation, check: Check) -> str | None:
    """The program's own function says this of what was sent."""
    from bot.adapters.github.signature import verified

    if seen.signed is None:
        return "nothing was sent"
    said = {"verify(secret, body, header)": verified(seen.signed.secret, seen.signed.body, seen.signed.header)}
    if unknown := sorted(check["value"].keys() - said.keys()):
        return f"unknown unit {unknown[0]}"
    wrong = [name for name, wanted in check["value"].items() if said[name] != wanted]
    return f"{wrong[0]}: {expected(check['value'][wrong[0]], said[wrong[0]])}" if wrong else None


@OPERATORS.operator
def consistent(seen: GitHubObservation, check: Check) -> str | None:
    """Accepted means done; what is refused says what would be accepted."""
    rule = CONSISTENT.fullmatch(check["value"])
    if rule is None:
        return f"unknown rule {check['value']!r}"
    replies, kind = int(rule[1]), rule[2]
    for each in seen.exchanges:
        if 200 <= each.status < 300:
            if len(seen.created) != replies:
                return f"{each.status} with {len(seen.created)} replies"
        elif kind not in each.body or len(seen.created) == replies:
            return f"{each.status} with {len(seen.created)} replies says {each.body!r}"
    return None if seen.exchanges else "there was no response"


@OPERATORS.operator
def worker(seen: GitHubObservation, check: Check) -> str | None:
    """`alive`: a question that came later, elsewhere, was answered."""
    if operand(check) != "alive":
        return f"unknown worker {operand(check)}"
    return None if seen.worker_alive else "a later question was not answered"


@OPERATORS.operator
def mentioned(seen: GitHubObservation, check: Check) -> str | None:
    """Whether the text was taken for a mention: answered, reacted to, or asked of the model."""
    done = [name for name in ("created", "edited", "reacted", "calls") if getattr(seen, name)]
    return None if bool(done) is check["value"] else expected(check["value"], f"{done or 'nothing'} done")


@OPERATORS.operator
def question(seen: GitHubObservation, check: Check) -> str | None:
    """What was asked is exactly this."""
    wrong = [text for text in seen.questions if text != check["value"]]
    return expected(check["value"], wrong[0]) if wrong else None if seen.questions else "no question was seen"


@OPERATORS.operator
def max_len_codepoints(seen: GitHubObservation, check: Check) -> str | None:
    """Each reply that was made, if any."""
    longest = operand(check)
    wrong = [len(text) for text in seen.replies if len(text) > longest]
    return expected(f"at most {longest}", wrong[0]) if wrong else None


@OPERATORS.operator
def no_citations(seen: GitHubObservation, check: Check) -> str | None:
    found = next((match for text in seen.replies if (match := CITATION.search(text))), None)
    return f"a reply has {found[0]!r}" if found else None


@OPERATORS.operator
def exit_nonzero(seen: HttpObservation, check: Check) -> str | None:
    return None if seen.exit_code else f"the server ended with {seen.exit_code}"


@OPERATORS.operator
def stderr_names_setting(seen: GitHubObservation, check: Check) -> str | None:
    """What the program said names each setting that the case leaves out, or the one that the check names."""
    names = [check["name"]] if check.get("name") else seen.settings_missing
    if not names:
        return "the case leaves out no setting"
    silent = [name for name in names if name not in seen.log]
    return f"{silent[0]} is not named in {seen.log.strip()[-300:]!r}" if silent else None
