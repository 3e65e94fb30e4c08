"""Source files become what the stores take: text, chunks and terms. This is most of the work, and every core does it.

A parser written in C may crash on a hostile file, or never come back. In a worker process it takes only that down, and
its file is cut by lines.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, replace
from multiprocessing import spawn
from typing import TYPE_CHECKING

from indexer.batches import batches
from indexer.chunking import chunk, language_of
from indexer.decoding import decode
from indexer.lexical import LexicalDocument, lexical_document
from indexer.masking import mask
from indexer.selection import inspect, is_generated, kind_of
from indexer.types import Chunk, Document, Skipped, SourceFile

if TYPE_CHECKING:  # a fifth of a second that a run in this process need not wait for
    from pebble import ProcessFuture, ProcessPool

    _Prepared = ProcessFuture[list["Prepared | Skipped"]]
    _Scheduled = tuple[Sequence[SourceFile], _Prepared | None]

# A file of which this share of the characters is secret is nothing but a key.
MOSTLY_SECRET = 0.9
# Bytes of source that a worker is given at a time: some tenths of a second of work.
BATCH_BYTES = 256 << 10
# Batches in the hands of each worker, so that it never waits; with the bytes, this bounds the memory.
BATCHES_A_WORKER = 3
# A file takes milliseconds, the largest some seconds; some grammars need minutes for some kinds of garbage.
TIMEOUT_S = 30
# How soon it is seen that the pool is broken.
POLL_S = 1.0


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document with its chunks, and the terms of each. `warning` says what went wrong on the way, or nothing."""

    document: Document
    chunks: tuple[Chunk, ...]
    terms: tuple[LexicalDocument, ...]
    warning: str = ""


Outcome = tuple[SourceFile, Prepared | Skipped]
"""A file and what became of it."""


def prepare(file: SourceFile, parser_failure: str = "") -> Prepared | Skipped:
    """What is stored of a file, or why it is left out; cut by lines when its parser has failed. Never raises."""
    document = document_of(file)
    if isinstance(document, Skipped):
        return document
    chunks = chunk(replace(document, language="text") if parser_failure else document)
    terms = tuple(lexical_document(document.path, document.kind, piece) for piece in chunks)
    return Prepared(document, chunks, terms, parser_failure)


def document_of(file: SourceFile) -> Document | Skipped:
    """The text of a file with its secrets masked before anything else reads it, or why the file is left out."""
    if skipped := inspect(file):
        return skipped
    masked = mask(decode(file))
    if masked.share >= MOSTLY_SECRET:
        return Skipped(file.path, "it holds a private key or a token and hardly anything else, which is secret")
    text, path = masked.text, file.path
    return Document(path, file.content_id, language_of(path), kind_of(path), text, is_generated(text))


def prepare_all(files: Iterable[SourceFile], workers: int = 0) -> Iterator[Outcome]:
    """Prepare files in their order: in this process, or in that many worker processes. Memory is bounded."""
    if not workers or not _may_start():
        for file in files:
            yield file, prepare(file)
        return
    from pebble import ProcessPool

    # Forking would copy the locks of the threads that the stores have started.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPool(workers, initializer=_leave_interrupts_to_the_parent, context=context)
    try:
        yield from _in_workers(pool, files, workers)
    finally:
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()


def _may_start() -> bool:
    """Whether this program may run its interpreter again. As another user it perhaps may not; then the process that
    multiprocessing keeps books in dies unseen, and writing to it fails now and then (BrokenPipeError)."""
    executable = spawn.get_executable()
    return executable is not None and os.access(executable, os.X_OK)


def _leave_interrupts_to_the_parent() -> None:
    """Being ended needs no handler either: Python takes the pool's away as it exits, and a signal in that moment prints
    a traceback ("Signal 15 ignored due to race condition")."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _in_workers(pool: ProcessPool, files: Iterable[SourceFile], workers: int) -> Iterator[Outcome]:
    waiting: deque[_Scheduled] = deque()
    startable = True
    for batch in batches(files, lambda file: len(file.data), BATCH_BYTES):
        waiting.append(_scheduled(pool, batch) if startable else (batch, None))
        startable = waiting[-1][1] is not None
        if len(waiting) > workers * BATCHES_A_WORKER:
            yield from _outcomes(pool, *waiting.popleft())
    while waiting:
        yield from _outcomes(pool, *waiting.popleft())


def _scheduled(pool: ProcessPool, batch: Sequence[SourceFile]) -> _Scheduled:
    try:
        return batch, pool.schedule(_prepare_batch, args=(batch,), timeout=TIMEOUT_S)
    except (RuntimeError, OSError):  # none of its processes could be started
        return batch, None


def _prepare_batch(batch: Sequence[SourceFile]) -> list[Prepared | Skipped]:
    return [prepare(file) for file in batch]


def _awaited(pool: ProcessPool, future: _Prepared) -> list[Prepared | Skipped]:
    """What a worker makes of a batch. A pool that breaks forgets the tasks that it has not handed out."""
    while True:
        try:
            return future.result(timeout=POLL_S)
        except TimeoutError:
            if future.done():  # it is the task that took too long
                raise
            if not pool.active:
                raise BrokenExecutor from None


def _outcomes(pool: ProcessPool, batch: Sequence[SourceFile], future: _Prepared | None) -> Iterator[Outcome]:
    """What became of a batch; of one that took its worker down, file by file, to find out which did.

    Where no process can be started (for want of memory or of rights), this one does the work.
    """
    from pebble import ProcessExpired

    try:
        yield from zip(batch, _awaited(pool, future) if future else _prepare_batch(batch), strict=True)
    except BrokenExecutor:
        yield from zip(batch, _prepare_batch(batch), strict=True)
    except (ProcessExpired, TimeoutError) as error:
        if len(batch) > 1:
            for file in batch:
                yield from _outcomes(pool, *_scheduled(pool, [file]))
            return
        (file,) = batch
        yield file, prepare(file, f"{file.path} is cut by lines, since its parser failed ({error})")
