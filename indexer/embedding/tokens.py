"""Texts become the ids of their distinct tokens: what the reranker reads of a chunk, kept with it in the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.errors import EmbedderError

TokenIds = NDArray[np.uint16]

MODEL_FOLDER = Path(__file__).parent / "model"
# Distinct tokens of a text that are read, from its beginning; chunks have about fifty, and few have more than these.
MOST_TOKENS = 96


class Tokens:
    """The tokenizer of the built-in models. A chunk's ids are stored: whoever changes it changes CHUNKER_VERSION."""

    def __init__(self, folder: Path = MODEL_FOLDER) -> None:
        self._file = folder / "tokenizer.json"

    def distinct(self, texts: Sequence[str]) -> list[TokenIds]:
        """Ids of each text's first distinct tokens, in order. Raises EmbedderError."""
        encoded = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [np.array(list(dict.fromkeys(text.ids))[:MOST_TOKENS], dtype="<u2") for text in encoded]

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        try:
            return Tokenizer.from_file(str(self._file))
        except Exception as error:  # tokenizers raises bare ones
            raise EmbedderError(
                f"The built-in tokenizer {self._file} cannot be read ({error}); reinstall repopilot."
            ) from error
