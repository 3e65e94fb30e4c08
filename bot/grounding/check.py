"""A claim is looked up: which passages carry it, and whether all that it names exists."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.grounding.claims import PATH, Claim, claim_of, content_words
from bot.grounding.language import foreign
from bot.grounding.support import BESIDE, CITED, UNCITED, adds, carrier, carries, source_of
from bot.grounding.values import held_values
from bot.markdown import Node
from bot.types import Passage
from indexer.terms import plain_name
from indexer.types import Origin

log = logging.getLogger(__name__)

# What answers are introduced with. It says nothing of any repository.
_FILLER: Final = content_words(
    "yes yeah no nope not sure ok okay correct right exactly indeed certainly course absolutely short brief briefly"
    " summary overview answer answers follow follows following here below above note notes example examples step steps"
    " first then finally detail details set run add way ways option options ja nein oui non sí si não da нет да 是 否"
    " 是的 はい いいえ 네 아니요"
)
_ADMITTING: Final = content_words(
    "passages sources excerpts documentation say mention contain answer describe cover specify explain tell show state"
    " provide include discuss address information about whether"
)
_VERDICT: Final = re.compile(r"\W*(?:yes|no|ja|nein|oui|non|sí|da|да|нет)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a reply is checked against: the passages that the model was shown, of which version; the question, with the
    names in it that are nowhere; a look-up of names in the index that returns the unknown ones; and whether a text says
    what it must not."""

    passages: Sequence[Passage]
    origin: Origin
    question: str
    missing: Collection[str]
    unknown: Callable[[Collection[str]], Collection[str]]
    secret: Callable[[str], bool]


class Check:
    """Judges the claims of one reply. `dropped` counts those that nothing carries."""

    def __init__(self, known: Knowledge) -> None:
        self._known = known
        self.sources = [source_of(passage) for passage in known.passages]
        self._asked = claim_of([Node("text", text=known.question)])
        self._lenient = any(map(foreign, known.question.split("\n")))
        self._free_values = held_values(known.question) | held_values(known.origin.ref)
        self._free_paths = frozenset(PATH.findall(known.question))
        self._words = _FILLER | self._asked.words | {word for source in self.sources for word in source.words}
        self._missing = frozenset(map(plain_name, known.missing))
        self._exists: dict[str, bool] = {}
        self.dropped = 0

    def places(self, claim: Claim, numbers: Sequence[int], near: Collection[int] = ()) -> list[int]:
        """The places of the passages that carry a claim: those of `numbers` that do, else the one that carries it
        alone; and for a value that these do not have, one more. None when it names or states what is nowhere. `near`
        are numbers that are cited beside it."""
        places = self.cited(claim, numbers)
        if not places:
            found = carrier(self.sources, claim, [number - 1 for number in near], self._lenient)
            places = [] if found is None else [found]
        if not places:
            self._drop("nothing carries a sentence")
            return []
        places += [place for place in self._beside(claim, places) if place not in places]
        return [] if self._invents(claim, places) else places

    def harmless(self, claim: Claim) -> bool:
        """Whether a title, an introduction or an admission is about what was asked and found, and names nothing
        else."""
        words = claim.words - _ADMITTING if claim.admits else claim.words
        known = len(words & self._words) >= BESIDE * len(words)
        return (known or (self._lenient and claim.foreign)) and self.exists(claim)

    def exists(self, claim: Claim) -> bool:
        """Whether all names and values of a claim are in the passages, or at least in the index."""
        return not self._invents(claim, range(len(self.sources)))

    def says_nothing(self, claim: Claim) -> bool:
        """Whether a claim is no more than "Yes", which may repeat what was asked, or "Here is how"."""
        said = _FILLER | self._asked.words if _VERDICT.match(claim.text) else _FILLER
        return not claim.exact and claim.words <= said

    def code_place(self, claim: Claim, numbers: Sequence[int], near: Collection[int]) -> int | None:
        """The place of the passage that code is from: one of `numbers`, or the likeliest; None when it is of none."""
        places = self.cited(claim, numbers)
        found = places[0] if places else carrier(self.sources, claim, [number - 1 for number in near])
        return None if found is None or self._invents(claim, [found]) else found

    def is_example(self, claim: Claim) -> bool:
        """Whether code may illustrate what was said: it names nothing unknown and is made of known words."""
        known = len(claim.words & self._words) > CITED * len(claim.words) if claim.words else bool(claim.text.strip())
        return known and self.exists(claim)

    def cited(self, claim: Claim, numbers: Sequence[int]) -> list[int]:
        """The places of those numbers whose passages carry a claim, but for those that do far worse than another and
        hold no name or value which that one does not."""
        valid = [number - 1 for number in numbers if 1 <= number <= len(self.sources)]
        carrying = [p for p in valid if carries(self.sources[p], claim, self._asked.words, self._lenient)]
        best = max((self.sources[place] for place in carrying), key=lambda source: source.share(claim), default=None)
        return [place for place in carrying if best is None or adds(self.sources[place], best, claim)]

    def _beside(self, claim: Claim, places: Sequence[int]) -> Iterable[int]:
        """For each value that the places do not hold, the first other passage that does, with all names of the claim
        and as many of its words as one that nothing cites."""
        held = self._free_values.union(*(self.sources[place].values for place in places))
        others = [
            place
            for place, source in enumerate(self.sources)
            if len(claim.words & source.words) >= UNCITED * len(claim.words) and all(map(source.holds, claim.names))
        ]
        for value in sorted(claim.values - held):
            yield from [place for place in others if value in self.sources[place].values][:1]

    def _invents(self, claim: Claim, places: Sequence[int]) -> bool:
        """Whether a claim has a value or line that none of the places has, or a name or address that is nowhere."""
        cited = [self.sources[place] for place in places]
        values = claim.values - self._free_values.union(*(source.values for source in cited))
        lines = {line for line in claim.lines if not any(line in source.lines for source in cited)}
        urls = {url for url in claim.urls if not any(source.leads_to(url, claim) for source in cited)}
        if strange := [*sorted(values), *(f"line {line}" for line in sorted(lines)), *sorted(urls)]:
            return self._drop(f"its passages have no {', '.join(strange)}")
        missing = {name for name in claim.names if plain_name(name) in self._missing}
        if missing and not (claim.denies or claim.admits):
            return self._drop(f"it asserts {', '.join(sorted(missing))}")
        unknown = self._unknown(claim.names - missing - self._free_paths)
        return bool(unknown) and self._drop(f"nothing is named {', '.join(sorted(unknown))}")

    def _unknown(self, names: Iterable[str]) -> list[str]:
        new = {_looked_up(name): name for name in names if name not in self._exists}
        there = {looked_up for looked_up, name in new.items() if any(source.holds(name) for source in self.sources)}
        wanted = new.keys() - there
        unknown = set(self._known.unknown(wanted)) if wanted else set()
        self._exists |= {name: looked_up not in unknown for looked_up, name in new.items()}
        return [name for name in names if not self._exists[name]]

    def _drop(self, why: str) -> bool:
        self.dropped += 1
        log.info("a part of the reply was left out: %s", why)
        return True


def _looked_up(name: str) -> str:
    """A name as the index is asked for it: a file's with a slash, so that it is one."""
    return f"/{name}" if PATH.fullmatch(name) and "/" not in name else name
