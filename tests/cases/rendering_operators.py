"""Operators of section D on texts: how long they are, what they hold, what of the model's words is left."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import regex

from cases.expectations import Check, Operators, expected, operand
from cases.families import add_numbers
from cases.rendering_observation import RenderingObservation, code_lines, shown

OPERATORS: Operators[RenderingObservation] = Operators()
SAYS_NO_ANSWER = re.compile(r"could not find|couldn't find|no answer|found nothing|not found|do(?:es)? not know", re.I)
SAYS_TRUNCATED = re.compile(r"\b(?:shortened|truncated|cut (?:off|short))\b", re.I)
ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060\ufeff]")
_MARKER = re.compile(r"^[\s>]*(?:[-*+]|\d+[.)])?\s*")
_CODE = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1|\Z)|(`+)(?!`).*?(?<!`)\2(?!`)", re.DOTALL | re.MULTILINE)
TORN_ONLY_BEYOND = 1_900


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _utf8(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _lengths(measure: Callable[[str], int]) -> Callable[[RenderingObservation], list[int]]:
    return lambda seen: [measure(message) for message in seen.messages]


for _prefix in ("", "each_"):
    add_numbers(OPERATORS, f"{_prefix}len_codepoints", _lengths(len))
    add_numbers(OPERATORS, f"{_prefix}len_utf16", _lengths(_utf16))
    add_numbers(OPERATORS, f"{_prefix}len_utf8", _lengths(_utf8))
add_numbers(OPERATORS, "messages", lambda seen: [len(seen.messages)])


@OPERATORS.operator
def messages_between(seen: RenderingObservation, check: Check) -> str | None:
    """How many messages: between `min` and `max`, or exactly `n`."""
    least, most, got = check.get("min", 1), check.get("max", len(seen.messages)), len(seen.messages)
    least, most = (check["n"], check["n"]) if "n" in check else (least, most)
    return None if least <= got <= most else expected(f"{least} to {most} messages", got)


@OPERATORS.operator
def max_len_codepoints(seen: RenderingObservation, check: Check) -> str | None:
    wrong = [len(message) for message in seen.messages if len(message) > operand(check)]
    return expected(f"at most {operand(check)}", wrong[0]) if wrong else None


@OPERATORS.operator
def non_empty(seen: RenderingObservation, check: Check) -> str | None:
    blank = [message for message in seen.messages if not shown(message).strip()]
    return f"{blank[0]!r} shows nothing" if blank else None if seen.messages else "there is no message"


def _listed(check: Check) -> list[str]:
    wanted = operand(check)
    return wanted if isinstance(wanted, list) else [wanted]


def _held(seen: RenderingObservation, check: Check) -> list[bool]:
    return [word.casefold() in seen.text.casefold() for word in _listed(check)]


@OPERATORS.operator
def contains(seen: RenderingObservation, check: Check) -> str | None:
    return None if all(_held(seen, check)) else expected(operand(check), seen.text)


@OPERATORS.operator
def contains_all(seen: RenderingObservation, check: Check) -> str | None:
    return contains(seen, check)


@OPERATORS.operator
def contains_any(seen: RenderingObservation, check: Check) -> str | None:
    return None if any(_held(seen, check)) else expected(operand(check), seen.text)


@OPERATORS.operator
def not_contains(seen: RenderingObservation, check: Check) -> str | None:
    return f"{operand(check)!r} is in {seen.text!r}" if any(_held(seen, check)) else None


@OPERATORS.operator
def not_contains_any(seen: RenderingObservation, check: Check) -> str | None:
    return not_contains(seen, check)


def _searched(seen: RenderingObservation, check: Check) -> re.Match[str] | None:
    text = _CODE.sub("", seen.text) if check.get("outside_code") else seen.text
    return re.search(operand(check), text)


@OPERATORS.operator
def matches(seen: RenderingObservation, check: Check) -> str | None:
    return None if _searched(seen, check) else expected(operand(check), seen.text)


@OPERATORS.operator
def not_regex(seen: RenderingObservation, check: Check) -> str | None:
    found = _searched(seen, check)
    return f"{found[0]!r} matches {operand(check)!r}" if found else None


@OPERATORS.operator
def says_no_answer(seen: RenderingObservation, check: Check) -> str | None:
    return None if SAYS_NO_ANSWER.search(shown(seen.text)) else f"{seen.text!r} does not say so"


@OPERATORS.operator
def says_truncated(seen: RenderingObservation, check: Check) -> str | None:
    """A note outside code says that something is missing, and the model did not write it."""
    said = SAYS_TRUNCATED.search(_CODE.sub("", seen.text))
    return None if said and not SAYS_TRUNCATED.search(seen.said) else "no note says that it is shortened"


def _bare(text: str) -> str:
    """The text without blanks, zero widths and what only marks lists and cuts."""
    return "".join(ZERO_WIDTH.sub("", shown(text)).split())


@OPERATORS.operator
def text_preserved(seen: RenderingObservation, check: Check) -> str | None:
    """The messages' text begins with the model's whole text; the sources follow."""
    wanted, got = _bare(seen.said), "".join(_bare(message) for message in seen.messages)
    at = next((at for at, char in enumerate(wanted) if got[at : at + 1] != char), None)
    return None if at is None else f"differs at {at}: {wanted[at : at + 20]!r} became {got[at : at + 20]!r}"


@OPERATORS.operator
def concat_preserves_text(seen: RenderingObservation, check: Check) -> str | None:
    return text_preserved(seen, check)


@OPERATORS.operator
def code_preserved(seen: RenderingObservation, check: Check) -> str | None:
    """The code lines of all messages are the model's; one that fits no message may be torn."""
    wanted, got = code_lines(seen.said), [line for message in seen.messages for line in code_lines(message)]
    return None if wanted == got or _joined_alike(wanted, got) else expected(wanted, got)


