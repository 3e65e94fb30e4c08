"""Everything that is kept for an index, below one folder: catalog, vectors, lexical indexes, downloads, the lock."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from indexer.catalog import Catalog
from indexer.errors import IndexDamaged, IndexLocked, StorageError
from indexer.lexical import LexicalIndex
from indexer.vectors import LocalVectorStore, ServerVectorStore, VectorStore


class Stores:
    """The stores of one `REPOPILOT_HOME`. `chroma_url` puts the vectors on a Chroma server instead of below it."""

    def __init__(self, home: Path, chroma_url: str | None = None) -> None:
        self.home = home
        self._chroma_url = chroma_url
        self._vectors: VectorStore | None = None
        try:
            home.mkdir(parents=True, exist_ok=True)
            self.catalog = Catalog(home / "catalog.sqlite3")
        except OSError as error:
            raise _no_home(home, error) from error

    @property
    def cache(self) -> Path:
        """Where clones and downloaded archives are kept; may be deleted at any time."""
        return self.home / "sources"

    @property
    def vectors(self) -> VectorStore:
        if self._vectors is None:
            url = self._chroma_url
            self._vectors = ServerVectorStore(url) if url else LocalVectorStore(self.home / "vectors")
        return self._vectors

    def lexical(self, collection_name: str) -> LexicalIndex:
        """Raises IndexDamaged when it is missing or torn."""
        return LexicalIndex(self._lexical_folder(collection_name))

    def create_lexical(self, collection_name: str) -> None:
        LexicalIndex.create(self._lexical_folder(collection_name))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Held by the one process that writes; raises IndexLocked when another has it. A dead holder's lock is free."""
        lock = FileLock(self.home / "index.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise IndexLocked(
                f"Another process is indexing into {self.home}; wait until it has finished, then run this again."
            ) from error
        except OSError as error:
            raise _no_home(self.home, error) from error
        try:
            yield
        finally:
            lock.release()

    def sweep(self) -> None:
        """Delete what no version reaches. The catalog forgets it last: a crash only leaves more to sweep."""
        catalog = self.catalog
        for name, chunk_ids in catalog.unreached_chunks().items():
            self._delete_terms(name, chunk_ids)
        for name in catalog.unreached_collections():
            shutil.rmtree(self._lexical_folder(name), ignore_errors=True)
        for name in catalog.unreached_segments():
            self.vectors.drop(name)
        with catalog.transaction():
            catalog.forget_unreached()

    def _delete_terms(self, collection_name: str, chunk_ids: Sequence[int]) -> None:
        try:
            index = self.lexical(collection_name)
        except IndexDamaged:
            return  # whoever searches it is told so, and the full run that mends it must get past here
        with index.writing() as writer:
            writer.delete(chunk_ids)

    def _lexical_folder(self, collection_name: str) -> Path:
        return self.home / "lexical" / collection_name


def _no_home(home: Path, error: OSError) -> StorageError:
    return StorageError(
        f"The index folder {home} cannot be used ({error.strerror}); mend it, or set REPOPILOT_HOME to another folder."
    )
