"""A small real index of a folder, with everything that answers from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.retrieval import Retriever
from fakes.embedder import HashingEmbedder
from indexer.sources import open_source
from indexer.stores import Stores
from indexer.sync import sync

REPOSITORY = "acme/demo"
GUIDE = "docs/naïve guide.md"
FILES = {
    "cache/blocks.py": 'BLOCK_SIZE = 16\n\n\ndef allocate(tokens: int) -> int:\n    """Return how many blocks hold the'
    ' tokens."""\n    return -(-tokens // BLOCK_SIZE)\n',
    GUIDE: "# Guide\n\nA block holds sixteen tokens. <script>alert(1)</script>\n",
    "logo.bin": "\0\1\2",
}


@dataclass
class Library:
    """Stores that are empty until `index` is called."""

    stores: Stores
    embedder: HashingEmbedder
    retriever: Retriever
    folder: Path

    @classmethod
    def empty(cls, under: Path) -> Library:
        stores, embedder = Stores(under / "home"), HashingEmbedder()
        return cls(stores, embedder, Retriever(stores, embedder), under / "demo")

    @classmethod
    @contextmanager
    def indexed(cls, under: Path) -> Iterator[Library]:
        """One with its folder indexed, closed at the end."""
        made = cls.empty(under)
        made.index()
        try:
            yield made
        finally:
            made.close()

    def index(self) -> str:
        """Index the folder; returns its commit."""
        for path, text in FILES.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text)
        source = open_source(str(self.folder), ref=None, repository=REPOSITORY, cache=self.stores.cache)
        return sync(source, self.stores, self.embedder).snapshot.origin.commit

    def close(self) -> None:
        self.retriever.close()
        self.stores.catalog.close()