def _joined_alike(wanted: Sequence[str], got: Sequence[str]) -> bool:
    return max(map(len, wanted), default=0) > TORN_ONLY_BEYOND and "".join(wanted) == "".join(got)


@OPERATORS.operator
def code_preserved_modulo(seen: RenderingObservation, check: Check) -> str | None:
    """The same but for zero-width characters and indentation."""
    wanted = [line.strip() for line in code_lines(seen.said) if line.strip()]
    got = [ZERO_WIDTH.sub("", line).strip() for message in seen.messages for line in code_lines(message)]
    return None if wanted == [line for line in got if line] else expected(wanted, got)


@OPERATORS.operator
def no_line_torn(seen: RenderingObservation, check: Check) -> str | None:
    got = Counter(line for message in seen.messages for line in code_lines(message))
    wanted = Counter(line for line in code_lines(seen.said) if len(line) <= TORN_ONLY_BEYOND)
    missing = next(iter((wanted - got).elements()), None)
    return None if missing is None else f"{missing!r} is torn"


@OPERATORS.operator
def cut_at_line_boundary(seen: RenderingObservation, check: Check) -> str | None:
    """Every line of the model's text stands whole in one message, as often as it was said."""
    wanted = Counter(_MARKER.sub("", line).strip() for line in shown(seen.said).split("\n"))
    got = Counter(line.strip() for message in seen.messages for line in shown(message).split("\n"))
    del wanted[""]
    missing = next(iter((wanted - got).elements()), None)
    return None if missing is None else f"{missing!r} is not whole in any message"


@OPERATORS.operator
def indent_preserved(seen: RenderingObservation, check: Check) -> str | None:
    """Each item stands as far from the margin as in the model's text."""
    wanted, got = _indents(seen.said), _indents("\n".join(seen.messages))
    wrong = [text for text, indents in wanted.items() if got.get(text) != indents]
    return expected(f"{wrong[0]!r} at {dict(wanted[wrong[0]])}", dict(got.get(wrong[0], {}))) if wrong else None


def _indents(text: str) -> dict[str, Counter[int]]:
    found: dict[str, Counter[int]] = {}
    for line in text.split("\n"):
        if item := re.match(r"( *)(?:[-*+]|\d+[.)]) (.*)", line):
            found.setdefault(item[2], Counter())[len(item[1])] += 1
    return found


@OPERATORS.operator
def no_grapheme_torn(seen: RenderingObservation, check: Check) -> str | None:
    """No cut lies inside what a reader takes for one character."""
    wanted, got = (Counter(regex.findall(r"\X", text)) for text in (seen.said, "\n".join(seen.messages)))
    torn = [cluster for cluster in wanted if len(cluster) > 1 and got[cluster] < wanted[cluster] and cluster.strip()]
    return f"{torn[0]!r} is torn" if torn else None


@OPERATORS.operator
def heading_level_max(seen: RenderingObservation, check: Check) -> str | None:
    levels = [int(token.tag[1:]) for token in seen.tokens if token.type == "heading_open"]
    most = operand(check)
    deeper = [level for level in levels if level > most]
    return expected(f"at most {most}", deeper[0]) if deeper else None
