"""All packages become one file of pairs a split, in the cache folder."""

from __future__ import annotations

import json
import logging
import random
import zlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from itertools import repeat
from pathlib import Path

from training import brace_pairs, prose_pairs, python_pairs
from training.corpus import PROSE, Package, Split, fetch, read_packages, read_texts
from training.pairs import LONGEST_QUERY, Pair, fingerprint, select

log = logging.getLogger(__name__)

PER_KIND = 2_500
"""Pairs of one kind from one package, so that the largest do not drown the rest."""


def mine_all(cache: Path, workers: int) -> None:
    """Writes `pairs-train.jsonl`, `pairs-validation.jsonl` and `pairs-test.jsonl`; near copies stay in train only."""
    packages, excluded = read_packages()
    archives = [fetch(package, cache / "sdists") for package in packages]
    with ProcessPoolExecutor(workers) as pool:
        mined = list(pool.map(mine_package, packages, archives, repeat(excluded)))
    by_split: dict[Split, list[Pair]] = {"train": [], "validation": [], "test": []}
    for package, pairs in zip(packages, mined, strict=True):
        by_split[package.split] += pairs
    trained_on = {fingerprint(pair.passage) for pair in by_split["train"]}
    write(by_split["train"], cache, "train")
    write([p for p in by_split["validation"] if fingerprint(p.passage) not in trained_on], cache, "validation")
    write([p for p in by_split["test"] if fingerprint(p.passage) not in trained_on], cache, "test")


def mine_package(package: Package, archive: Path, excluded: str) -> list[Pair]:
    """Returns the selected pairs of one package; its random choices depend on its name only."""
    seed = zlib.crc32(package.name.encode())
    rng = random.Random(seed)
    pairs: list[Pair] = []
    prose = []
    for source in read_texts(archive, package.name, excluded):
        suffix = Path(source.path).suffix
        if suffix in PROSE:
            prose.append(source)
            pairs += prose_pairs.mine(source, rng)
        else:
            pairs += (python_pairs if suffix == ".py" else brace_pairs).mine(source, rng)
    defined = [p for p in pairs if p.kind in {"docstring", "name", "doc comment"}]
    pairs += prose_pairs.mentions(prose, defined, rng)
    short = (Pair(p.kind, p.package, f"{p.package}/{p.origin}", p.query[:LONGEST_QUERY], p.passage) for p in pairs)
    return select(short, PER_KIND, seed)


def write(pairs: list[Pair], cache: Path, split: Split) -> None:
    log.info("%s: %d pairs", split, len(pairs))
    with (cache / f"pairs-{split}.jsonl").open("w") as stream:
        stream.writelines(json.dumps(asdict(pair)) + "\n" for pair in pairs)


def read(cache: Path, split: Split) -> list[Pair]:
    """Returns the pairs of one split in file order."""
    with (cache / f"pairs-{split}.jsonl").open() as stream:
        return [Pair(**json.loads(line)) for line in stream]
