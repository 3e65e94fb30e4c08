"""Any sentence-transformers model, by name or folder. Importing torch takes seconds: only where it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from indexer.embedding import Vectors, unit
from indexer.errors import EmbedderError

BATCH = 64

NOT_INSTALLED = "{what} needs sentence-transformers, which is not installed: run `pip install 'repopilot[models]'`."


class TransformerEmbedder:
    def __init__(self, model: str) -> None:
        self._model_name = model

    @property
    def name(self) -> str:
        return f"sentence-transformers:{self._model_name}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        encoded = self._model.encode_document(list(texts), batch_size=BATCH, show_progress_bar=False)
        return unit(encoded)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = unit(self._model.encode_query([text], show_progress_bar=False))[0]
        return vector

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer

            return SentenceTransformer(self._model_name)
        except ImportError as error:
            raise EmbedderError(NOT_INSTALLED.format(what=f"The model {self._model_name!r}")) from error
        except (OSError, ValueError) as error:
            raise EmbedderError(
                f"The sentence-transformers model {self._model_name!r} cannot be loaded ({error}); give a folder"
                " or a model that is downloaded, or unset REPOPILOT_EMBEDDER."
            ) from error
