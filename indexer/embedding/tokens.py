"""Texts become token ids, once for both that read them: the static embedder and the reranker."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.errors import EmbedderError

TokenIds = NDArray[np.uint16]

MODEL_FOLDER = Path(__file__).parent / "model"
# Distinct tokens of a text that are kept, from its beginning; chunks have about fifty, and few have more than these.
MOST_TOKENS = 96


class Tokens:
    """The tokenizer of the built-in models. A chunk's ids are stored: whoever changes it changes CHUNKER_VERSION."""

    def __init__(self, folder: Path = MODEL_FOLDER) -> None:
        self._file = folder / "tokenizer.json"

    def encode(self, texts: Sequence[str]) -> tuple[TokenIds, ...]:
        """All token ids of each text. Raises EmbedderError."""
        return _encode(self._file, tuple(texts))

    def distinct(self, texts: Sequence[str]) -> list[TokenIds]:
        """Each text's first distinct ids, in order. Raises EmbedderError."""
        return [np.array(list(dict.fromkeys(ids.tolist()))[:MOST_TOKENS], dtype="<u2") for ids in self.encode(texts)]


@lru_cache(maxsize=2)  # a batch is encoded for the catalog's rows and, a moment later, for the vectors
def _encode(file: Path, texts: tuple[str, ...]) -> tuple[TokenIds, ...]:
    encoded = _tokenizer(file).encode_batch_fast(list(texts), add_special_tokens=False)
    return tuple(np.array(text.ids, dtype=np.uint16) for text in encoded)


@lru_cache(maxsize=4)
def _tokenizer(file: Path) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(file))
        tokenizer.no_truncation()
        return tokenizer
    except Exception as error:  # tokenizers raises bare ones
        raise EmbedderError(f"The built-in tokenizer {file} cannot be read ({error}); reinstall repopilot.") from error
