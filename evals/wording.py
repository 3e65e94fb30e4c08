"""Statements become questions as people type them; the words that would give the place away are swapped or left out."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from evals.prose import MARK
from evals.templates import (
    BROKEN,
    CLOSINGS,
    CONSTANT_DESCRIBED,
    DOES_DESCRIBED,
    DOES_NAMED,
    FINITE,
    GIVES,
    HOWTO,
    IS_DESCRIBED,
    IS_NAMED,
    NOUN_DESCRIBED,
    NOUN_HOWTO,
    NOUN_PHRASE,
    ONLY_VERBS,
    OPENINGS,
    PURPOSE_DESCRIBED,
    PURPOSE_NAMED,
    SAID,
    SETTING_DESCRIBED,
    SETTING_TASK,
    SWAPS,
    TASK,
    VERBS,
    WEAK,
)


def asked_of(statement: str, name: str, noun: str, rng: random.Random, *, described: bool, loose: bool) -> str | None:
    """The question that a documentation sentence answers, with MARK where its name stood; None when it answers none.

    `described` leaves the name out: the asker knows what it does, not what it is called. `loose` also takes sentences
    of no known pattern, as something that was read.
    """
    text = _unwrapped(reworded(statement, rng, share=0.4))
    if purpose := _purpose(text):
        forms = PURPOSE_DESCRIBED if described else PURPOSE_NAMED
        return _filled(rng.choice(forms), purpose, name, noun, "") if MARK not in purpose else None
    if match := re.match(rf"{MARK} (?:is|are) ((?:an?|the) .+)", text):
        return _filled(rng.choice(IS_DESCRIBED if described else IS_NAMED), match[1], name, noun, "")
    if match := re.match(rf"{MARK},? (?:now |will |also |then |always |automatically )*(\w+) (.+)", text):
        verb = plain_verb(match[1])
        if verb and verb not in WEAK:
            does = DOES_DESCRIBED if described else DOES_NAMED
            plain = f"{verb} {_agreeing(match[2])}"
            return _filled(rng.choice(does), plain, name, noun, f"{_third(verb)} {match[2]}")
    if match := re.match(
        r"(?:Fixed|Fixes|Fix) ((?:an?|the|some|several|bugs?|issues?|crash\w*|memory) (?:\S+ ){5,}.+)", text
    ):
        return rng.choice(BROKEN).format(_named(match[1], name, noun, described))
    return _said(text, name, rng) if loose and not described else None


def _said(text: str, name: str, rng: random.Random) -> str | None:
    """A statement asked as something that was read; None where it is a fragment."""
    if not re.match(MARK, text) or not _finite(text) or re.search(rf"{MARK},? (?:that|which)\b|\bnot\b", text):
        return None
    said = text.replace(MARK, name)
    return rng.choice(SAID).format(said if said.startswith(name) else said[:1].lower() + said[1:])


def about_docstring(sentence: str, noun: str, rng: random.Random) -> str | None:
    """A question of someone who knows what the code does, not its name; None when the sentence says too little."""
    body = re.sub(r"^(Helper|Utility|Convenience|Internal) (function|method|class) (to|for|that) ", "", sentence)
    body = reworded(body, rng, share=0.6)
    first, _, rest = body.partition(" ")
    verb = plain_verb(first)
    if rest.startswith("by "):
        return None
    if rest and verb in {"return", "give", "get"}:
        return rng.choice(GIVES).format(_agreeing(rest), noun)
    if rest and verb and verb not in WEAK:
        forms = (*HOWTO, "where does the code {0}?", "which {1} is used to {0}?", "what {2}")
        plain = f"{verb} {_agreeing(rest)}"
        third = f"{_third(verb)} {_agreeing(rest, _third)}"
        return rng.choice(forms).format(plain, noun, third)
    match = re.match(rf"(?:An?|The|This {noun} is an?) (\S+ \S+ \S+ \S+.*)", body)
    if (
        match
        and " or None" not in body
        and not re.match(rf"(?:The|This \w+) {noun}\b", body)
        and not _finite(match[1].split(" that ")[0])
    ):
        return rng.choice(NOUN_DESCRIBED).format(match[1])
    return None


def about_setting(said: str, noun: str, rng: random.Random) -> str | None:
    """A question for the setting or constant that is explained as `said`; None where that is no noun phrase or task."""
    body = reworded(re.sub(r"^(?:Optional\.?|Specifies|Sets|Set|Controls|Defines)\s+", "", said), rng)
    task = re.match(
        r"(?:If (?:True|true|set),?|(?:Whether|If) (?:or not )?to|Flag to|Used to) (.+)", body, re.IGNORECASE
    )
    task_words = task[1] if task else body
    verb = None if task_words.lower().startswith("list of") else plain_verb(task_words.split(" ")[0])
    if verb and (task or verb == body.split(" ")[0].lower()) and noun != "constant":
        return rng.choice(SETTING_TASK).format(f"{verb} {task_words.partition(' ')[2]}")
    odd = _finite(body) or re.search(
        r"[^\w\s,.'()/\"-]|n't|'m\b|^(?:we|i|you|they|not|to|for|from|see|used)\b", body, re.IGNORECASE
    )
    bare = noun == "constant" and not NOUN_PHRASE.match(said)
    if task or odd or bare:
        return None
    body = re.sub(r"^(?:The|An?)\s+", "", body)
    phrase = body[:1].lower() + body[1:] if re.match(r"[A-Z][a-z]", body) else body
    return rng.choice(CONSTANT_DESCRIBED if noun == "constant" else SETTING_DESCRIBED).format(phrase)


def about_heading(title: str, above: str, rng: random.Random) -> str | None:
    """A question that a documentation section under this heading answers."""
    title = title.rstrip(".:")
    if title.endswith("?"):
        return title
    title = reworded(re.sub(r"^(?:\d[\d.]*\s+|How to |How do I |Step \d+[:.] )", "", title), rng)
    first, _, rest = title.partition(" ")
    context = _lowered(above) if above and len(title.split()) < 4 else ""
    verb = _of_gerund(first) or (plain_verb(first) if TASK.match(rest) or first.lower() in ONLY_VERBS else None)
    if verb and rest and not re.match(r"(and|or)\b", rest):
        task = f"{verb} {_lowered(rest)}" + (f" ({context})" if context else "")
        return rng.choice(HOWTO).format(task)
    if len(title.split()) < 3 and not context:
        return None
    return rng.choice(NOUN_HOWTO).format(_lowered(title) + (f" ({context})" if context else ""))


def reworded(question: str, rng: random.Random, *, keep: frozenset[str] = frozenset(), share: float = 0.5) -> str:
    """The question with a share of its words swapped for synonyms and some modifiers dropped; never those in `keep`."""
    words = []
    for word in question.split(" "):
        bare = word.strip("?.,()\"':;").lower()
        if not bare or bare in keep or not bare.isalpha():
            words.append(word)
            continue
        stem = bare if bare in SWAPS else bare[:-1] if bare.endswith("s") and bare[:-1] in SWAPS else ""
        others = [other for other in SWAPS.get(stem, ()) if stem == bare or " " not in other]
        if others and rng.random() < share:
            swapped = rng.choice(others)
            swapped = _third(swapped) if stem != bare else swapped
            words.append(word.lower().replace(bare, swapped.capitalize() if word[:1].isupper() else swapped))
        elif not _dropped(bare, rng, share):
            words.append(word)
    return re.sub(r"\b([Aa])n? (?=(\w))", _with_article, " ".join(words))


def shortened(question: str, most: int) -> str:
    """The question without what follows its first clauses, when it is longer than `most` words."""
    if len(question.split()) <= most:
        return question
    cut = re.split(r"(?:,|;| - | -- |\(| which | so that | because | and then | unless )", question)
    kept = cut[0]
    for piece in cut[1:]:
        if len(f"{kept} {piece}".split()) > most:
            break
        kept = question[: question.index(piece, len(kept)) + len(piece)]
    return kept.rstrip(" ,;(") + ("?" if question.endswith("?") and not kept.endswith("?") else "")


def typed(text: str, rng: random.Random, *, keep: frozenset[str] = frozenset()) -> str:
    """The question as typed: now and then an opening, a closing, no capitals, or (one in ten) a typo."""
    if rng.random() < 0.3:
        text = " ".join(word if word.strip("?.,():\"'") in keep else _lowered_word(word) for word in text.split(" "))
    if rng.random() < 0.1:
        text = _misspelt(text, rng, keep)
    if rng.random() < 0.12:
        text = rng.choice(OPENINGS) + text
    if rng.random() < 0.12:
        text += rng.choice(CLOSINGS)
    return text


def plain_verb(word: str) -> str | None:
    """The plain form of a verb that starts a statement (`Returns`, `Return` → `return`), or None."""
    word = word.lower()
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word))
    return next((form for form in forms if form in VERBS), None)


def spoken(name: str) -> str:
    """The words of a name: `RequestHandler.get_status` → `request handler get status`."""
    return " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)).lower()


def _unwrapped(statement: str) -> str:
    """The statement without what introduces it, the name without its article and noun."""
    noun = (
        r"(?:method|function|class|decorator|option|argument|parameter|setting|attribute|command|flag|module|exception|"
        r"error|instance|object|environment variable)"
    )
    text = re.sub(rf"(?:\b[Tt]he )?(?:\w+ )?{MARK} {noun}\b", MARK, re.sub(rf"\b[Tt]he {MARK}", MARK, statement))
    text = re.sub(rf"^{noun.capitalize()} {MARK}", MARK, text)
    text = re.sub(r"^(?:Note that|Also,?|Additionally,?|However,?|Finally,?|Instead,?|Now,?) ", "", text)
    return text[:1].upper() + text[1:]


def _purpose(text: str) -> str | None:
    """What a sentence says its name is for: `To X, use NAME`, `Use NAME to X`, `You can X with NAME`."""
    patterns = (
        rf"(?:To|In order to) (?P<p>\w+ [^,]+), .*{MARK}",
        rf"(?:You (?:can|may|should) (?:also )?)?[Uu]se {MARK} to (?P<p>.+)",
        rf"{MARK} (?:can be used|may be used|is used|should be used|lets you|allows you|allows users|is intended) ?"
        r"(?:to )?(?P<p>.+)",
        rf"(?:You|One|Users) (?:can|may|should|must) (?:also |then )?(?P<p>\w+ .+?) "
        rf"(?:using|with|by using|via|through|by calling|by setting|by passing|by overriding) {MARK}",
        rf"If you (?:want|need|wish|would like|prefer) to (?P<p>[^,]+), .*{MARK}",
    )
    for pattern in patterns:
        match = re.match(pattern, text)
        if (
            match
            and plain_verb(match["p"].split(" ")[0]) == match["p"].split(" ")[0].lower()
            and match["p"].count(" ") > 1
        ):
            return re.sub(r",? (?:and|or)$", "", match["p"])
    return None


def _filled(form: str, what: str, name: str, noun: str, third: str) -> str | None:
    if MARK in what:
        return None
    return form.format(what, name, noun, third)


def _named(text: str, name: str, noun: str, described: bool) -> str:
    return re.sub(rf"(?:\b[Aa]n?\b |\b[Tt]he )?{MARK}", f"the {noun}", text) if described else text.replace(MARK, name)


def _third(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeou":
        return verb[:-1] + "ies"
    return verb + ("es" if re.search(r"(s|sh|ch|x|z|o)$", verb) else "s")


def _agreeing(rest: str, form: Callable[[str], str] = str) -> str:
    """`and writes the result` → `and write the result`: the second verb takes the form of the first."""

    def plain(match: re.Match[str]) -> str:
        verb = plain_verb(match[2])
        return f"{match[1]}{form(verb)} " if verb and match[2] == _third(verb) else match[0]

    return re.sub(r"(\band |, )([a-z]+s) ", plain, rest)


def _finite(text: str) -> bool:
    """Whether a text has a verb, as far as its small words and the verbs of docstrings show."""
    words = text.split(" ")
    return any(
        w in FINITE or (w.endswith("s") and w == _third(plain_verb(w) or "-") and n) for n, w in enumerate(words)
    )


def _dropped(word: str, rng: random.Random, share: float) -> bool:
    return (word in {"the", "an", "a"} and rng.random() < share / 3) or (word.endswith("ly") and rng.random() < share)


def _with_article(match: re.Match[str]) -> str:
    return match[1] + ("n " if match[2].lower() in "aeio" else " ")


def _lowered_word(word: str) -> str:
    """The word in small letters, unless it is a name that mixes them or has joints."""
    return word if re.search(r"[a-z][A-Z]|\w[_.]\w|--", word) else word.lower()


def _of_gerund(word: str) -> str | None:
    """`Handling` → `handle`, `Running` → `run`."""
    if not word.lower().endswith("ing"):
        return None
    stem = word.lower()[:-3]
    return next((form for form in (stem, stem + "e", stem[:-1]) if form in VERBS), None)


def _lowered(title: str) -> str:
    """The title in running text: words lose their capital unless they are names."""
    return " ".join(word.lower() if re.fullmatch(r"[A-Z][a-z]+", word) else word for word in title.split(" "))


def _misspelt(text: str, rng: random.Random, keep: frozenset[str]) -> str:
    words = text.split(" ")
    able = [i for i, word in enumerate(words) if len(word) > 5 and word.isalpha() and word not in keep]
    if not able:
        return text
    at = rng.choice(able)
    word, cut = words[at], rng.randrange(1, len(words[at]) - 2)
    swapped = word[:cut] + word[cut + 1] + word[cut] + word[cut + 2 :]
    words[at] = rng.choice((swapped, word[:cut] + word[cut + 1 :]))
    return " ".join(words)
