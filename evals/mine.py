"""A package becomes questions with gold lines: six ways to find a place that a sentence of the package speaks of.

Every miner is a generator of `Mined` in reading order; `mine` words them, drops repeats, and keeps a seeded sample.
"""

from __future__ import annotations

import ast
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from evals import templates, wording
from evals.corpus import MOST_PLACES, Package, Section, Spot, Text
from evals.documented import (
    FEWEST_WORDS,
    LEANING,
    MOST_WORDS,
    comment_on,
    docstring,
    first_sentence,
    help_in,
    said_of,
    string_below,
)
from evals.errors import raised
from evals.prose import MARK, Sentence, entries, paragraphs, sentences

SEED = 7
MOST_OF_A_KIND = 60
MOST_OF_A_FILE = 12
CHANGES = re.compile(r"change|release|news|history|whatsnew|whats_new|contribut|authors|migrat|security", re.IGNORECASE)
DULL_TITLES = re.compile(
    r"^(introduction|overview|examples?|usage|notes?|summary|see also|references?|parameters?|returns?|description|"
    r"table of contents|background|motivation|conclusion|changelog|license|version .*|v?\d[\d.]*.*|what's new.*|"
    r"attributes|inputs|outputs|further .*|more .*|other .*|misc\w*|tests?|contributing.*|how it works|"
    r"welcome.*|changes .*|type constraints|"
    r"function body|contributors|fixes|features|bug fixes|index|api.*)$",
    re.IGNORECASE,
)
HEADER = re.compile(r"\.(h|hh|hpp|cuh|rs)$")
# Nouns of what takes part in a process.
PARTS = frozenset({"class", "function", "method"})
HANGING = re.compile(
    r"\b(and|or|of|the|an?|to|with|has|than|for|by|in|that|which|is|are|an? new (keyword|argument|parameter)|"
    r"new (keyword|argument|parameter|attribute).*|\d+\.\d+\.\d+.*)\W*(thanks|please|any idea|couldn't find it)?\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mined:
    """A question with its gold places; passages of the paths in `exclude` do not count, for better or worse."""

    kind: str
    variant: str
    text: str
    gold: tuple[Spot, ...]
    alternatives: bool
    exclude: tuple[str, ...]
    source: str


Miner = Callable[[Package, random.Random], Iterator[Mined]]


def mine(package: Package, seed: int = SEED, most: int = MOST_OF_A_KIND) -> list[Mined]:
    """The questions of a package, at most `most` of a kind from each miner; index and seed decide them all."""
    kept: dict[str, list[Mined]] = defaultdict(list)
    for miner in MINERS:
        rng = random.Random(f"{seed} {package.name} {miner.__name__}")
        by_kind: dict[str, list[Mined]] = defaultdict(list)
        for found in miner(package, rng):
            by_kind[found.kind].append(found)
        for kind, of_kind in by_kind.items():
            kept[kind] += _sample([m for m in of_kind if _asked(m)], rng, most - len(kept[kind]))
    return _without_repeats(mined for of_kind in kept.values() for mined in of_kind)


def named_in_docs(package: Package, rng: random.Random) -> Iterator[Mined]:
    """A sentence of the documentation that marks up one resolvable name, asked with that name."""
    yield from _told(package, rng, described=False)


def described_in_docs(package: Package, rng: random.Random) -> Iterator[Mined]:
    """The same sentences, asked by someone who does not know the name."""
    yield from _told(package, rng, described=True)


def docstrings(package: Package, rng: random.Random) -> Iterator[Mined]:
    """The first sentence of a docstring or comment of a definition, asked in other words."""
    told = [(spot, first) for spot in package.definitions if (first := said_of(spot, package.texts[spot.path]))]
    often = Counter(_shape(first) for _, first in told)
    for spot, first in told:
        if often[_shape(first)] > 1 or spot.last.startswith("__") or spot.noun in {"setting", "constant", "variable"}:
            continue
        asked = wording.about_docstring(first, spot.noun, rng)
        if asked:
            asked = wording.typed(wording.shortened(asked, 24), rng)
            gold = package.twins(spot) or (spot,)
            yield Mined("semantic", "docstring", asked, gold, len(gold) > 1, (), _at(spot))


def headings(package: Package, rng: random.Random) -> Iterator[Mined]:
    """A documentation heading as a question that its section answers."""
    often = Counter(section.headings[-1].lower() for section in package.sections)
    for section in package.sections:
        title, above = section.headings[-1], section.headings[-2] if len(section.headings) > 1 else ""
        dull = DULL_TITLES.match(title) or re.search(r"[._(){}]|::|--", title) or CHANGES.search(section.path)
        if dull or often[title.lower()] > 1 or not _says_enough(section, package.texts[section.path]):
            continue
        asked = wording.about_heading(title, "" if DULL_TITLES.match(above) else above, rng)
        if asked:
            spot = Spot(" > ".join(section.headings), section.path, section.start_line, section.end_line, "section")
            asked = wording.typed(asked, rng)
            yield Mined("howto", "heading", asked, (spot,), False, (), _at(spot))


def errors(package: Package, rng: random.Random) -> Iterator[Mined]:
    """A message that code raises, with invented values, as pasted by whoever met it."""
    by_message: dict[str, list[tuple[Spot, str]]] = defaultdict(list)
    for text in package.texts.values():
        if text.kind == "code":
            for error in raised(text, rng):
                spot = Spot(error.name, text.path, error.start_line, error.end_line, "error")
                by_message[error.template].append((spot, error.pasted))
    for places in by_message.values():
        if len(places) <= 3:
            gold = tuple(spot for spot, _ in places)
            asked = rng.choice(templates.ERRORS).format(places[0][1])
            yield Mined("error", "raise", asked, gold, len(gold) > 1, (), _at(gold[0]))


def settings(package: Package, rng: random.Random) -> Iterator[Mined]:
    """Fields, constants and options that a comment, help text or docstring explains."""
    found = list(_settings(package))
    often = Counter(said for _, said, _ in found)
    named = defaultdict(list)
    for spot, _, _ in found:
        named[spot.last].append(spot)
    for spot, said, outer in found:
        same = named[spot.last]
        plain = not re.search(r"[-_]|[a-z][A-Z]", spot.last)
        qualified = bool(outer) and (plain or len(same) > MOST_PLACES or rng.random() < 0.4)
        shown, gold = (f"{outer}.{spot.last}", [spot]) if qualified else (spot.last, same)
        described = wording.about_setting(said, spot.noun, rng) if rng.random() < 0.6 else None
        if described and often[said] == 1 and not _gives_away(described, spot):
            asked = wording.typed(wording.shortened(described, 26), rng)
            yield Mined("config", "described", asked, (spot,), False, (), _at(spot))
        elif len(gold) <= MOST_PLACES and package.twins(spot) and (qualified or not plain):
            forms = templates.CONSTANT_NAMED if spot.noun == "constant" else templates.SETTING_NAMED
            asked = wording.typed(rng.choice(forms).format(shown), rng, keep=frozenset({shown}))
            yield Mined("config", "named", asked, tuple(gold), len(gold) > 1, (), _at(spot))


def entries_in_docs(package: Package, rng: random.Random) -> Iterator[Mined]:
    """What a reference page says of a function, class or option, asked by someone who does not know its name."""
    told = [(text.path, name, entry) for text in _guides(package) for name, entry in entries(text)]
    often = Counter(_shape(entry.raw) for _, _, entry in told)
    for path, name, entry in told:
        spots, said = package.resolve(name), first_sentence(entry.raw)
        if not spots or not said or often[_shape(entry.raw)] > 1:
            continue
        asked = wording.about_docstring(said, spots[0].noun, rng)
        if asked and not _gives_away(asked, spots[0]):
            asked = wording.typed(wording.shortened(asked, 24), rng)
            yield Mined("code", "entry", asked, tuple(spots), len(spots) > 1, (path,), f"{path}:{entry.line}")


def symbols(package: Package, rng: random.Random) -> Iterator[Mined]:
    """Classes and functions that say what they do, asked by name or by the words of the name."""
    for spot in package.definitions:
        if spot.noun not in PARTS or spot.last.startswith("_") or not said_of(spot, package.texts[spot.path]):
            continue
        gold: Sequence[Spot] = package.resolve(f"{spot.last}()")
        if not package.twins(spot) or (not gold and spot.name == spot.last):
            continue  # there are many of that name, and nothing to tell them apart
        short = spot.last if gold and re.search(r"_|[a-z][A-Z]", spot.last) else spot.name
        shown = rng.choice((spot.name, short, short, f"the {wording.spoken(short)} {spot.noun}"))
        gold = package.twins(spot) if spot.name in {shown, short} else gold
        asked = wording.typed(rng.choice(templates.SYMBOL).format(shown), rng, keep=frozenset({shown}))
        yield Mined("symbol", "definition", asked, tuple(gold), len(gold) > 1, (), _at(spot))


def together(package: Package, rng: random.Random) -> Iterator[Mined]:
    """A paragraph of the documentation that names definitions of several files: all of them are wanted."""
    for text in _guides(package):
        if CHANGES.search(text.path):
            continue
        for line, paragraph in paragraphs(text.lines):
            spots = _distinct(Sentence(paragraph, text.path, line), package)[:3]
            if len(spots) >= 2:
                topic = _topic(package, text.path, line)
                yield _joint(spots, topic, (text.path,), f"{text.path}:{line}", rng, "paragraph")


def collaborators(package: Package, rng: random.Random) -> Iterator[Mined]:
    """A definition whose docstring names definitions of other files: it and they are wanted."""
    for spot in package.definitions:
        text = package.texts[spot.path]
        if text.language != "python" or spot.noun not in PARTS or not re.match(r"[a-z]+_\w|[A-Z]\w{3,}", spot.last):
            continue
        said = docstring(text.lines[spot.start_line - 1 : spot.end_line])
        others = _distinct(Sentence(said, spot.path, spot.start_line), package)
        others = [o for o in others if o.path != spot.path and o.last != spot.last and re.search(r"[A-Z_]", o.last)][:2]
        if others:
            yield _joint([spot, *others], "", (), _at(spot), rng, "docstring")


MINERS: Sequence[Miner] = (
    named_in_docs,
    described_in_docs,
    entries_in_docs,
    docstrings,
    headings,
    errors,
    settings,
    together,
    symbols,
    collaborators,
)


def _told(package: Package, rng: random.Random, *, described: bool) -> Iterator[Mined]:
    for text in _guides(package):
        for sentence in sentences(text):
            spots = _single(sentence, package)
            if not spots or LEANING.search(sentence.plain()):
                continue
            written = sentence.names[0]
            shown = written.strip("~.!()") if rng.random() < 0.5 else spots[0].last
            loose = sentence.whole and not CHANGES.search(sentence.path)
            plain = sentence.plain(written)
            asked = wording.asked_of(plain, shown, spots[0].noun, rng, described=described, loose=loose)
            if not asked or MARK in asked or (described and _gives_away(asked, spots[0])):
                continue
            asked = wording.shortened(asked, 26)
            keep = frozenset({shown, shown.lower()})
            if not described and shown not in asked:
                continue
            asked = wording.typed(asked, rng, keep=keep)
            kind, variant = ("code", "described") if described else ("symbol", "named")
            source = f"{sentence.path}:{sentence.line}"
            yield Mined(kind, variant, asked, tuple(spots), len(spots) > 1, (sentence.path,), source)


def _guides(package: Package) -> Iterator[Text]:
    return (text for text in package.texts.values() if text.prose)


def _single(sentence: Sentence, package: Package) -> list[Spot]:
    """The places of the one name of a sentence; empty when it has none or several."""
    names = sentence.names
    return package.resolve(names[0]) if len(names) == 1 and sentence.quoted <= 2 else []


def _distinct(paragraph: Sentence, package: Package) -> list[Spot]:
    """The single places of the functions and classes that a paragraph names, each file once, in order."""
    found = [(name, spots[0]) for name in paragraph.names if len(spots := package.resolve(name)) == 1]
    told = [spot for name, spot in found if spot.noun in PARTS and (spot.noun != "method" or "." in name.strip("~."))]
    parts = {spot.last: spot for spot in reversed(told)}
    return list({spot.path: spot for spot in parts.values()}.values())[::-1]


def _topic(package: Package, path: str, line: int) -> str:
    """The heading that a line stands under, if it says something."""
    above = [s for s in package.sections if s.path == path and s.start_line < line <= s.end_line]
    title = above[-1].headings[-1] if above else ""
    return "" if len(title.split()) < 2 or DULL_TITLES.match(title) or re.search(r"[.()?!:]|--", title) else title


def _joint(
    spots: Sequence[Spot], topic: str, exclude: tuple[str, ...], source: str, rng: random.Random, variant: str
) -> Mined:
    shown = [spot.last if rng.random() < 0.7 else f"the {wording.spoken(spot.last)}" for spot in spots]
    listed = ", ".join(shown[:-1]) + f" and {shown[-1]}"
    forms = templates.TOGETHER_ON if topic and rng.random() < 0.7 else templates.TOGETHER
    asked = wording.typed(rng.choice(forms).format(listed, topic[:1].lower() + topic[1:]), rng, keep=frozenset(shown))
    return Mined("architecture", variant, asked, tuple(spots), False, exclude, source)


def _says_enough(section: Section, text: Text) -> bool:
    said = list(paragraphs(text.lines[section.start_line : section.end_line]))
    return sum(len(words.split()) for _, words in said) >= 40


def _settings(package: Package) -> Iterator[tuple[Spot, str, str]]:
    """(where, what is said of it, the class it belongs to) of each setting that is explained."""
    for spot in package.definitions:
        text = package.texts[spot.path]
        *outer, last = spot.name.replace("::", ".").split(".")
        if spot.noun not in {"setting", "constant"} or last.startswith("_") or last.endswith("_") or len(last) < 3:
            continue
        line = " ".join(text.lines[spot.start_line - 1 : spot.end_line])
        said = first_sentence(help_in(line) or comment_on(text.lines, spot))
        said = said or first_sentence(string_below(text.lines, spot.end_line))
        declared = (
            text.language == "python"
            or re.match(r"(static |inline )*const\w* .*\b[A-Z_]{4,}\b", line)
            or HEADER.search(spot.path)
        )
        odd = re.match(r"\s*(typedef|using|template)\b", line) or "operator" in spot.last
        if said and declared and not odd and re.search(r"[=:]" if text.language == "python" else "=", line):
            yield spot, said, outer[-1] if outer else ""
    for text in package.texts.values():
        if text.kind == "code" and text.language == "python":
            for spot, said in _options(text):
                yield spot, said, ""


def _options(text: Text) -> Iterator[tuple[Spot, str]]:
    """Command-line options and the like: a call that names one and carries a help text."""
    try:
        tree = ast.parse("\n".join(text.lines))
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or node.end_lineno is None:
            continue
        names = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        helps = [k.value for k in node.keywords if k.arg == "help"]
        said = [h.value for h in helps if isinstance(h, ast.Constant) and isinstance(h.value, str)]
        names = [name for name in names if re.fullmatch(r"--(?!help|version)[\w-]{3,}|[a-z]+_\w{2,}", name)]
        if names and said and (first := first_sentence(said[0])):
            name = max(names, key=len)
            yield Spot(name, text.path, node.lineno, node.end_lineno, "option"), first


def _shape(said: str) -> str:
    """The sentence without what differs between siblings (`An Ed448 key`, `An X25519 key`): names and numbers."""
    return re.sub(r"\W+", " ", re.sub(r"\S*[A-Z0-9_]\S*", "", said[:1].lower() + said[1:]))


def _gives_away(asked: str, spot: Spot) -> bool:
    """Whether a question that should only describe still writes the name."""
    return spot.last.lower() in asked.lower()


def _asked(mined: Mined) -> bool:
    """Whether a person could have typed it: neither a fragment nor an essay, and no leftovers of markup."""
    words = mined.text.split()
    named = mined.kind in {"symbol", "config", "architecture"}
    if mined.kind == "error":
        return len(words) <= 60
    if re.search(r"\b(with|by|of|to|for|and)\?", mined.text) and mined.kind == "code":
        return False
    if HANGING.search(mined.text) and mined.kind not in {"config", "architecture"}:
        return False
    leftovers = re.search(r"[`|{}]|::\s|:\w+:|__\w+__ $|\bi\.e$|\be\.g$", mined.text)
    balanced = mined.text.count("(") == mined.text.count(")") and mined.text.count('"') % 2 == 0
    fewest = 3 if named else FEWEST_WORDS + 1
    return not leftovers and balanced and fewest <= len(words) <= MOST_WORDS + 6


def _sample(found: Sequence[Mined], rng: random.Random, most: int) -> list[Mined]:
    """A seeded sample in which no gold file has more than its share."""
    shuffled = sorted(found, key=lambda m: (m.source, m.text))
    rng.shuffle(shuffled)
    of_file = Counter[str]()
    spots: set[tuple[str, int]] = set()
    kept: list[Mined] = []
    for mined in shuffled:
        first = mined.gold[0]
        if of_file[first.path] >= MOST_OF_A_FILE or (first.path, first.start_line) in spots:
            continue
        of_file[first.path] += 1
        spots.add((first.path, first.start_line))
        kept.append(mined)
    return kept[:most]


def _without_repeats(found: Iterable[Mined]) -> list[Mined]:
    ordered = sorted(found, key=lambda m: (m.kind, m.text.lower(), m.source))
    return ordered[:1] + [later for earlier, later in pairwise(ordered) if earlier.text.lower() != later.text.lower()]


def _at(spot: Spot) -> str:
    return f"{spot.path}:{spot.start_line}"
