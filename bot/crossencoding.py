"""A cross-encoder as a last reading, on machines that have the time: a setting. Importing torch takes seconds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from indexer.embedding.transformer import NOT_INSTALLED
from indexer.errors import EmbedderError

BATCH = 32


class CrossEncoder:
    """Any sentence-transformers cross-encoder, by name or folder."""

    def __init__(self, model: str) -> None:
        self._model_name = model

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """How well each passage answers, 0 to 1. Raises EmbedderError when the model cannot be loaded."""
        if not passages:
            return []
        model = self._model
        from torch.nn import Sigmoid

        pairs = [(question, passage) for passage in passages]
        found = model.predict(pairs, batch_size=BATCH, activation_fn=Sigmoid(), show_progress_bar=False)
        return [float(score) for score in found]

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import CrossEncoder as Model

            return Model(self._model_name, num_labels=1)
        except ImportError as error:
            raise EmbedderError(NOT_INSTALLED.format(what=f"The cross-encoder {self._model_name!r}")) from error
        except (OSError, ValueError) as error:
            raise EmbedderError(
                f"The cross-encoder {self._model_name!r} cannot be loaded ({error}); give a folder or a model that is"
                " downloaded, or unset REPOPILOT_RERANKER."
            ) from error
