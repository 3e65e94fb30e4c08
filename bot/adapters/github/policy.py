"""Which texts on GitHub are answered: those that mention us, by whoever may ask, and new issues with a label. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.adapters.github.mentions import question_in
from bot.adapters.github.types import Text

# A label that is put on an older issue is housekeeping, not a question.
NEW: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Policy:
    """`handle` is our name without the `@`; the sets are of names in lower case, empty where anybody will do."""

    handle: str
    associations: frozenset[str] = frozenset()
    allow: frozenset[str] = frozenset()
    deny: frozenset[str] = frozenset()
    label: str | None = None
    drafts: bool = False


def asks(text: Text, policy: Policy) -> bool:
    """Whether a text asks us something that we answer."""
    return _may_ask(text, policy) and (mentions(text, policy.handle) or _is_labelled(text, policy))


def mentions(text: Text, handle: str) -> bool:
    """Whether a text mentions us: an opening text also in its title."""
    said = [text.text] if text.place.comment is not None else [text.text, text.title]
    return any(question_in(part, handle) is not None for part in said)


def words(text: Text) -> str:
    """What of a text makes it another question when it changes."""
    return text.text if text.place.comment is not None else f"{text.title}\n\n{text.text}"


def _may_ask(text: Text, policy: Policy) -> bool:
    author = text.author.lower()
    known = not policy.associations or text.association.lower() in policy.associations
    return (
        not text.by_machine and author not in policy.deny and (author in policy.allow or (known and not policy.allow))
    )


def _is_labelled(text: Text, policy: Policy) -> bool:
    """Whether a new issue has the label whose issues are answered unasked."""
    if not policy.label or text.place.comment is not None or not _is_new(text):
        return False
    label = policy.label.lower()
    return label == (text.label or "").lower() or (text.label is None and label in map(str.lower, text.labels))


def _is_new(text: Text) -> bool:
    try:
        return datetime.fromisoformat(text.at) - datetime.fromisoformat(text.written_at) < NEW
    except ValueError:
        return False
