"""Late interaction: each token of a question finds the most similar token of a passage."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from bot.reranking import MOST_QUESTION_TOKENS, Interaction, Reranker
from indexer.chunking import CHUNKER_VERSION
from indexer.embedding.tokens import MOST_TOKENS, Tokens
from indexer.errors import EmbedderError

TABLE = np.array([[3.0, 0.0], [0.0, 2.0], [1.0, 1.0], [-1.0, 0.0]], dtype=np.float32)


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.uint16)


def test_a_score_is_the_weighted_mean_of_the_best_cosines() -> None:
    interaction = Interaction(TABLE, np.array([3.0, 1.0, 1.0, 1.0], dtype=np.float32))
    found = interaction.scores(ids(0, 1), {7: ids(0), 8: ids(1, 2), 9: ids(0, 1), 4: ids(3)})
    root = 0.5**0.5
    assert found == pytest.approx({7: 3 / 4, 8: (3 * root + 1) / 4, 9: 1.0, 4: -3 / 4}, abs=1e-6)


def test_nothing_to_read_gives_nothing() -> None:
    interaction = Interaction(TABLE, np.ones(4, dtype=np.float32))
    assert interaction.scores(ids(), {1: ids(0)}) == {}
    assert interaction.scores(ids(0), {1: ids()}) == {}
    assert interaction.scores(ids(0), {}) == {}


def test_of_a_long_question_the_weightiest_tokens_are_read() -> None:
    count = MOST_QUESTION_TOKENS + 10
    interaction = Interaction(np.eye(count, dtype=np.float32), np.arange(count, dtype=np.float32))
    found = interaction.scores(ids(*range(count)), {1: ids(0), 2: ids(count - 1)})
    assert found[1] == 0 < found[2]


def scores(question: str, *passages: str) -> dict[str, list[float]]:
    tokens = [found.tobytes() for found in Tokens().distinct(passages)]
    read = Reranker().scores(question, dict(enumerate(tokens)))
    return {name: [found[n] for n in range(len(passages))] for name, found in read.items()}


def test_the_built_in_models_find_what_is_meant() -> None:
    about = ("def evict(self):\n    # drop the least recently used entry", "def parse_header(line):\n    return line")
    for name, (evicts, parses) in scores("which old cache items are removed first", *about).items():
        assert evicts > parses, name


def test_texts_are_as_like_a_question_as_they_read() -> None:
    evicts, parses, nothing = Reranker().likeness(
        "which old cache items are removed first", ["evict the least recently used entry", "def parse(line): ...", ""]
    )
    assert 1 >= evicts > parses > -1 and nothing == 0.0
    assert Reranker().likeness("why", []) == [] and Reranker().likeness("", ["text"]) == [0.0]


def test_every_token_that_the_tokenizer_knows_has_a_row() -> None:
    reranker = Reranker()
    size = Tokenizer.from_file(str(Tokens()._file)).get_vocab_size()
    assert [len(i._table) for i in reranker._interactions.values()] == [size, size]
    assert [len(i._weights) for i in reranker._interactions.values()] == [size, size]


def test_a_text_has_few_tokens_and_each_once() -> None:
    long, empty = Tokens().distinct([" ".join(f"word{n} other" for n in range(500)), ""])
    assert len(long) == len(set(long.tolist())) <= MOST_TOKENS
    assert len(empty) == 0


def test_missing_models_are_said(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match=r"tokenizer .*tokenizer\.json cannot be read .*reinstall repopilot"):
        Reranker(tmp_path).scores("why", {})
    (tmp_path / "tokenizer.json").write_bytes((Tokens()._file).read_bytes())
    with pytest.raises(EmbedderError, match="reinstall repopilot"):
        Reranker(tmp_path).scores("why", {1: b"\1\0"})


def test_the_tokenizer_is_the_one_that_stored_ids_were_made_with() -> None:
    digest = hashlib.sha256(Tokens()._file.read_bytes()).hexdigest()
    assert (digest[:16], CHUNKER_VERSION) == ("b1d580e6d9231f57", 2), (
        "a new tokenizer needs a new CHUNKER_VERSION, and both stand here"
    )
