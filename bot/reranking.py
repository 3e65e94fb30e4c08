"""Question and passage are read together, token by token: late interaction, as ColBERT does it, over static vectors.

Each token of a question finds the token of a passage that is most like it; what all of them find, weighed by how much
each says, is the passage's score. It costs one small matrix product a question, since passages are kept as token ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexer.embedding.static import token_table
from indexer.embedding.tokens import MODEL_FOLDER, TokenIds, Tokens
from indexer.errors import EmbedderError

# Past this many distinct tokens of a question (a pasted log) only the weightiest are read.
MOST_QUESTION_TOKENS = 64


class Interaction:
    """A table of token vectors, (tokens, dimension), and what each token weighs in a question, (tokens,)."""

    def __init__(self, table: NDArray[np.float32], weights: NDArray[np.float32]) -> None:
        lengths = np.linalg.norm(table, axis=1, keepdims=True)
        self._table = table / np.maximum(lengths, 1e-9)
        self._weights = weights

    def scores(self, asked: TokenIds, passages: Mapping[int, TokenIds]) -> dict[int, float]:
        """Of each passage by its key: -1 to 1, the weighted mean over the question's tokens of the greatest cosine to a
        token of the passage. Passages without tokens are left out."""
        read = {key: ids for key, ids in passages.items() if len(ids)}
        if not len(asked) or not read:
            return {}
        weightiest = asked[np.argsort(-self._weights[asked], kind="stable")[:MOST_QUESTION_TOKENS]]
        weights = self._weights[weightiest] / self._weights[weightiest].sum()
        distinct, places = np.unique(np.concatenate(list(read.values())), return_inverse=True)
        likeness = (self._table[weightiest] @ self._table[distinct].T)[:, places]
        starts = np.cumsum([0, *map(len, read.values())])[:-1]
        found = weights @ np.maximum.reduceat(likeness, starts, axis=1)
        return dict(zip(read, found.tolist(), strict=True))


class Reranker:
    """Two readings of the same tokens: by vectors trained for it, and by those of the built-in embedder."""

    def __init__(self, folder: Path = MODEL_FOLDER) -> None:
        self._folder = folder
        self._tokens = Tokens(folder)

    def scores(self, question: str, passages: Mapping[int, bytes]) -> dict[str, dict[int, float]]:
        """Scores by reading and chunk id; `passages` are token ids as the catalog keeps them. Raises EmbedderError."""
        asked = self._tokens.distinct([question])[0]
        read = {chunk_id: np.frombuffer(ids, dtype="<u2") for chunk_id, ids in passages.items()}
        return {name: interaction.scores(asked, read) for name, interaction in self._interactions.items()}

    def likeness(self, question: str, texts: Sequence[str]) -> list[float]:
        """How like the question each text reads by the vectors trained for it, -1 to 1; 0 of a text without tokens."""
        asked, *read = self._tokens.distinct([question, *texts])
        scores = self._interactions["late"].scores(asked, dict(enumerate(read)))
        return [scores.get(number, 0.0) for number in range(len(texts))]

    @cached_property
    def _interactions(self) -> dict[str, Interaction]:
        from safetensors.numpy import load_file

        try:
            trained = load_file(self._folder / "interaction.safetensors")
        except Exception as error:  # safetensors raises errors of its own, and bare ones
            raise EmbedderError(
                f"The built-in models in {self._folder} cannot be read ({error}); reinstall repopilot."
            ) from error
        table = token_table(self._folder)
        return {
            "late": Interaction(trained["rows"].astype(np.float32), trained["weights"].astype(np.float32)),
            "tokens": Interaction(table, np.linalg.norm(table, axis=1)),  # training made what says much long
        }
