"""The only place that builds and knows every part."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from bot.crossencoding import CrossEncoder
from bot.retrieval import Retriever
from bot.settings import Settings
from indexer.embedding import Embedder, open_embedder
from indexer.errors import IndexDamaged
from indexer.stores import Stores

if TYPE_CHECKING:  # imported where they are needed: langchain and fastapi take seconds
    from fastapi import FastAPI
    from pydantic import SecretStr

    from bot.answering import Answerer
    from bot.model import LanguageModel
    from indexer.sync import Progress, Report
    from indexer.types import Address


class App:
    """The parts, each built when first asked for, from one set of settings."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @cached_property
    def stores(self) -> Stores:
        return Stores(self.settings.home.expanduser(), self.settings.chroma_url)

    def index(
        self,
        address: Address,
        *,
        full: bool = False,
        say: Callable[[str], None] = lambda message: None,
        progress: Progress = lambda done, total: None,
    ) -> Report:
        """Open a source and index it, saying what is being done. A full run also replaces an index that cannot be read.

        Raises what `open_source` and `sync` raise.
        """
        try:
            return self._index(address, full, say, progress)
        except IndexDamaged:
            if not full:
                raise
            self.stores = Stores.anew(self.settings.home.expanduser(), self.settings.chroma_url)
            return self._index(address, full, say, progress)

    def _index(self, address: Address, full: bool, say: Callable[[str], None], progress: Progress) -> Report:
        from indexer.sources import open_source, storable
        from indexer.sync import sync

        s, a = self.settings, address
        say(f"Opening {a.source}")
        source = open_source(a.source, ref=a.ref, repository=a.repository, cache=self.stores.cache)
        say(f"Indexing {source.origin.repository} at {source.origin.ref}")
        return sync(
            source,
            self.stores,
            self.embedder,
            full=full,
            exclude=s.exclude,
            address=storable(address),
            workers=s.workers,
            progress=progress,
        )

    @cached_property
    def embedder(self) -> Embedder:
        s = self.settings
        return open_embedder(s.embedder, s.embedder_url, _revealed(s.embedder_api_key))

    @cached_property
    def retriever(self) -> Retriever:
        s = self.settings
        reader = CrossEncoder(s.reranker) if s.reranker else None
        return Retriever(self.stores, self.embedder, s.repository, s.ref, reader)

    @cached_property
    def model(self) -> LanguageModel | None:
        s = self.settings
        if not s.llm_url or not s.llm_model:
            return None
        from bot.chat.client import ChatModel, ModelOptions

        options = ModelOptions(
            url=s.llm_url,
            model=s.llm_model,
            api_key=_revealed(s.llm_api_key),
            timeout_s=s.llm_timeout_s,
            context_tokens=s.llm_context_tokens,
            answer_tokens=s.llm_answer_tokens,
            concurrency=s.llm_concurrency,
            queue=s.llm_queue,
            structured=s.llm_structured,
            instructions=s.llm_instructions,
            logprobs=s.llm_logprobs,
        )
        return ChatModel(options)

    @cached_property
    def answerer(self) -> Answerer:
        from bot.answering import Answerer
        from bot.chat.leaks import secrets_of

        return Answerer(self.retriever, self.model, secrets_of(os.environ))

    def http(self) -> FastAPI:
        """The HTTP service over these parts."""
        from bot.adapters.http import HttpOptions, create_application

        options = HttpOptions(
            _revealed(self.settings.api_token),
            self.settings.per_client_per_minute,
            embedder=self.embedder.name,
            model=self.model.name if self.model else None,
        )
        return create_application(self.answerer, self.retriever, self.stores, options)


def _revealed(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None
