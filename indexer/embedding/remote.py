"""Any OpenAI-compatible `/v1/embeddings`, such as vLLM's. The openai client retries what is worth it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import openai

from indexer.embedding import Vectors, unit
from indexer.errors import EmbedderError

# vLLM takes any number of inputs; hosted services stop at 2,048 inputs or some 300,000 tokens a request.
BATCH = 128


class RemoteEmbedder:
    def __init__(self, url: str, model: str, api_key: str | None) -> None:
        self._url = url
        self._model = model
        self._client = openai.OpenAI(base_url=url, api_key=api_key or "none", max_retries=3, timeout=120)

    @property
    def name(self) -> str:
        return f"openai:{self._model}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        batches = [self._request(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
        return np.concatenate(batches) if batches else np.zeros((0, 1), np.float32)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._request([text])[0]
        return vector

    def _request(self, texts: Sequence[str]) -> Vectors:
        try:
            response = self._client.embeddings.create(model=self._model, input=list(texts), encoding_format="float")
            ordered = sorted(response.data, key=lambda item: item.index)
            vectors = np.array([item.embedding for item in ordered], dtype=np.float32)
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:  # the client checks no answers
            raise self._failure(str(error)) from error
        if len(vectors) != len(texts):
            raise self._failure(f"{len(vectors)} vectors for {len(texts)} texts")
        return unit(vectors)

    def _failure(self, what: str) -> EmbedderError:
        return EmbedderError(f"The embeddings server at {self._url} failed ({what}); start it, then try again.")
