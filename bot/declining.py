"""When there is no answer, and how that is said: one friendly sentence, the nearest names and places. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.evidence import LEAST_CONFIDENCE, Evidence
from bot.names import missing_names
from bot.reading.quotation import span
from bot.retrieval import Found
from bot.scope import beyond
from bot.types import DeclineReason, Passage

# More places than these are a search result.
MOST_PLACES = 3
# Signs of a question that are not about the repository at all, and how little must be found then.
OFF_TOPIC = frozenset({"talk", "everyday"})

NOT_FOUND = "I found nothing in {repository} at {ref} that answers this."
OUT_OF_SCOPE = (
    "I can only answer questions about {repository}, from its code and documentation at {ref}, and this seems to be"
    " about something else."
)
UNKNOWN_NAME = "{names} in {repository} at {ref}, so I can't answer this."
HINT = "Naming a file, a function, a flag or the exact error message usually helps."


def reason_to_decline(question: str, found: Found, evidence: Evidence) -> DeclineReason | None:
    """Why a question is declined, or None when what was found proves enough."""
    if evidence.confidence >= LEAST_CONFIDENCE:
        return None
    if OFF_TOPIC & beyond(question):
        return "out_of_scope"
    return "unknown_name" if missing_names(found.unknown_names) else "not_found"


def declining(reason: DeclineReason, found: Found, evidence: Evidence) -> tuple[str, tuple[Passage, ...]]:
    """The text that declines, and the passages that `[n]` in it refers to."""
    origin = found.snapshot.origin
    about = {"repository": origin.repository, "ref": origin.ref}
    if reason == "out_of_scope":
        return OUT_OF_SCOPE.format(**about), ()
    places = _nearest(evidence)
    if reason == "unknown_name":
        said = UNKNOWN_NAME.format(names=_nowhere(missing_names(found.unknown_names)), **about)
        return " ".join(filter(None, (said, _names(found.unknown_names), _places(places)))), places
    return " ".join(filter(None, (NOT_FOUND.format(**about), _places(places), HINT))), places


def noted(found: Found) -> str:
    """The sentence that says which names of a question that is answered exist nowhere, or ""."""
    names = list(found.unknown_names)
    if not names:
        return ""
    origin = found.snapshot.origin
    said = f"{_nowhere(names)} in {origin.repository} at {origin.ref}."
    return f"{said} {_names(found.unknown_names)}".rstrip()


def _nearest(evidence: Evidence) -> tuple[Passage, ...]:
    """The likeliest places, one of each file."""
    likeliest = sorted(zip(evidence.chances, evidence.passages, strict=True), key=lambda pair: -pair[0])
    of_files = dict[str, Passage]()
    for _, passage in likeliest:
        of_files.setdefault(passage.path, passage)
    return tuple(of_files.values())[:MOST_PLACES]


def _nowhere(names: Sequence[str]) -> str:
    """`a` and `b` do not occur."""
    *first, last = map(span, names)
    return f"{', '.join(first)} and {last} do not occur" if first else f"{last} does not occur"


def _names(unknown: Mapping[str, Sequence[str]]) -> str:
    nearest = list(dict.fromkeys(near for names in unknown.values() for near in names))
    if not nearest:
        return ""
    return f"The nearest name{'s' if len(nearest) > 1 else ''} there: {', '.join(map(span, nearest))}."


def _places(places: Sequence[Passage]) -> str:
    """Their numbers alone: every surface lists what they refer to."""
    if not places:
        return ""
    *first, last = (f"[{number}]" for number in range(1, len(places) + 1))
    where = f"{', '.join(first)} and {last}" if first else last
    return f"The nearest place{'s are' if first else ' is'} {where}."
