"""The built-in embedder: a static model made by `training/`, read by tokenizers and NumPy alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from indexer.embedding import Vectors, unit
from indexer.embedding.tokens import MODEL_FOLDER
from indexer.errors import EmbedderError

WEIGHTS = "model.safetensors"


class StaticEmbedder:
    """A table of token vectors; a text is the mean of its tokens. No torch, no network."""

    def __init__(self, folder: Path = MODEL_FOLDER) -> None:
        self._folder = folder

    @cached_property
    def name(self) -> str:
        return f"static-{self._digest()[:12]}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        return unit(self._model.encode(list(texts), max_length=None, use_multiprocessing=False))

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector

    def _digest(self) -> str:
        try:
            return hashlib.sha256((self._folder / WEIGHTS).read_bytes()).hexdigest()
        except OSError as error:
            raise EmbedderError(f"The built-in embedding model is missing ({error}); reinstall repopilot.") from error

    @cached_property
    def _model(self) -> Any:
        # Read here rather than by `from_pretrained`, whose hub client costs every question on the command line 0.2 s.
        from model2vec import StaticModel
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        try:
            arrays = load_file(self._folder / WEIGHTS)
            tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
            # The scales of the int8 rows, applied once and not to each text: 2,700 texts a second instead of 1,970.
            table = arrays["embeddings"] * arrays.get("weights", np.ones(1, np.float32))[:, None]
            return StaticModel(table, tokenizer, normalize=True)
        except Exception as error:  # safetensors and tokenizers raise errors of their own, and bare ones
            raise EmbedderError(f"The embedding model in {self._folder} cannot be read ({error}).") from error
