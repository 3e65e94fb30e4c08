"""A cross-encoder reads the best passages again: a real one with one layer, whose words are of our making."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bot.crossencoding import CrossEncoder
from bot.retrieval import Retriever
from bot.types import Question
from fakes.embedder import HashingEmbedder
from fakes.repository import Repository
from indexer.errors import EmbedderError
from indexer.stores import Stores
from indexer.sync import sync


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    made = tmp_path_factory.mktemp("cross-encoder")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "parrot", "green", "cache", "block"]
    (made / "vocab.txt").write_text("\n".join(words) + "\n")
    BertTokenizerFast(vocab=str(made / "vocab.txt")).save_pretrained(made)
    size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8}
    BertForSequenceClassification(BertConfig(vocab_size=len(words), num_labels=1, **size)).save_pretrained(made)
    return made


def test_each_passage_gets_a_score(folder: Path) -> None:
    scores = CrossEncoder(str(folder)).scores("which parrot", ["green parrot", "cache block", ""])
    assert len(scores) == 3 and all(0 < score < 1 for score in scores)
    assert CrossEncoder(str(folder)).scores("which parrot", []) == []


def test_its_order_is_the_order_of_the_passages(folder: Path, tmp_path: Path) -> None:
    stores, repo = Stores(tmp_path / "home"), Repository(tmp_path / "repo")
    texts = ["parrot green", "parrot cache", "parrot block green", "parrot parrot"]
    repo.commit({f"{n}.md": f"# {text}\n" for n, text in enumerate(texts)})
    sync(repo.source(), stores, HashingEmbedder())
    cross_encoder = CrossEncoder(str(folder))
    found = Retriever(stores, HashingEmbedder(), cross_encoder=cross_encoder).search(Question("parrot"), 10).passages
    cards = [f"{passage.path}\n{passage.symbol}\n{passage.text}" for passage in found]
    assert len(found) == 4
    assert [passage.score for passage in found] == pytest.approx(cross_encoder.scores("parrot", cards), abs=1e-5)
    assert [passage.score for passage in found] == sorted((passage.score for passage in found), reverse=True)


def test_a_model_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match=r"cross-encoder '.*nowhere' cannot be loaded .*REPOPILOT_RERANKER"):
        CrossEncoder(str(tmp_path / "nowhere")).scores("why", ["because"])


def test_a_library_that_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EmbedderError, match=r"cross-encoder 'any' needs .*repopilot\[models\]"):
        CrossEncoder("any").scores("why", ["because"])
