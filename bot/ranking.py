"""What several searches say of a chunk becomes one score. Pure functions.

Scores, not ranks, are added: reciprocal-rank fusion, which knows no difference between a close second and a distant
one, found less on questions about other packages and on vLLM, and ranks beside the scores brought nothing (DESIGN.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from indexer.records import Place, StoredChunk

Signal = Mapping[int, float]
"""Scores by chunk id, as one search gives them."""

LEXICAL = ("body", "names", "path")
LIKENESS = ("dense", "late", "tokens")
# Fitted by `python -m evals fit` on the `fit` packages of evals/README.md.
WEIGHTS = {
    "body": 0.35,
    "names": 0.26,
    "path": 0.12,
    "declares": 0.33,
    "dense": 0.2,
    "late": 0.28,
    "tokens": 0.35,
    "file": 0.21,
}
# Of one file's chunks, each counts half as much for the file as the one before it, and no more than these.
FILE_DECAY, FILE_CHUNKS = 0.5, 5
# One file must not crowd out the others: each further chunk of it counts less than the one before.
REPEAT_DECAY = 0.95


def weigh(
    signals: Mapping[str, Signal], places: Mapping[int, Place], weights: Mapping[int, float]
) -> list[tuple[int, float]]:
    """(chunk id, score), best first. `weights` say how much the file of each chunk speaks for it."""
    scores: dict[int, float] = defaultdict(float)
    for name, signal in comparable(signals, places).items():
        for chunk_id, score in signal.items():
            scores[chunk_id] += WEIGHTS[name] * score
    weighed = [(chunk_id, score * weights[chunk_id]) for chunk_id, score in scores.items()]
    return sorted(weighed, key=lambda pair: (-pair[1], pair[0]))


def comparable(signals: Mapping[str, Signal], places: Mapping[int, Place]) -> dict[str, Signal]:
    """The signals on one scale, about 0 to 1, and one more: how well the chunk's whole `file` matches.

    BM25 scores are taken relative to the best of the text, also those of names and paths, which thus count little where
    they match by chance; likenesses from the least that was found to the best; what declares the names that were
    asked for shares one point between all places, less steeply than evenly.
    """
    best_text = max(signals.get("body", {}).values(), default=0.0) or 1.0
    scaled: dict[str, Signal] = {name: _divided(signals.get(name, {}), best_text) for name in LEXICAL}
    scaled |= {name: _from_least_to_most(signals.get(name, {})) for name in LIKENESS}
    declaring = signals.get("declares", {})
    scaled["declares"] = dict.fromkeys(declaring, len(declaring) ** -0.5 if declaring else 0.0)
    scaled["file"] = _of_files(scaled["late"], places)
    return scaled


def spread(ranked: Iterable[tuple[int, float]], places: Mapping[int, Place | StoredChunk]) -> list[tuple[int, float]]:
    """The ranking in which each further chunk of a file counts less, best first."""
    of_file: dict[str, int] = defaultdict(int)
    spread_out: list[tuple[int, float]] = []
    for chunk_id, score in ranked:
        path = places[chunk_id].path
        spread_out.append((chunk_id, score * REPEAT_DECAY ** of_file[path]))
        of_file[path] += 1
    return sorted(spread_out, key=lambda pair: (-pair[1], pair[0]))


def without_repeats(ranked: Sequence[tuple[int, float]], texts: Mapping[int, str]) -> list[tuple[int, float]]:
    """The ranking without chunks that say word for word what one before says; nor those without a text."""
    first = {texts[i]: i for i, _ in reversed(ranked) if i in texts}
    return [(i, score) for i, score in ranked if i in texts and first[texts[i]] == i]


def _from_least_to_most(signal: Signal) -> Signal:
    least, most = min(signal.values(), default=0.0), max(signal.values(), default=1.0)
    return {chunk_id: (score - least) / ((most - least) or 1.0) for chunk_id, score in signal.items()}


def _of_files(likeness: Signal, places: Mapping[int, Place]) -> Signal:
    """For every chunk what the best chunks of its file say together, 0 to 1."""
    by_file: dict[str, list[float]] = defaultdict(list)
    for chunk_id, score in sorted(likeness.items(), key=lambda pair: -pair[1]):
        by_file[places[chunk_id].path].append(score)
    of_file = {
        path: sum(score * FILE_DECAY**rank for rank, score in enumerate(scores[:FILE_CHUNKS]))
        for path, scores in by_file.items()
    }
    most = max(of_file.values(), default=0.0) or 1.0
    return {chunk_id: of_file[place.path] / most for chunk_id, place in places.items() if place.path in of_file}


def _divided(signal: Signal, by: float) -> Signal:
    return {chunk_id: score / by for chunk_id, score in signal.items()}
