"""Everything that is kept for an index, below one folder: catalog, vectors, lexical indexes, downloads, the lock."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from indexer.catalog import Catalog
from indexer.errors import IndexDamaged, IndexLocked, StorageError
from indexer.lexical import LexicalIndex
from indexer.pending import PendingVectors
from indexer.records import Collection, OpenSegment
from indexer.vectors import LocalVectorStore, ServerVectorStore, VectorStore

CATALOG = "catalog.sqlite3"


class Stores:
    """The stores of one `REPOPILOT_HOME`. `chroma_url` puts the vectors on a Chroma server instead of below it."""

    def __init__(self, home: Path, chroma_url: str | None = None) -> None:
        self.home = home
        self._chroma_url = chroma_url
        self._vectors: VectorStore | None = None
        try:
            home.mkdir(parents=True, exist_ok=True)
            self.catalog = Catalog(home / CATALOG)
        except OSError as error:
            raise _no_home(home, error) from error

    @classmethod
    def anew(cls, home: Path, chroma_url: str | None = None) -> Stores:
        """Stores in place of those that are there, which cannot be read: nothing but what can be made again is lost.

        Raises IndexLocked and StorageError.
        """
        with index_lock(home, "replacing an index that cannot be read"):
            try:
                for path in (*home.glob(f"{CATALOG}*"), *(home / name for name in ("vectors", "lexical", "pending"))):
                    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            except OSError as error:
                raise _no_home(home, error) from error
        return cls(home, chroma_url)

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

    def add_segment(self, collection: Collection) -> OpenSegment:
        """A new segment of a collection, in the catalog; its vectors go into `vectors.create(name)`."""
        name = secrets.token_hex(8)
        with self.catalog.transaction():
            return OpenSegment(self.catalog.add_segment(collection, name), name)

    def pending(self, segment_name: str) -> PendingVectors:
        return PendingVectors(self.home / "pending" / segment_name)

    def locked(self, purpose: str) -> AbstractContextManager[None]:
        """Held by the one process that writes. Raises IndexLocked, which says who has it and for what purpose."""
        return index_lock(self.home, purpose)

    def sweep(self, repository: str) -> None:
        """Delete what no version of a repository reaches. The catalog forgets it last: a crash leaves more to sweep."""
        catalog = self.catalog
        for name, chunk_ids in catalog.unreached_chunks(repository).items():
            self._delete_terms(name, chunk_ids)
        for name in catalog.unreached_collections(repository):
            shutil.rmtree(self._lexical_folder(name), ignore_errors=True)
        for name in catalog.unreached_segments(repository):
            self.vectors.drop(name)
            self.pending(name).drop()
        with catalog.transaction():
            catalog.forget_unreached(repository)
        catalog.give_back_space()

    def _delete_terms(self, collection_name: str, chunk_ids: Sequence[int]) -> None:
        try:
            index = self.lexical(collection_name)
        except IndexDamaged:
            return  # whoever searches it is told so, and the full run that mends it must get past here
        with index.writing() as writer:
            writer.delete(chunk_ids)

    def _lexical_folder(self, collection_name: str) -> Path:
        return self.home / "lexical" / collection_name


@contextmanager
def index_lock(home: Path, purpose: str) -> Iterator[None]:
    """Held by the one process that writes below a folder. A dead holder's lock is free: the system releases it. Who has
    it stands beside it."""
    lock, holder = FileLock(home / "index.lock"), home / "index.holder"
    try:
        lock.acquire(timeout=0)
        holder.write_text(f"process {os.getpid()} has been {purpose} since {datetime.now():%H:%M:%S}", "utf-8")
    except Timeout as error:
        raise IndexLocked(
            f"The index in {home} is in use: {_read(holder)}; wait until it has finished, then run this again."
        ) from error
    except OSError as error:
        lock.release()
        raise _no_home(home, error) from error
    try:
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def _read(holder: Path) -> str:
    try:
        return holder.read_text("utf-8")
    except OSError:  # it is just coming or going
        return "another process writes to it"


def _no_home(home: Path, error: OSError) -> StorageError:
    return StorageError(
        f"The index folder {home} cannot be used ({error.strerror}); mend it, or set REPOPILOT_HOME to another folder."
    )
