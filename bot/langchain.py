"""The index as a retriever of LangChain's. Like the command line it stands above the parts, and opens them itself.

from bot.langchain import RepoPilotRetriever

retriever = RepoPilotRetriever(repository="acme/demo", limit=5)
documents = retriever.invoke("How is the cache laid out?")
"""

from __future__ import annotations

from threading import Lock

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, PrivateAttr

from bot.retrieval import Retriever
from bot.types import Index, Passage, Question

LIMIT = 10


class RepoPilotRetriever(BaseRetriever):
    """Passages of an indexed version as documents, best first; `ainvoke` searches in a thread.

    Without a `retriever`, the index that the settings (`REPOPILOT_…`) name is opened by the first search. Searches
    raise what `Retriever.search` and `load` raise: RepoPilotErrors, whose message is for a person.
    """

    repository: str | None = None
    """OWNER/NAME; None: the default one."""
    ref: str | None = None
    """A branch, tag, version or commit; None: the newest release."""
    limit: int = Field(default=LIMIT, ge=1)
    """How many documents at most."""
    retriever: Retriever | None = Field(default=None, exclude=True, repr=False)
    """What searches, where a program has opened it already."""

    _opening: Lock = PrivateAttr(default_factory=Lock)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = self._opened().search(Question(query, (), self.repository, self.ref), self.limit)
        return [_document(passage, found.index) for passage in found.passages]

    def _opened(self) -> Retriever:
        with self._opening:
            if self.retriever is None:
                from bot.app import App
                from bot.settings import load

                self.retriever = App(load()).retriever
            return self.retriever


def _document(passage: Passage, index: Index) -> Document:
    """The passage's lines, and where they stand. Its id is its permanent link."""
    metadata = {
        "path": passage.path,
        "start_line": passage.start_line,
        "end_line": passage.end_line,
        "symbol": passage.symbol,
        "kind": passage.kind,
        "language": passage.language,
        "score": passage.score,
        "url": passage.url,
        "repository": index.repository,
        "ref": index.ref,
        "commit": index.commit,
    }
    return Document(page_content=passage.text, id=passage.url, metadata=metadata)
