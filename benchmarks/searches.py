"""Warm searches of an index, by questions that are made from the names it declares."""

from __future__ import annotations

import multiprocessing
import random
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.runs import Program
from bot.retrieval import Retriever
from bot.types import Question
from indexer.embedding import open_embedder
from indexer.stores import Stores
from indexer.terms import PART

QUESTIONS = 100
TEMPLATES = ("How does {words} work?", "Where is `{name}` implemented?", "{words} fails, what can I do?", "{name}")


def median_ms(program: Program) -> float:
    """Milliseconds of the median search for ten passages of the default version, in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_median_ms, program.home).result()


def _median_ms(home: Path) -> float:
    stores = Stores(home)
    retriever = Retriever(stores, open_embedder())
    questions = _questions(stores)
    for question in questions[:10]:
        retriever.search(question, 10)
    times = []
    for question in questions:
        started = time.perf_counter()
        retriever.search(question, 10)
        times.append(time.perf_counter() - started)
    stores.catalog.close()
    return statistics.median(times) * 1_000


def _questions(stores: Stores) -> list[Question]:
    chosen, snapshot = random.Random(0), stores.catalog.snapshots()[0]
    symbols = sorted({s.chunk.symbol for s in stores.catalog.all_chunks(snapshot) if s.kind == "code"} - {""})
    names = [symbol.rpartition(".")[2] for symbol in chosen.sample(symbols, QUESTIONS)]
    return [
        Question(chosen.choice(TEMPLATES).format(name=name, words=" ".join(PART.findall(name)).lower()))
        for name in names
    ]
