"""Operators of section C: what was sent to Discord, in which way, and what was not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from cases.discord_observation import DiscordObservation, body_of
from cases.discord_steps import SENDING
from cases.expectations import Check, Operators, expected, operand
from cases.families import add_numbers, add_texts
from cases.http_operators import TRACEBACK
from cases.rendering_markup_operators import ABOUT, SOURCES
from cases.rendering_observation import code_lines, links, shown
from fakes.discord.calls import Call
from fakes.discord.posts import MessageFlags

OPERATORS: Operators[DiscordObservation] = Operators()
EXITS = re.compile(r"exits non-zero(?: with a sentence naming (?P<name>.+))?")
MESSAGE_PATHS = re.compile(
    r"^(?:POST|PATCH) (?:/channels/\d+/messages(?:/\d+)?|/webhooks/\d+/[^/]+(?:/messages/[^/]+)?"
    r"|/interactions/\d+/[^/]+/callback)$"
)
THREADS = re.compile(r"^POST /channels/\d+(?:/messages/\d+)?/threads$")
HOW_TO_ASK = re.compile(r"/ask\b|<@!?\d+>|@\w+")

add_numbers(OPERATORS, "sends", lambda seen: [len(seen.sent)])
add_numbers(OPERATORS, "answers", lambda seen: [seen.answers])
add_numbers(OPERATORS, "edits", lambda seen: [len({id(change.message) for change in seen.later_edits})])
add_numbers(OPERATORS, "deletes", lambda seen: [len(seen.deleted)])
add_numbers(OPERATORS, "reactions", lambda seen: [len(seen.reacted)])
add_numbers(OPERATORS, "threads", lambda seen: [len([call for call in seen.to(THREADS) if call.status == 201])])
add_numbers(OPERATORS, "reconnects", lambda seen: [max(seen.connections - 1, 0)])
add_texts(OPERATORS, "reply", lambda seen: seen.texts)
add_texts(OPERATORS, "send", lambda seen: seen.texts)
add_texts(OPERATORS, "prompt", lambda seen: [call.prompt for call in seen.calls[-1:]])
add_texts(OPERATORS, "question", lambda seen: seen.questions[-1:])


def _succeeded(calls: Sequence[Call]) -> list[Call]:
    return [call for call in calls if call.status and 200 <= call.status < 300]


def _writing(seen: DiscordObservation) -> list[Call]:
    """The requests that made or changed a message, and held one."""
    return [call for call in _succeeded(seen.to(MESSAGE_PATHS)) if "content" in body_of(call)]


@OPERATORS.operator
def question(seen: DiscordObservation, check: Check) -> str | None:
    """What the model was asked is exactly this."""
    got = seen.questions[-1:]
    return expected(check["value"], got[0]) if got and got[0] != check["value"] else None if got else "none was asked"


@OPERATORS.operator
def process(seen: DiscordObservation, check: Check) -> str | None:
    """`running`, or that it exits, with a sentence that names something in the words or the spelling of a setting."""
    wanted = str(operand(check))
    if wanted in ("running", "alive", "keeps running", "stays up"):
        return None if seen.exit_code is None else f"it ended with exit {seen.exit_code}"
    found = EXITS.fullmatch(wanted)
    if found is None:
        return f"unknown process {wanted!r}"
    if not seen.exit_code:
        return expected(wanted, f"exit {seen.exit_code}")
    if TRACEBACK.search(seen.log):
        return "there is a traceback"
    named = re.escape(found["name"] or "").replace("_", "[ _]")
    sentence = [line for line in seen.log.splitlines() if " " in line.strip() and re.search(named, line, re.I)]
    return None if sentence else expected(wanted, seen.log.strip()[-300:])


@OPERATORS.operator
def every_send(seen: DiscordObservation, check: Check) -> str | None:
    """Each message, when it was made and whenever it was changed; fences only where a reader is left with them."""
    calls = _writing(seen)
    if not calls:
        return "nothing was sent"
    allowed, most, utf16 = check.get("allowed_mentions_parse"), check.get("max_codepoints"), check.get("max_utf16")
    for call in calls:
        body = body_of(call)
        told = body.get("allowed_mentions") or {}
        if allowed is not None and (told.get("parse") != allowed or told.get("users") or told.get("replied_user")):
            return f"allowed_mentions is {body.get('allowed_mentions')!r}"
        text = body.get("content") or ""
        if most is not None and len(text) > most:
            return expected(f"at most {most}", len(text))
        if utf16 is not None and len(text.encode("utf-16-le")) // 2 > utf16:
            return expected(f"at most {utf16} UTF-16 units", len(text.encode("utf-16-le")) // 2)
    if check.get("fences_balanced"):
        return _unbalanced([*seen.texts, *(change.content for change in seen.sent)])
    return None


def _unbalanced(texts: Sequence[str]) -> str | None:
    from cases.rendering_observation import RenderingObservation
    from cases.rendering_section import OPERATORS as RENDERING

    return RENDERING.difference(RenderingObservation(texts, surface="discord"), {"op": "fences_balanced"})


def route_pattern(route: str) -> re.Pattern[str]:
    """What a request to a route looks like; `/threads` alone is any request whose path ends so."""
    method, _, path = route.rpartition(" ")
    parts = re.split(r"\{\w+\}|\*", path)
    return re.compile(rf"{method or '[A-Z]+'} {'' if method else '.*'}{'[^/]+'.join(map(re.escape, parts))}$")


def _creating(seen: DiscordObservation) -> list[Call]:
    return seen.to(re.compile(f"^{route_pattern(SENDING).pattern}"))


@OPERATORS.operator
def only_first_send_is_reply(seen: DiscordObservation, check: Check) -> str | None:
    replies = [bool(body_of(call).get("message_reference")) for call in _succeeded(_creating(seen))]
    if not replies:
        return "nothing was sent"
    return None if replies == [True] + [False] * (len(replies) - 1) else f"replies: {replies}"


@OPERATORS.operator
def sends_in_order(seen: DiscordObservation, check: Check) -> str | None:
    """A message is asked for when the one before is there, what is said stands in its order, and the footer is last."""
    made = _succeeded(_creating(seen))
    if not made:
        return "nothing was sent"
    early = [later for earlier, later in pairwise(made) if later.at < earlier.at + earlier.seconds]
    if early:
        return "a message was sent before the one before it had been answered"
    ends = [bool(ABOUT.search(shown(text))) for text in seen.texts]
    if ends != [False] * (len(ends) - 1) + [True]:
        return f"the line that ends the answer is in messages {[at for at, end in enumerate(ends, 1) if end]}"
    return _out_of_order(seen)


def _out_of_order(seen: DiscordObservation) -> str | None:
    """Lines of code that stand once in what was said come one after the other."""
    said, got = code_lines(seen.said), [line for text in seen.texts for line in code_lines(text)]
    places = [got.index(line) for line in said if said.count(line) == 1 and got.count(line) == 1]
    return None if places == sorted(places) else "the lines of code are out of order"


@OPERATORS.operator
def all_chunks_delivered(seen: DiscordObservation, check: Check) -> str | None:
    """All code that was said is there, line by line, and so is the line that ends an answer."""
    got = [line for text in seen.texts for line in code_lines(text)]
    if got != code_lines(seen.said):
        return f"{len(got)} of {len(code_lines(seen.said))} lines of code are there"
    return None if seen.answers else "the end of the answer is missing"


@OPERATORS.operator
def each_chunk_once(seen: DiscordObservation, check: Check) -> str | None:
    """Nothing that was said is there twice."""
    got = [line for text in seen.texts for line in code_lines(text)]
    if len(got) > len(code_lines(seen.said)):
        return f"{len(got)} lines of code for {len(code_lines(seen.said))}"
    return None if seen.answers <= 1 else f"the answer ends {seen.answers} times"


@OPERATORS.operator
def max_failed_sends(seen: DiscordObservation, check: Check) -> str | None:
    failed = [call for call in _creating(seen) if call.status is not None and not 200 <= call.status < 300]
    return None if len(failed) <= operand(check) else expected(f"at most {operand(check)}", len(failed))


@OPERATORS.operator
def gap_between_calls_s(seen: DiscordObservation, check: Check) -> str | None:
    """Seconds from each request that failed to the next on the route; between all, where none failed."""
    calls = seen.to(route_pattern(check.get("route") or SENDING))
    pairs = list(pairwise(calls))
    failed = [(one, two) for one, two in pairs if not one.status or one.status >= 400]
    gaps = [two.at - (one.at + one.seconds) for one, two in failed or pairs]
    if not gaps:
        return f"{len(calls)} requests were seen, so there is no gap"
    low, high = check.get("min", 0.0), check.get("max", float("inf"))
    wrong = [gap for gap in gaps if not low <= gap <= high]
    return expected(f"from {low} to {high} s", round(wrong[0], 2)) if wrong else None


@OPERATORS.operator
def calls_between(seen: DiscordObservation, check: Check) -> str | None:
    """How many requests to the route."""
    got = len(seen.to(route_pattern(check["route"])))
    low, high = check.get("min", 0), check.get("max", float("inf"))
    return None if low <= got <= high else expected(f"{low} to {high}", got)


@OPERATORS.operator
def no_call(seen: DiscordObservation, check: Check) -> str | None:
    made = seen.to(route_pattern(check["route"]))
    return f"{made[0].method} {made[0].path} was called" if made else None


def _thread_names(seen: DiscordObservation) -> list[str]:
    return [str(body_of(call).get("name") or "") for call in seen.to(THREADS)]


@OPERATORS.operator
def thread_name_len(seen: DiscordObservation, check: Check) -> str | None:
    names = _thread_names(seen)
    wrong = [name for name in names if not check.get("min", 1) <= len(name.strip()) <= check.get("max", 100)]
    return f"{wrong[0]!r} has {len(wrong[0])} characters" if wrong else None if names else "no thread was begun"


@OPERATORS.operator
def thread_name_no_markup(seen: DiscordObservation, check: Check) -> str | None:
    names = _thread_names(seen)
    wrong = [(name, mark) for name in names for mark in check["patterns"] if mark in name]
    return f"{wrong[0][1]!r} is in {wrong[0][0]!r}" if wrong else None if names else "no thread was begun"


@OPERATORS.operator
def interaction_ack_s_max(seen: DiscordObservation, check: Check) -> str | None:
    """Each interaction was answered in time, and in this way."""
    wanted = check.get("type")
    for each in seen.interactions:
        if each.waited_s is None or each.waited_s > operand(check):
            return expected(f"at most {operand(check)} s", each.waited_s)
        if wanted is not None and each.response != wanted:
            return expected(f"type {wanted}", each.response)
    return None if seen.interactions else "there was no interaction"


@OPERATORS.operator
def then_edit_original(seen: DiscordObservation, check: Check) -> str | None:
    """What was promised is filled in, in its place."""
    empty = [each for each in seen.interactions if not each.original or not each.original.content]
    if not seen.interactions or empty:
        return "the first answer was never filled in"
    filled = _succeeded(seen.to(re.compile("^PATCH /webhooks/.*/messages/@original$")))
    return None if filled else "it was not done by editing @original"


@OPERATORS.operator
def ephemeral(seen: DiscordObservation, check: Check) -> str | None:
    """Whether only the asker sees what an interaction was answered."""
    wanted = check.get("value", True)
    got = [bool(each.original and each.original.ephemeral) for each in seen.interactions]
    return None if got and set(got) == {wanted} else expected(wanted, got)


@OPERATORS.operator
def help_text(seen: DiscordObservation, check: Check) -> str | None:
    """It says how to ask, and is no answer."""
    if not seen.texts:
        return "nothing was sent"
    text = seen.texts[-1]
    if not HOW_TO_ASK.search(text):
        return f"it does not say how to ask: {text!r}"
    return "it has sources" if SOURCES.search(shown(text)) else None


@OPERATORS.operator
def no_embed_previews(seen: DiscordObservation, check: Check) -> str | None:
    """No link shows a preview: they are suppressed for the message, or the link stands in `<>`."""
    check.get("how")
    if not seen.messages:
        return "nothing was sent"
    for message in seen.messages:
        bare = [url for url in links(message.content) if f"<{url}>" not in message.content]
        if bare and not message.flags & MessageFlags.SUPPRESS_EMBEDS:
            return f"{bare[0]} shows a preview"
    return None


@OPERATORS.operator
def citation_footer_in_one_message(seen: DiscordObservation, check: Check) -> str | None:
    """One message lists the sources, and all of them."""
    holding = [text for text in seen.texts if SOURCES.search(shown(text))]
    if len(holding) != 1:
        return f"{len(holding)} messages list sources"
    cited = {url for text in seen.texts for url in links(text) if "/blob/" in url}
    lost = cited - set(links(holding[0]))
    return f"{min(lost)} is not among the sources" if lost else None if cited else "there is no source"


@OPERATORS.operator
def buttons(seen: DiscordObservation, check: Check) -> str | None:
    """The last message of the answer has buttons with these labels, emoji or links, in any order."""
    shown_by = [b for message in seen.messages for b in message.buttons]
    labels = " ".join(str(b.get("label") or "") + str((b.get("emoji") or {}).get("name") or "") for b in shown_by)
    lacking = [wanted for wanted in check["values"] if wanted not in labels]
    return f"no button {lacking[0]!r} in {labels!r}" if lacking else None


@OPERATORS.operator
def link_buttons_min(seen: DiscordObservation, check: Check) -> str | None:
    got = sum(1 for message in seen.messages for button in message.buttons if button.get("url"))
    return None if got >= operand(check) else expected(f"at least {operand(check)}", got)


@OPERATORS.operator
def in_thread(seen: DiscordObservation, check: Check) -> str | None:
    """Whether everything that can be read stands in threads."""
    got = {message.channel.is_thread for message in seen.messages}
    return None if got == {check.get("value", True)} else expected(check.get("value", True), sorted(got))


@OPERATORS.operator
def no_ping(seen: DiscordObservation, check: Check) -> str | None:
    """Nobody is notified by any message."""
    loud = [message for message in seen.messages if message.pings]
    return f"{loud[0].content!r} notifies {loud[0].pings}" if loud else None
