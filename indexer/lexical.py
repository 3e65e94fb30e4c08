"""Terms become a ranked list of chunk ids: a tantivy index with one small document a chunk.

The index holds no text: fields `body`, `names` (what a chunk defines) and `path` keep term frequencies only, `declares`
whole names. Readers in other processes see a commit whole or not at all; a writer that dies leaves the last commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import log
from pathlib import Path

import tantivy

from indexer.errors import IndexDamaged, StorageError
from indexer.terms import compound_terms, declared_names, joined_terms, terms
from indexer.types import Chunk, FileKind

FIELDS = ("body", "names", "path")
# Past this many terms (a pasted log) only the rarest are searched: the others cost time and say little.
MOST_QUERY_TERMS = 32
WRITER_HEAP_BYTES = 128 << 20
STOP_WORDS = frozenset(
    "a about all also am an and any are as at be because been but by can could did do does doing don for from get got"
    " had has have having he her here him his how i if in into is it its just know like ll make many may me might more"
    " most my need no not of on one only or other our out please re s should so some such t than that the their them"
    " then there these they this those to too up us use used using ve very want was way we were what when where which"
    " while who why will with work works would you your".split()
)


@dataclass(frozen=True, slots=True)
class LexicalDocument:
    """One chunk as the lexical index sees it: terms joined by blanks, and names as `declared_names` gives them."""

    body: str
    names: str
    path: str
    declares: Sequence[str] = ()


def lexical_document(path: str, kind: FileKind, chunk: Chunk) -> LexicalDocument:
    """The terms by which a chunk is found."""
    names = [found.name for found in chunk.definitions]
    # Only code declares: prose and tests name what they are about as well.
    declares = declared_names(names, chunk.text) if kind in ("code", "config") else ()
    return LexicalDocument(
        joined_terms(chunk.text), joined_terms(" ".join((chunk.symbol, *names))), joined_terms(path), declares
    )


def query_terms(query: str) -> list[str]:
    """The distinct terms of a question that say something, in order."""
    return [term for term in dict.fromkeys(terms(query)) if term not in STOP_WORDS]


class LexicalWriter:
    def __init__(self, writer: tantivy.IndexWriter, folder: Path) -> None:
        self._writer = writer
        self._folder = folder

    def add(self, documents: Iterable[tuple[int, LexicalDocument]]) -> None:
        """Add documents under their chunk ids."""
        with _writing(self._folder):
            for chunk_id, document in documents:
                self._writer.add_document(_tantivy_document(chunk_id, document))

    def delete(self, chunk_ids: Iterable[int]) -> None:
        for chunk_id in chunk_ids:
            self._writer.delete_documents_by_term("chunk", chunk_id)

    def commit(self) -> None:
        with _writing(self._folder):
            self._writer.commit()


class LexicalIndex:
    """One collection's lexical index in a folder of its own. Raises IndexDamaged when it is missing or torn."""

    def __init__(self, folder: Path) -> None:
        with _reading(folder):
            if not tantivy.Index.exists(str(folder)):
                raise ValueError("it is missing")
            self._index = tantivy.Index(_schema(), path=str(folder))
        self._folder = folder
        self._analyzer = _analyzer()
        self._index.register_tokenizer("code", self._analyzer)

    @classmethod
    def create(cls, folder: Path) -> LexicalIndex:
        """A new, empty index."""
        with _writing(folder):
            folder.mkdir(parents=True)
            tantivy.Index(_schema(), path=str(folder))
        return cls(folder)

    @contextmanager
    def writing(self) -> Iterator[LexicalWriter]:
        """Changes that are committed together at the end, or not at all. Raises StorageError."""
        with _writing(self._folder):
            writer = self._index.writer(heap_size=WRITER_HEAP_BYTES, num_threads=1)
        changes = LexicalWriter(writer, self._folder)
        try:
            yield changes
            changes.commit()
        except BaseException:
            writer.rollback()
            raise
        finally:
            writer.wait_merging_threads()

    def declaring(self, names: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """(chunk id, score) of chunks that declare one of these names, rarest names first. Raises IndexDamaged.

        A name that is declared in more than `limit` places tells nothing and is passed over.
        """
        with self._searching() as searcher:
            telling = [name for name in names if 0 < searcher.doc_freq("declares", name) <= limit]
            return self._hits(searcher, telling, ["declares"], limit)

    def holding(self, name: str, limit: int) -> list[int]:
        """Ids of chunks that hold this name, or one with the same stem, whole. Raises IndexDamaged."""
        with self._searching() as searcher:
            found = self._hits(searcher, self._stemmed(compound_terms(name)[-1:]), FIELDS, limit)
            return [chunk_id for chunk_id, _ in found]

    def resembling(self, name: str, limit: int) -> list[int]:
        """Ids of chunks that declare a name within two letters of this one, or of some of its words."""
        with self._searching() as searcher:
            near = tantivy.Query.fuzzy_term_query(self._index.schema, "declares", name, distance=2)
            found = self._ranked(searcher, near, limit)
            found += self._hits(searcher, self._stemmed(compound_terms(name)[:-1]), ["names"], limit)
            return [chunk_id for chunk_id, _ in found]

    def search(self, query: str, limit: int, fields: Sequence[str] = FIELDS) -> list[tuple[int, float]]:
        """(chunk id, BM25 score summed over the fields), best first. Raises IndexDamaged."""
        with self._searching() as searcher:
            return self._hits(searcher, self._rarest(searcher, self._stemmed(query_terms(query))), fields, limit)

    def rarity(self, query: str) -> dict[str, float]:
        """How rare each of the first MOST_QUERY_TERMS terms of a question is, by its stem: log of all chunks per chunk
        that holds it, more for one that is in none. Raises IndexDamaged."""
        with self._searching() as searcher:
            words = self._stemmed(query_terms(query))[:MOST_QUERY_TERMS]
            chunks = searcher.num_docs + 1
            # Frequencies still count what was deleted.
            return {word: max(0.0, log(chunks / (searcher.doc_freq("body", word) + 0.5))) for word in words}

    def holding_parts(self, name: str, limit: int) -> list[int]:
        """Ids of chunks that hold every word of a name, which may be part of a longer one. Raises IndexDamaged."""
        with self._searching() as searcher:
            words = self._stemmed(compound_terms(name)[:-1] or compound_terms(name))
            queries = (tantivy.Query.term_query(self._index.schema, "body", word) for word in words)
            every = tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in queries])
            return [chunk_id for chunk_id, _ in self._ranked(searcher, every, limit)] if words else []

    def occurs(self, word: str) -> bool:
        """Whether any chunk holds a word. Raises IndexDamaged."""
        stems = self._stemmed([word])
        return len(self.absent(stems)) < len(stems)

    def absent(self, stems: Iterable[str]) -> set[str]:
        """Those stems that no chunk holds anywhere. Raises IndexDamaged."""
        with self._searching() as searcher:
            return {stem for stem in stems if not any(searcher.doc_freq(field, stem) for field in FIELDS)}

    def stems(self, text: str) -> set[str]:
        """The stems of a text's terms, as they are indexed."""
        return set(self._stemmed(query_terms(text)))

    @contextmanager
    def _searching(self) -> Iterator[tantivy.Searcher]:
        """A searcher of the last commit; what fails while it is used is IndexDamaged."""
        with _reading(self._folder):
            self._index.reload()
            yield self._index.searcher()

    def _hits(
        self, searcher: tantivy.Searcher, words: Sequence[str], fields: Sequence[str], limit: int
    ) -> list[tuple[int, float]]:
        if not words:
            return []
        return self._ranked(searcher, self._disjunction(words, fields), limit)

    def _ranked(self, searcher: tantivy.Searcher, query: tantivy.Query, limit: int) -> list[tuple[int, float]]:
        hits = searcher.search(query, limit=limit, count=False).hits
        ids = searcher.fast_field_values("chunk", [address for _, address in hits])
        return [(chunk_id, score) for chunk_id, (score, _) in zip(map(int, ids), hits, strict=True)]  # type: ignore[arg-type]

    def _stemmed(self, words: Sequence[str]) -> list[str]:
        return list(dict.fromkeys(self._analyzer.analyze(" ".join(words))))

    def _rarest(self, searcher: tantivy.Searcher, words: Sequence[str]) -> list[str]:
        """The words that occur at all, rarest first: most of a pasted log's numbers and hashes occur nowhere."""
        frequency = {word: sum(searcher.doc_freq(field, word) for field in FIELDS) for word in words}
        return sorted((word for word in words if frequency[word]), key=frequency.__getitem__)[:MOST_QUERY_TERMS]

    def _disjunction(self, words: Sequence[str], fields: Sequence[str]) -> tantivy.Query:
        terms_of_fields = (
            tantivy.Query.term_query(self._index.schema, field, word) for word in words for field in fields
        )
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in terms_of_fields])


@contextmanager
def _reading(folder: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError) as error:
        raise IndexDamaged(
            f"The lexical index in {folder} cannot be read ({error});"
            " run `repopilot index SOURCE --full` to rebuild it."
        ) from error


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError) as error:
        raise StorageError(
            f"The lexical index in {folder} cannot be written ({error});"
            " free space or mend its permissions, then try again."
        ) from error


def _analyzer() -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return builder.filter(tantivy.Filter.stemmer("english")).build()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("chunk", indexed=True, fast=True)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="code", index_option="freq")
    builder.add_text_field("declares", tokenizer_name="raw", index_option="basic")
    return builder.build()


def _tantivy_document(chunk_id: int, document: LexicalDocument) -> tantivy.Document:
    made = tantivy.Document(chunk=chunk_id, body=document.body, names=document.names, path=document.path)
    for name in document.declares:
        made.add_text("declares", name)
    return made
