"""What a message asks, without greetings, logs and what else stands around the question. Pure."""

from __future__ import annotations

import re
from typing import Final

# A message that asks without a question mark says in its beginning what it is about.
LONGEST_BEGINNING: Final = 240
_FEWEST_LETTERS: Final = 12

_FENCE: Final = re.compile(
    r"(?:^|\n)[ \t]{0,9}(?:```|~~~).*?(?:\n[ \t]{0,9}(?:```|~~~)|\Z)|<details.*?(?:</details>|\Z)|<!--.*?(?:-->|\Z)",
    re.DOTALL,
)
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？])\s+|(?<=[？。！])|\n\s*\n|\n(?=\s*[-*#>])")
_GREETING: Final = re.compile(
    r"\A\W*(?:(?:hi+|hello|hey|dear|good (?:morning|day|afternoon|evening))\b[^.,!:\n?]{0,30}[.,!:\n]+\s*)+"
    r"|(?<!\s)\s{0,9}\b(?:thanks|thank you|thx|cheers)\b[^.?\n]{0,30}[.!\s]*\Z",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(r"^[ \t]{0,9}(?:[#>*-]+\s+)+|\*\*|__(?=\w[^_]*__)", re.MULTILINE)


def gist(message: str) -> str:
    """The sentences that end in a question mark; of a message without, its beginning. Never nothing of something."""
    text = _MARKS.sub("", _GREETING.sub("", _FENCE.sub("\n\n", message))).strip() or message.strip()
    sentences = [found.strip() for found in _SENTENCE.split(text)]
    asked = [found for found in sentences if found.endswith(("?", "？")) and _letters(found) >= _FEWEST_LETTERS]
    if asked:
        return _GREETING.sub("", " ".join(asked)) or text
    return _beginning(sentences) or text


def _beginning(sentences: list[str]) -> str:
    """The first sentences, until one more would make them long."""
    taken = ""
    for sentence in sentences:
        if taken and len(taken) + len(sentence) > LONGEST_BEGINNING:
            break
        taken = f"{taken} {sentence}".strip()
    return taken


def _letters(text: str) -> int:
    """How many letters there are; one of a script that writes words with few counts as three."""
    return sum(3 if char > "\u2e80" else 1 for char in text if char.isalpha())
