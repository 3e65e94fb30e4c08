"""What several searches say of a chunk becomes one score. Pure functions.

Scores, not ranks, are added: reciprocal-rank fusion, which knows no difference between a close second and a distant
one, found less on questions about other packages and on vLLM (see DESIGN.md).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from indexer.records import Place
from indexer.types import FileKind

Signal = Mapping[int, float]
"""Scores by chunk id, as one search gives them."""

LEXICAL = ("body", "names", "path")
# Fitted on the `fit` packages of evals/README.md, relative to `body`; questions that were written apart from their gold
# (`code`) count most, since the others share more words with it than people would.
WEIGHTS = {"body": 1.0, "names": 0.7, "path": 0.3, "declares": 0.5, "dense": 0.35, "file": 0.1}
# Of one file's chunks, each counts half as much for the file as the one before it, and no more than these.
FILE_DECAY, FILE_CHUNKS = 0.5, 5
# One file must not crowd out the others.
MOST_OF_ONE_FILE = 3
# Tests quote what they test and config repeats names: they answer less often than what they are about.
KIND_WEIGHTS: Mapping[FileKind, float] = {"code": 1.0, "docs": 1.0, "example": 0.8, "config": 0.7, "test": 0.5}
GENERATED_WEIGHT = 0.5
# Prose shares more words with a question than the code that does the thing; who asks for code gets code first.
DOCS_WEIGHT_FOR_CODE = 0.7
_ASKS_FOR_CODE = re.compile(
    r"\b(in (the )?code|source code|implement\w*|defined|declared|where (is|are|does|do|exactly|in)|c\+\+|cuda|kernel"
    r"|(which|what) (function|method|file|class|kernel|code|part))\b",
    re.IGNORECASE,
)


def kind_weights(question: str) -> Mapping[FileKind, float]:
    """How much each kind of file speaks for a chunk, by what the question asks for."""
    if _ASKS_FOR_CODE.search(question):
        return {**KIND_WEIGHTS, "docs": DOCS_WEIGHT_FOR_CODE}
    return KIND_WEIGHTS


def weigh(
    signals: Mapping[str, Signal], places: Mapping[int, Place], kinds: Mapping[FileKind, float] = KIND_WEIGHTS
) -> list[tuple[int, float]]:
    """(chunk id, score), best first."""
    scores: dict[int, float] = defaultdict(float)
    for name, signal in comparable(signals, places).items():
        for chunk_id, score in signal.items():
            scores[chunk_id] += WEIGHTS[name] * score
    weighed = [(chunk_id, score * prior(places[chunk_id], kinds)) for chunk_id, score in scores.items()]
    return sorted(weighed, key=lambda pair: (-pair[1], pair[0]))


def comparable(signals: Mapping[str, Signal], places: Mapping[int, Place]) -> dict[str, Signal]:
    """The signals on one scale, about 0 to 1, and one more: how well the chunk's whole `file` matches.

    BM25 scores are taken relative to the best of the text, also those of names and paths, which thus count little where
    they match by chance; similarities from the least that was found to the best; what declares the names that were
    asked for shares one point between all places, less steeply than evenly.
    """
    best_text = max(signals.get("body", {}).values(), default=0.0) or 1.0
    scaled: dict[str, Signal] = {name: _divided(signals.get(name, {}), best_text) for name in LEXICAL}
    similar = signals.get("dense", {})
    least, most = min(similar.values(), default=0.0), max(similar.values(), default=1.0)
    scaled["dense"] = {i: (score - least) / ((most - least) or 1.0) for i, score in similar.items()}
    declaring = signals.get("declares", {})
    scaled["declares"] = dict.fromkeys(declaring, len(declaring) ** -0.5 if declaring else 0.0)
    scaled["file"] = _of_files(scaled["body"], places)
    return scaled


def prior(place: Place, kinds: Mapping[FileKind, float] = KIND_WEIGHTS) -> float:
    """How much the file that a chunk is in speaks for it."""
    return kinds[place.kind] * (GENERATED_WEIGHT if place.generated else 1.0)


def few_of_a_file(ranked: Iterable[tuple[int, float]], places: Mapping[int, Place]) -> list[tuple[int, float]]:
    """The ranking with at most a few chunks of each file."""
    of_file: dict[str, int] = defaultdict(int)
    kept: list[tuple[int, float]] = []
    for chunk_id, score in ranked:
        of_file[places[chunk_id].path] += 1
        if of_file[places[chunk_id].path] <= MOST_OF_ONE_FILE:
            kept.append((chunk_id, score))
    return kept


def without_repeats(ranked: Sequence[tuple[int, float]], texts: Mapping[int, str]) -> list[tuple[int, float]]:
    """The ranking without chunks that say word for word what one before says; nor those without a text."""
    first = {texts[i]: i for i, _ in reversed(ranked) if i in texts}
    return [(i, score) for i, score in ranked if i in texts and first[texts[i]] == i]


def _of_files(texts: Signal, places: Mapping[int, Place]) -> Signal:
    """For every chunk what the best chunks of its file say together."""
    by_file: dict[str, list[float]] = defaultdict(list)
    for chunk_id, score in sorted(texts.items(), key=lambda pair: -pair[1]):
        by_file[places[chunk_id].path].append(score)
    of_file = {
        path: sum(score * FILE_DECAY**rank for rank, score in enumerate(scores[:FILE_CHUNKS]))
        for path, scores in by_file.items()
    }
    return {chunk_id: of_file[place.path] for chunk_id, place in places.items() if place.path in of_file}


def _divided(signal: Signal, by: float) -> Signal:
    return {chunk_id: score / by for chunk_id, score in signal.items()}
