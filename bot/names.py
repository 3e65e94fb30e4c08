"""Names that a question writes and the repository does not: said, with the nearest names that do exist."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import SequenceMatcher

from indexer.catalog import Catalog
from indexer.lexical import LexicalIndex
from indexer.records import Snapshot, StoredChunk
from indexer.terms import declared_spellings, plain_name, without_metric_suffix, written_names

# Pasted logs name much that is not the repository's; a question is about its first few names.
MOST_NAMES = 8
# Chunks that are read for a name: stemming lets the index take `max_num_seq` for `max_num_seqs`.
MOST_MENTIONS = 50
# So many at a time: the first few nearly always tell.
FEW_MENTIONS = 5
MOST_NEAREST = 3
LEAST_LIKENESS = 0.65

_FENCED = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1[^\n]*$", re.MULTILINE | re.DOTALL)
# Somebody's own folder, host or file, not the repository's.
_PATH_OR_URL = re.compile(r"\S*(?:/|\\)\S*")


def unknown_names(
    question: str, snapshot: Snapshot, catalog: Catalog, lexical: LexicalIndex
) -> Mapping[str, tuple[str, ...]]:
    """Flags, identifiers and variables of a question that occur nowhere in a version, each with the nearest names there
    are (at most three, likest first). What is pasted in a code fence, and paths and addresses, are not looked at."""
    prose = _PATH_OR_URL.sub(" ", _FENCED.sub(" ", question))
    unknown = (name for name in written_names(prose)[:MOST_NAMES] if not _occurs(name, snapshot, catalog, lexical))
    return {name: _nearest(name, snapshot, catalog, lexical) for name in unknown}


def _occurs(name: str, snapshot: Snapshot, catalog: Catalog, lexical: LexicalIndex) -> bool:
    plain = plain_name(name)
    forms = dict.fromkeys((plain, without_metric_suffix(plain)))
    declaring = [chunk_id for form in forms for chunk_id, _ in lexical.declaring([form], MOST_MENTIONS)]
    if catalog.places(snapshot, declaring):
        return True
    spelled = re.compile("|".join(map(_spelling, forms)), re.IGNORECASE)
    held = [chunk_id for form in forms for chunk_id in lexical.holding(form, MOST_MENTIONS)]
    batches = (held[start : start + FEW_MENTIONS] for start in range(0, len(held), FEW_MENTIONS))
    return any(
        spelled.search(f"{found.path}\n{found.chunk.text}")
        for batch in batches
        for found in catalog.chunks(snapshot, batch).values()
    )


def _spelling(plain: str) -> str:
    """A pattern for a plain name in text: as a flag, or with a prefix that a colon sets off."""
    return rf"(?<![A-Za-z\d_])_*{re.escape(plain).replace('_', '[-_]')}(?![A-Za-z\d_])"


def _nearest(name: str, snapshot: Snapshot, catalog: Catalog, lexical: LexicalIndex) -> tuple[str, ...]:
    wanted = plain_name(name)
    near = catalog.chunks(snapshot, lexical.resembling(wanted, MOST_MENTIONS))
    spelled = {plain_name(found): found for chunk in near.values() for found in _declared(chunk)}
    likeness = {found: _likeness(wanted, found) for found in spelled}
    likest = sorted(spelled, key=lambda found: (-likeness[found], found))[:MOST_NEAREST]
    return tuple(spelled[found] for found in likest if likeness[found] >= LEAST_LIKENESS)


def _declared(stored: StoredChunk) -> list[str]:
    return declared_spellings((found.name for found in stored.chunk.definitions), stored.chunk.text)


def _likeness(wanted: str, found: str) -> float:
    """From 0 to 1, of letters or of words: `max_partial_prefills` is like `max_num_partial_prefills`, and both ways."""
    letters = SequenceMatcher(None, wanted, found).ratio()
    words, other = set(wanted.split("_")), set(found.split("_"))
    return max(letters, 2 * len(words & other) / (len(words) + len(other)))
