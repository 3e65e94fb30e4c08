"""Statements become questions as people type them: templates, fillers, typos, pasted-error noise."""

from __future__ import annotations

import random
import re

ABOUT_STATEMENT = (
    "how does it {0}",
    "how do I {0}?",
    "how to {0}",
    "where does the code {0}?",
    "which function is used to {0}",
    "is there a way to {0}?",
    "I want to {0}, where do I look",
    "can it {0}?",
    "what happens when I {0}",
)
ABOUT_NOUN = (
    "what is the {0}?",
    "how does {0} work",
    "where is {0} defined",
    "how is {0} handled?",
    "explain the {0}",
    "where can I find the {0}",
    "what does {0} do",
    "docs for {0}?",
)
ABOUT_NAME = (
    "where is {0} implemented?",
    "what does {0} do",
    "{0}",
    "how does {0} work?",
    "where is {0} defined",
    "which file has the {0} code",
    "show me the implementation of {0}",
)
LONGEST_NOUN = 8
"""Words; a longer phrase is taken for a sentence, which nobody asks "what is the" about."""

OPENINGS = (
    "hi, ",
    "hello all, ",
    "quick question: ",
    "sorry if this is a duplicate, ",
    "I'm trying to understand ",
    "please help: ",
)
CLOSINGS = (" thanks", " any idea?", " thanks in advance!", " I couldn't find it in the docs", " please", " ??")
ERROR_OPENINGS = (
    "I get ",
    "why do I see ",
    "it fails with ",
    "crashes: ",
    "ERROR ",
    "Traceback (most recent call last): ",
    "got this error: ",
)


def about(statement: str, rng: random.Random) -> str:
    """Returns a docstring's sentence ("Returns the number of x.") as a question about it."""
    body = statement.rstrip(". ").split(". ")[0]
    first, _, rest = body.partition(" ")
    if rest and (verb := _imperative(first, rest)):
        return noisy(rng.choice(ABOUT_STATEMENT).format(f"{verb} {rest}"), rng)
    body = re.sub(r"^(the|an?|this \w+ is|this)\s+", "", body, flags=re.IGNORECASE)
    if body.count(" ") >= LONGEST_NOUN:
        return noisy(body, rng)
    return noisy(rng.choice(ABOUT_NOUN).format(body[:1].lower() + body[1:]), rng)


def about_name(name: str, rng: random.Random) -> str:
    """Returns a question about an identifier or its words."""
    return noisy(rng.choice(ABOUT_NAME).format(name), rng)


def pasted(message: str, error: str, rng: random.Random) -> str:
    """Returns an error message as users paste it, its placeholders filled in."""
    filled = re.sub(r"\{[^{}]*\}|%[-\d.]*[sdifrx]", lambda _: rng.choice(_VALUES), message)
    opening = rng.choice(ERROR_OPENINGS) if rng.random() < 0.4 else ""
    return opening + (f"{error}: {filled}" if error and rng.random() < 0.6 else filled)


def noisy(text: str, rng: random.Random) -> str:
    """Returns the text, now and then with an opening, a closing, lost capitals or two letters swapped."""
    if rng.random() < 0.15:
        text = rng.choice(OPENINGS) + text
    if rng.random() < 0.15:
        text += rng.choice(CLOSINGS)
    if rng.random() < 0.3:
        text = text.lower()
    if rng.random() < 0.08 and len(text) > 12:
        at = rng.randrange(4, len(text) - 2)
        text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text


_VALUES = (
    "3",
    "128",
    "0.5",
    "None",
    "foo",
    "'model'",
    "/tmp/data",
    "torch.float16",
    "(4, 16)",
    "my-name",
    "<object at 0x7f>",
)
_VERBS = set(
    "add apply assert assign build calculate call cast change check clean clear close collect combine compare "
    "compile compute configure connect construct convert copy count create decode decorate define delete "
    "describe detect determine disable dispatch display download draw drop dump emit enable encode ensure "
    "estimate evaluate execute expand export extract fetch fill filter find fit flush format forward generate "
    "get give handle hold implement import indicate infer initialize insert invoke iterate join list load log "
    "look make manage map mark match measure merge modify move normalize notify open parse pass perform plot "
    "pop predict prepare print process produce provide push raise read receive record reduce register release "
    "remove rename render replace report represent request reset resolve restore retrieve return round run "
    "sample save scale schedule score search select send serialize set setup show shuffle sort split start "
    "stop store stream submit summarize sync test tokenize train transform translate trigger truncate try turn "
    "update upload use validate verify wait walk wrap write yield".split()
)


def _imperative(word: str, rest: str) -> str | None:
    """Returns the plain form of a verb that docstrings start with, or None."""
    word = word.lower()
    if word.endswith("s") and re.match(r"(the|an?|all|any|this|each|its|one)\b", rest):
        return _without_s(word)
    return next((form for form in (word, _without_s(word)) if form in _VERBS), None)


def _without_s(word: str) -> str:
    return re.sub(r"(?<=ss|sh|ch|.x)es$|s$", "", re.sub("ies$", "ys", word))
