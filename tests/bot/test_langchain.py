"""The index as LangChain's retriever: by itself, in a chain, and opened from the settings."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from pydantic import ValidationError

from bot.langchain import RepoPilotRetriever
from bot.retrieval import Found, Retriever
from bot.types import Question
from fakes.library import FILES, REPOSITORY, Library
from fakes.repository import Repository
from indexer.errors import IndexMissing

QUESTION = "How many tokens does a block hold?"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.indexed(tmp_path_factory.mktemp("library")) as made:
        yield made


@pytest.fixture
def retriever(library: Library) -> RepoPilotRetriever:
    return RepoPilotRetriever(retriever=library.retriever)


def test_passages_are_documents(retriever: RepoPilotRetriever, library: Library) -> None:
    documents = retriever.invoke(QUESTION)
    found = library.retriever.search(Question(QUESTION), 10)
    assert [document.page_content for document in documents] == [passage.text for passage in found.passages]
    first = documents[0]
    assert first.page_content in FILES[first.metadata["path"]] and first.id == first.metadata["url"]
    assert first.metadata["repository"] == REPOSITORY and first.metadata["commit"] == found.index.commit
    assert set(first.metadata) == set(
        "path start_line end_line symbol kind language score url repository ref commit".split()
    )


def test_it_is_limited_and_addressed(library: Library) -> None:
    assert len(RepoPilotRetriever(retriever=library.retriever, limit=1).invoke(QUESTION)) == 1
    with pytest.raises(IndexMissing, match="no index of acme/other at v2"):
        RepoPilotRetriever(retriever=library.retriever, repository="acme/other", ref="v2").invoke(QUESTION)
    with pytest.raises(ValidationError):
        RepoPilotRetriever(limit=0)


def test_searching_leaves_the_event_loop_alone(library: Library) -> None:
    class Watched(Retriever):
        searched_in: int = 0

        def search(self, question: Question, limit: int) -> Found:
            self.searched_in = threading.get_ident()
            return super().search(question, limit)

    watched = Watched(library.stores, library.embedder)
    documents = anyio.run(RepoPilotRetriever(retriever=watched).ainvoke, QUESTION)
    assert documents and watched.searched_in not in (0, threading.get_ident())
    watched.close()


def test_it_feeds_a_chain(retriever: RepoPilotRetriever) -> None:
    def told(documents: list[Document]) -> str:
        return "\n\n".join(f"{document.metadata['url']}\n{document.page_content}" for document in documents)

    prompt = ChatPromptTemplate.from_template("Answer from these:\n{passages}\n\nQuestion: {question}")
    given = {"passages": retriever | told, "question": RunnablePassthrough()}
    filled = (given | prompt).invoke(QUESTION).to_string()
    assert "BLOCK_SIZE = 16" in filled and "cache/blocks.py#L" in filled and filled.endswith(QUESTION)
    chain = given | prompt | FakeListChatModel(responses=["Sixteen."]) | StrOutputParser()
    assert chain.invoke(QUESTION) == "Sixteen."
    assert anyio.run(chain.ainvoke, QUESTION) == "Sixteen."


def test_the_settings_index_is_opened_by_the_first_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bot.app import App
    from bot.settings import load
    from indexer.types import Address

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REPOPILOT_HOME", str(tmp_path / "home"))
    repository = Repository(tmp_path / "demo")
    repository.commit({path: text for path, text in FILES.items() if path.startswith("cache")})
    App(load()).index(Address(str(repository.folder), None, REPOSITORY))
    retriever = RepoPilotRetriever(limit=1)
    assert retriever.retriever is None
    (document,) = retriever.invoke(QUESTION)
    assert document.metadata["url"].startswith(f"https://github.com/{REPOSITORY}/blob/")
    assert "retriever" not in retriever.model_dump()
