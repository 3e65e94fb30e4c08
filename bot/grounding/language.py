"""Whether words are English. What is not can only be checked by the names and values in it. Pure functions."""

from __future__ import annotations

import re
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_]+")
# Words that nearly every English sentence has one of, and that hardly any other language has.
_ENGLISH: Final = frozenset(
    "the is are of to and that it for with this be by when not you which from if can has its they there these each into"
    " does will only".split()
)
# The commonest words of the languages that are written with Latin letters, unless they are English ones too.
_OTHERS: Final = frozenset(
    "der das und ist nicht ein eine einen mit für auf von wird werden sich den dem zu im bei nach oder wenn kann durch"
    " el la los las una que para con por se del como y le les est une du dans pour avec sur qui pas et ou il lo gli"
    " di non sono della uma não é da em het een niet wordt met voor jest nie się na ve bir için och att som det"
    " inte".split()
)


def foreign(text: str) -> bool:
    """Whether a text is written in another language than English, as far as a few common words tell."""
    words = _WORD.findall(text.lower())
    if any(word in _ENGLISH for word in words):
        return False
    return any(word in _OTHERS or not word.isascii() for word in words)
