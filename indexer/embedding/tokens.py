"""Texts become token ids, once for both that read them: the static embedder and the reranker."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.errors import EmbedderError

TokenIds = NDArray[np.uint16]

MODEL_FOLDER = Path(__file__).parent / "model"
# Distinct tokens of a text that are kept, from its beginning; chunks have about fifty, and few have more than these.
MOST_TOKENS = 96
# Some 30 MB; vLLM has 200,000.
MOST_KNOWN_WORDS = 1 << 18
_WORD = re.compile(r"\w+", re.ASCII)


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
    return _encoder(file).encode(texts)


class _Encoder:
    """The tokenizer, with the ids of the words that it has seen: code repeats its words, and looking one up is cheap.

    The built-in tokenizer never joins what `\\W` parts, so a text's ids are those of its words, one after the other.
    That is asked of ASCII alone, where Python means the same by `\\W`; another text counts as one word.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, bytes] = {}

    def encode(self, texts: Sequence[str]) -> tuple[TokenIds, ...]:
        words = [_WORD.findall(text) if text.isascii() else [text] for text in texts]
        met = set(chain.from_iterable(words))
        if len(self._known) + len(met) > MOST_KNOWN_WORDS:
            self._known = {}
        known = self._known  # threads may share it: it only grows, until another takes its place
        new = list(met - known.keys())
        encoded = self._tokenizer.encode_batch_fast(new, add_special_tokens=False)
        ids = {word: np.array(found.ids, "<u2").tobytes() for word, found in zip(new, encoded, strict=True)}
        known.update((word, found) for word, found in ids.items() if word.isascii())
        joined = (
            b"".join(map(known.__getitem__, parts)) if text.isascii() else ids[text]
            for text, parts in zip(texts, words, strict=True)
        )
        return tuple(np.frombuffer(found, dtype="<u2") for found in joined)


@lru_cache(maxsize=4)
def _encoder(file: Path) -> _Encoder:
    return _Encoder(_tokenizer(file))


def _tokenizer(file: Path) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(file))
        tokenizer.no_truncation()
        return tokenizer
    except Exception as error:  # tokenizers raises bare ones
        raise EmbedderError(f"The built-in tokenizer {file} cannot be read ({error}); reinstall repopilot.") from error
