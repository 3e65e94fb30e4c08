"""Vectors that are made but not yet sealed, a file a batch, so that a run which was killed need not make them again."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from indexer.embedding import Vectors
from indexer.errors import StorageError


class PendingVectors:
    """The batches of one unsealed segment, in the order in which they were added."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        """Keep vectors, shape (len(ids), dimension), under chunk ids: all of them or none. Raises StorageError."""
        partial, whole = (self._folder / f"{ids[0]:020}{suffix}" for suffix in (".partial", ".npz"))
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as stream:
                np.savez(stream, ids=np.array(ids, np.int64), vectors=vectors)
            partial.replace(whole)
        except OSError as error:
            raise StorageError(
                f"Vectors cannot be kept in {self._folder} ({error.strerror}); free space or mend its permissions,"
                " then try again."
            ) from error

    def __iter__(self) -> Iterator[tuple[list[int], Vectors]]:
        """(chunk ids, vectors) of each batch; a torn one is passed over, so that it is made again."""
        for batch in sorted(self._folder.glob("*.npz")):
            if loaded := _load(batch):
                yield loaded

    def drop(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def _load(batch: Path) -> tuple[list[int], Vectors] | None:
    try:
        with np.load(batch) as arrays:
            return arrays["ids"].tolist(), arrays["vectors"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
