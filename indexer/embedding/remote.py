"""Any OpenAI-compatible `/v1/embeddings`, such as vLLM's. The openai client retries what is worth it."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import openai

from indexer.embedding import Vectors, unit
from indexer.errors import EmbedderError

# vLLM takes any number of inputs; hosted services stop at 2,048 inputs or some 300,000 tokens a request.
BATCH = 128
# Requests at once: while the server works on one, the next is there already and the last is being read.
IN_FLIGHT = 4


class RemoteEmbedder:
    def __init__(self, url: str, model: str, api_key: str | None) -> None:
        self._url = url
        self._model = model
        self._client = openai.OpenAI(base_url=url, api_key=api_key or "none", max_retries=3, timeout=120)

    @property
    def name(self) -> str:
        return f"openai:{self._model}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        with ThreadPoolExecutor(IN_FLIGHT) as threads:
            found = list(threads.map(self._request, batches))
        return np.concatenate(found) if found else np.zeros((0, 1), np.float32)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._request([text])[0]
        return vector

    def _request(self, texts: Sequence[str]) -> Vectors:
        try:
            response = self._client.embeddings.create(model=self._model, input=list(texts), encoding_format="base64")
            ordered = sorted(response.data, key=lambda item: item.index)
            vectors = np.array([_numbers(item.embedding) for item in ordered], dtype=np.float32)
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:  # the client checks no answers
            raise self._failure(str(error)) from error
        if len(vectors) != len(texts):
            raise self._failure(f"{len(vectors)} vectors for {len(texts)} texts")
        return unit(vectors)

    def _failure(self, what: str) -> EmbedderError:
        return EmbedderError(f"The embeddings server at {self._url} failed ({what}); start it, then try again.")


def _numbers(embedding: Any) -> Any:
    """What was asked for, 32-bit floats in base64, or the list of numbers that a server sends all the same.

    A thousand vectors of 1,024 take 0.1 s of the processor in base64, and 4 s as numbers: longer than a GPU takes.
    """
    return np.frombuffer(base64.b64decode(embedding), "<f4") if isinstance(embedding, str) else embedding
