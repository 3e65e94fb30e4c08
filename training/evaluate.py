"""What a model finds: passages of held-out packages, places in a repository that are known to answer; and how fast."""

from __future__ import annotations

import ast
import json
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from numpy.typing import NDArray

from training.corpus import CODE, LARGEST_FILE, SourceText
from training.pairs import PASSAGE_CHARS, Pair, passage
from training.prose_pairs import sections
from training.python_pairs import definitions

Matrix = NDArray[np.float32]
Encoder = Callable[[Sequence[str]], Matrix]
"""Texts to rows of length one."""

WINDOW = 40
"""Lines of a chunk where the syntax tree gives none."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines `start`..`end` of a file, 1-based and inclusive, with the text that is embedded."""

    path: str
    start: int
    end: int
    text: str


def static_encoder(model: StaticModel) -> Encoder:
    """Returns the encoder of a model2vec model, on one core."""
    return lambda texts: unit(model.encode(list(texts), use_multiprocessing=False))


def unit(rows: NDArray[np.generic]) -> Matrix:
    rows = rows.astype(np.float32)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), dtype=np.float32)


def held_out(encode: Encoder, pairs: Sequence[Pair], by_kind: bool = False) -> dict[str, dict[str, float]]:
    """Returns R@1, R@10 and MRR of each query's own passage among all the pairs' passages, over all and by kind."""
    texts = list(dict.fromkeys(p.passage for p in pairs))
    place = {text: n for n, text in enumerate(texts)}
    passages = encode(texts)
    ranks: dict[str, list[int]] = defaultdict(list)
    for at in range(0, len(pairs), 2_048):
        part = pairs[at : at + 2_048]
        scores = encode([p.query for p in part]) @ passages.T
        own = scores[np.arange(len(part)), [place[p.passage] for p in part]]
        for pair, rank in zip(part, (scores > own[:, None]).sum(axis=1), strict=True):
            ranks["all"].append(int(rank))
            if by_kind:
                ranks[pair.kind].append(int(rank))
    return {kind: _rank_figures(np.array(found)) for kind, found in sorted(ranks.items())}


def _rank_figures(ranks: NDArray[np.int64]) -> dict[str, float]:
    figures = {"R@1": (ranks < 1).mean(), "R@10": (ranks < 10).mean(), "MRR": (1 / (ranks + 1)).mean()}
    return {"n": len(ranks)} | {name: round(float(value), 3) for name, value in figures.items()}


def repository_chunks(root: Path, left_out: str = "tests") -> list[Chunk]:
    """Returns simple chunks of a checkout: definitions, sections, windows of 40 lines; one top folder is left out."""
    chunks: list[Chunk] = []
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if path.suffix not in CODE | {".md", ".sh", ".yaml", ".toml"} or left_out in relative.parts[:1]:
            continue
        if path.is_file() and path.stat().st_size <= LARGEST_FILE and not relative.parts[0].startswith("."):
            chunks += file_chunks(relative.as_posix(), path.read_text(errors="replace"))
    return chunks


def file_chunks(path: str, text: str) -> Iterator[Chunk]:
    """Yields the chunks of one file; together they cover every line that is not blank."""
    lines = text.split("\n")
    starts = {1: ""} | dict(_python_starts(text) if path.endswith(".py") else _prose_starts(path, text))
    bounds = [*sorted(starts), len(lines) + 1]
    for start, stop in pairwise(bounds):
        for first in range(start, stop, WINDOW):
            last = min(first + WINDOW, stop) - 1
            body = "\n".join(lines[first - 1 : last])
            if body.strip():
                yield Chunk(path, first, last, passage(path, starts[start], body[:PASSAGE_CHARS]))


def _python_starts(text: str) -> Iterator[tuple[int, str]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for symbol, node in definitions(tree):
        yield min([node.lineno, *(d.lineno for d in node.decorator_list)]), symbol


def _prose_starts(path: str, text: str) -> Iterator[tuple[int, str]]:
    if not path.endswith(".md"):
        return
    for section in sections(SourceText("", path, text)):
        yield section.line, " > ".join(section.headings)


def questions(
    encode: Encoder, chunks: Sequence[Chunk], asked: Sequence[dict[str, object]], limit: int = 10
) -> dict[str, float]:
    """Returns file_hit, span_hit and ndcg at `limit` over the answerable questions, by the vectors alone."""
    passages = encode([c.text for c in chunks])
    answerable = [q for q in asked if q["answerable"]]
    scores = encode([str(q["question"]) for q in answerable]) @ passages.T
    rows = []
    for question, row in zip(answerable, scores, strict=True):
        best = np.argsort(-row, kind="stable")[:limit]
        rows.append(_score(question, [chunks[n] for n in best]))
    means = np.array(rows).mean(axis=0)
    return {name: round(float(v), 3) for name, v in zip(("file_hit@10", "span_hit@10", "ndcg@10"), means, strict=True)}


def _score(question: dict[str, object], found: Sequence[Chunk]) -> tuple[float, float, float]:
    """Returns the figures of one question; gain 1 for each new file that holds a primary span."""
    gold: list[dict[str, object]] = question["gold"]  # type: ignore[assignment]
    primary = [g for g in gold if g.get("primary")] or gold
    files = {g["path"] for g in primary}
    wanted = 1 if question.get("alternatives") else len(files)
    span = any(_overlaps(chunk, g) for chunk in found for g in primary)
    gain, seen = 0.0, set[object]()
    for rank, chunk in enumerate(found):
        if chunk.path in files and chunk.path not in seen and len(seen) < wanted:
            seen.add(chunk.path)
            gain += 1 / math.log2(rank + 2)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(len(found), wanted)))
    return float(bool(seen)), float(span), gain / ideal


def _overlaps(chunk: Chunk, gold: dict[str, object]) -> bool:
    start, end = gold["start_line"], gold["end_line"]
    return chunk.path == gold["path"] and chunk.start <= end and chunk.end >= start  # type: ignore[operator]


def read_questions(files: Sequence[Path]) -> list[dict[str, object]]:
    return [json.loads(line) for file in files for line in file.read_text().splitlines() if line.strip()]


def speed(encode: Encoder, texts: Sequence[str]) -> float:
    """Returns texts a second of CPU time, after one warm-up."""
    encode(texts[:64])
    started = time.process_time()
    encode(texts)
    return len(texts) / (time.process_time() - started)
