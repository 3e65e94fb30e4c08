"""Passages become the figures of one question: whether the first ten hold what its gold spans name."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bot.evaluation.figures import Figures
from bot.evaluation.questions import Case
from bot.types import Passage

TOP = 10


def retrieval_figures(case: Case, passages: Sequence[Passage]) -> Figures:
    """Figures of one answerable question over its first ten passages."""
    top = passages[:TOP]
    files = {gold.path for gold in case.primary}
    hits = [any(gold.hit_by(passage) for passage in top) for gold in case.primary]
    return {
        "file_hit@5": float(any(passage.path in files for passage in top[:5])),
        "file_hit@10": float(any(passage.path in files for passage in top)),
        "span_hit@10": float(any(hits)),
        "recall@10": float(any(hits)) if case.alternatives else sum(hits) / len(hits),
        "ndcg@10": _ndcg([passage.path for passage in top], files, 1 if case.alternatives else len(files)),
    }


def _ndcg(paths: Sequence[str], wanted_files: set[str], wanted: int) -> float:
    """File-level: gain 1 for each new wanted file, ideally those files first."""
    firsts = [rank for rank, path in enumerate(paths) if path in wanted_files and path not in paths[:rank]]
    gain = sum(1 / math.log2(rank + 2) for rank in firsts[:wanted])
    return gain / sum(1 / math.log2(rank + 2) for rank in range(min(TOP, wanted)))
