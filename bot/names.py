"""Names that a question writes and the repository does not: said, with the nearest names that do exist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from indexer.catalog import Catalog
from indexer.lexical import LexicalIndex
from indexer.records import Snapshot, StoredChunk
from indexer.terms import compound_terms, declared_spellings, plain_name, without_metric_suffix, written_names

# Pasted logs name much that is not the repository's; a question is about its first few names.
MOST_NAMES = 8
# Chunks that are read for a name: stemming lets the index take `max_num_seq` for `max_num_seqs`.
MOST_MENTIONS = 50
# The same where none may be missed.
MOST_CODE = 200
# So many at a time: the first few nearly always tell.
FEW_MENTIONS = 5
MOST_NEAREST = 3
LEAST_LIKENESS = 0.65

_FENCED = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1[^\n]*$", re.MULTILINE | re.DOTALL)
# Somebody's own folder, host or file, not the repository's.
_PATH_OR_URL = re.compile(
    r"(?<!\S)\S*?[/\\]\S*|\b[\w-]+\.(?:py|ipynb|sh|ya?ml|json|toml|cfg|txt|log|csv|sql|parquet|onnx|pem)\b"
)
# A line of a log, a traceback or a shell's.
_LOGGED = re.compile(
    r"^[ \t]*(?:File \"|Traceback|\[?\d{4}-\d\d-\d\d|WARNING|ERROR|INFO|DEBUG|\[[\w@]"
    r"|thread .|\S*\$ |>>> |\w+Error:).*",
    re.MULTILINE,
)
# A name of these forms is asked about whatever its words are; others may be somebody's own.
_PUBLIC = re.compile(r"--|-D[A-Z]|[A-Z\d]+_[A-Z\d_]+\Z")
# About one letter wrong in five or more.
LEAST_SLIP_LIKENESS = 0.9


def unknown_names(
    question: str, snapshot: Snapshot, catalog: Catalog, lexical: LexicalIndex
) -> Mapping[str, tuple[str, ...]]:
    """Flags, identifiers and variables of a question that occur nowhere in a version, each with the nearest names there
    are (at most three, likest first). What is pasted, paths, files and addresses are not looked at, nor what the asker
    has named in words that are hardly the repository's."""
    prose = _PATH_OR_URL.sub(" ", _LOGGED.sub(" ", _FENCED.sub(" ", question)))
    unknown = (name for name in written_names(prose)[:MOST_NAMES] if not _occurs(name, snapshot, catalog, lexical))
    nearest = {name: _nearest(name, snapshot, catalog, lexical) for name in unknown}
    return {name: near for name, near in nearest.items() if misspelt(name, near) or not _own(name, lexical)}


def unknown_among(names: Iterable[str], snapshot: Snapshot, catalog: Catalog, lexical: LexicalIndex) -> set[str]:
    """Those of the names and paths that occur nowhere in a version."""
    paths = {name for name in names if "/" in name}
    files = [f"/{file.path}".lower() for file in catalog.files(snapshot)] if paths else []
    unknown = {path for path in paths if not any(file.endswith("/" + path.lower().strip("./")) for file in files)}
    return {name for name in (*unknown, *(set(names) - paths)) if not _occurs(name, snapshot, catalog, lexical)}


def code_naming(name: str, snapshot: Snapshot, catalog: Catalog, lexical: LexicalIndex) -> list[StoredChunk]:
    """Chunks of a version's code and configuration that write a name, also where it is glued to others."""
    plain = plain_name(name)
    spelled = re.compile(_spelling(plain), re.IGNORECASE)
    declaring = [chunk_id for chunk_id, _ in lexical.declaring([plain], MOST_CODE)]
    near = [chunk_id for chunk_id, _ in lexical.search(name, MOST_CODE, ["body"])]
    found = catalog.chunks(snapshot, list(dict.fromkeys((*declaring, *lexical.holding(plain, MOST_CODE), *near))))
    return [one for one in found.values() if one.kind in ("code", "config") and spelled.search(one.chunk.text)]


def missing_names(unknown: Mapping[str, Sequence[str]]) -> list[str]:
    """The unknown names that are not plainly misspelt ones."""
    return [name for name, nearest in unknown.items() if not misspelt(name, nearest)]


def misspelt(name: str, nearest: Sequence[str]) -> bool:
    """Whether a name is one of the nearest but for a slip of the finger."""
    plain = plain_name(name)
    alike = (near for near in map(plain_name, nearest) if near.count("_") == plain.count("_"))
    return any(SequenceMatcher(None, plain, near).ratio() >= LEAST_SLIP_LIKENESS for near in alike)


def _own(name: str, lexical: LexicalIndex) -> bool:
    """Whether half of a name's words or more are in no file: `acme_prices` is the asker's, `price_limit` is not."""
    *words, _ = compound_terms(name.strip("-")) or ("",)
    return not _PUBLIC.match(name) and 2 * sum(not lexical.occurs(word) for word in words) >= max(1, len(words))


def _occurs(name: str, snapshot: Snapshot, catalog: Catalog, lexical: LexicalIndex) -> bool:
    plain = plain_name(name)
    forms = dict.fromkeys((plain, without_metric_suffix(plain)))
    declaring = [chunk_id for form in forms for chunk_id, _ in lexical.declaring([form], MOST_MENTIONS)]
    if catalog.places(snapshot, declaring):
        return True
    spelled = re.compile("|".join(map(_spelling, forms)), re.IGNORECASE)
    held = [chunk_id for form in forms for chunk_id in lexical.holding(form, MOST_MENTIONS)]
    held += lexical.holding_parts(plain, MOST_MENTIONS)
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
