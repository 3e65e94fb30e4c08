"""Whether a question goes on with what was said before, by how it begins and how much it says. Pure functions.

Whoever stands at the end of a long thread may ask something whole: then the thread is no part of what is searched for.
"""

from __future__ import annotations

import re
from typing import Final

from indexer.lexical import query_terms

# A question with so few terms says what it is about in what was said before. Measured: see DESIGN.md.
MOST_TERMS: Final = 5

_GOES_ON: Final = re.compile(
    r"\W*(?:(?:and|but|so|ok|okay|then|also|nice|thanks|or|hm+|yes|no|same|instead|(?:what|how) about|what if"
    r"|und|aber|oder|et|mais|ou|y|pero|ma|но|и|или)\b|那|那么|如果是|では|じゃあ|그럼|그러면)",
    re.IGNORECASE,
)
# Where a question is asked is not what it asks.
_PLACE: Final = re.compile(r"`?\S*[/\\]\S*|`?\b[\w-]+\.\w{1,5}`|\b\d+(?:-\d+)?\b")


def begins_as_more(question: str) -> bool:
    """Whether a question begins as one that goes on."""
    return bool(_GOES_ON.match(question))


def follows_up(question: str) -> bool:
    """Whether a question is to be understood with what was said before it."""
    return begins_as_more(question) or len(query_terms(_PLACE.sub(" ", question))) <= MOST_TERMS
