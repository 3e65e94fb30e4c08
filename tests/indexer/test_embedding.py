from __future__ import annotations

import base64
import json
import shutil
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from indexer.embedding import LONGEST_CARD, card, open_embedder, tokens, unit
from indexer.embedding.remote import BATCH, RemoteEmbedder
from indexer.embedding.static import MODEL_FOLDER, StaticEmbedder
from indexer.embedding.tokens import Tokens
from indexer.errors import EmbedderError
from indexer.types import Chunk

WORDS = ("[UNK]", "block", "cache", "scheduler", "green")


def tokenizer() -> Tokenizer:
    made = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    vectors = np.eye(len(WORDS), dtype=np.float32)
    vectors[0] = 0
    StaticModel(vectors, tokenizer(), normalize=False).save_pretrained(tmp_path / "model")
    return tmp_path / "model"


def test_rows_are_scaled_to_length_one() -> None:
    made = unit(np.array([[3, 4], [0, 0], [1e-20, 0]]))
    assert made.dtype == np.float32
    assert np.allclose(made, [[0.6, 0.8], [1, 0], [1, 0]])


def test_a_card_says_where_what_and_what_it_holds() -> None:
    assert card("a.py", Chunk(1, 2, "def f(): ...", "f")) == "a.py\nf\ndef f(): ..."
    assert len(card("a.py", Chunk(1, 2, "x" * 10_000))) == LONGEST_CARD


CODE = st.lists(
    st.sampled_from(
        [
            "max_num_seqs",
            "OpenAIServer",
            "URLs",
            "s_b",
            "__init__",
            "HTTPs",
            "x1Y",
            "é",
            " ",
            ".",
            "\n",
            "-",
            "_",
            "\0",
            "中文",
            "ﬁ",
            "A" * 70,
        ]
    )
).map("".join)


@given(st.lists(st.text() | CODE, max_size=6))
def test_words_that_were_seen_give_the_ids_that_the_tokenizer_gives(texts: list[str]) -> None:
    plain = Tokenizer.from_file(str(MODEL_FOLDER / "tokenizer.json"))
    expected = [encoded.ids for encoded in plain.encode_batch_fast(texts, add_special_tokens=False)]
    assert [ids.tolist() for ids in Tokens().encode(texts)] == expected
    assert [ids.tolist() for ids in Tokens().encode([*texts, "again"])[:-1]] == expected


def test_what_is_remembered_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_KNOWN_WORDS", 10)
    for start in range(0, 60, 6):
        texts = [f"word{number} again{number}" for number in range(start, start + 6)]
        plain = Tokenizer.from_file(str(MODEL_FOLDER / "tokenizer.json")).encode_batch_fast(texts)
        assert [ids.tolist() for ids in Tokens().encode(texts)] == [encoded.ids for encoded in plain]


class TestStatic:
    def test_texts_that_share_words_are_near(self, folder: Path) -> None:
        embedder = StaticEmbedder(folder)
        vectors = embedder.embed(["block cache", "cache block block", "green"])
        query = embedder.embed_query("block")
        assert vectors.shape == (3, len(WORDS)) and query.shape == (len(WORDS),)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
        assert np.argsort(-(vectors @ query)).tolist() == [1, 0, 2]

    def test_nothing_and_unknown_words_have_vectors_too(self, folder: Path) -> None:
        embedder = StaticEmbedder(folder)
        vectors = embedder.embed(["", "zebra", "block zebra"])
        assert np.isfinite(vectors).all() and np.allclose(np.linalg.norm(vectors, axis=1), 1)

    def test_long_texts_are_read_to_the_end(self, folder: Path) -> None:
        embedder = StaticEmbedder(folder)
        assert embedder.embed(["block " * 2_000 + "green " * 2_000])[0] @ embedder.embed_query("green") > 0.6

    def test_its_name_is_that_of_its_weights(self, folder: Path, tmp_path: Path) -> None:
        copy = shutil.copytree(folder, tmp_path / "copy")
        assert StaticEmbedder(folder).name == StaticEmbedder(copy).name
        weights = copy / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-1] + b"\x01")
        assert StaticEmbedder(folder).name != StaticEmbedder(copy).name

    def test_a_missing_model_is_said(self, tmp_path: Path) -> None:
        for ask in (lambda e: e.name, lambda e: e.embed(["block"])):
            with pytest.raises(EmbedderError):
                ask(StaticEmbedder(tmp_path / "nowhere"))

    @pytest.mark.parametrize(
        ("torn", "said"),
        [("model.safetensors", r"model in .* cannot be read"), ("tokenizer.json", r"tokenizer .* cannot be read")],
    )
    def test_a_torn_model_is_said(self, folder: Path, torn: str, said: str) -> None:
        (folder / torn).write_bytes((folder / torn).read_bytes()[:20])
        with pytest.raises(EmbedderError, match=said):
            StaticEmbedder(folder).embed(["block"])

    def test_it_gives_the_vectors_of_model2vec(self) -> None:
        texts = ["def allocate_blocks(cache): ...", "Die Zähler ✓ QKVParallelLinear", "", "a\n\tb " * 300]
        ours, theirs = StaticEmbedder().embed(texts), StaticModel.from_pretrained(MODEL_FOLDER).encode(texts)
        assert np.allclose(np.delete(ours, 2, 0), np.delete(theirs, 2, 0), atol=1e-5)

    def test_no_texts_have_no_vectors(self) -> None:
        assert StaticEmbedder().embed([]).shape == (0, 256)

    @pytest.mark.skipif(not MODEL_FOLDER.is_dir(), reason="the built-in model is made by training/")
    def test_the_built_in_model_knows_code(self) -> None:
        embedder = open_embedder()
        vectors = embedder.embed(["def allocate_blocks(cache): ...", "The parrot on the sign is green."])
        assert np.argmax(vectors @ embedder.embed_query("Where are cache blocks allocated?")) == 0


class Script:
    """What the embeddings server answers: a list of (status, body or None for real vectors), the last one repeated."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, Any]] = [(200, None)]
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []

    def next(self) -> tuple[int, Any]:
        return self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]


def embedding(text: str) -> list[float]:
    return [float(text.count(word)) for word in WORDS]


def packed(numbers: list[float], encoding: str) -> str | list[float]:
    return base64.b64encode(np.array(numbers, "<f4").tobytes()).decode() if encoding == "base64" else numbers


class Handler(BaseHTTPRequestHandler):
    script: Script

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.script.asked.append(request)
        self.script.keys.append(self.headers["Authorization"])
        status, body = self.script.next()
        if body is None:
            data = [
                {"object": "embedding", "index": i, "embedding": packed(embedding(t), request["encoding_format"])}
                for i, t in enumerate(request["input"])
            ]
            body = {"object": "list", "model": request["model"], "data": data[::-1], "usage": {}}
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body.encode() if isinstance(body, str) else json.dumps(body).encode())

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def url(script: Script) -> Iterator[str]:
    """A real server of `/v1/embeddings` on loopback, which answers out of order."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Scripted", (Handler,), {"script": script}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


class TestRemote:
    def test_vectors_come_in_the_order_of_the_texts(self, url: str, script: Script) -> None:
        embedder = open_embedder("tiny", url, "sesame")
        vectors = embedder.embed(["block", "green", "cache cache block"])
        assert vectors.dtype == np.float32 and np.allclose(np.linalg.norm(vectors, axis=1), 1)
        assert np.argmax(vectors, axis=1).tolist() == [1, 4, 2]
        assert embedder.embed_query("green").tolist() == [0, 0, 0, 0, 1]
        assert embedder.name == "openai:tiny"
        assert set(script.keys) == {"Bearer sesame"}
        assert {request["model"] for request in script.asked} == {"tiny"}

    def test_many_texts_are_sent_in_batches(self, url: str, script: Script) -> None:
        vectors = RemoteEmbedder(url, "tiny", None).embed(["block"] * BATCH + ["green"] * BATCH + ["cache"])
        assert sorted(len(request["input"]) for request in script.asked) == [1, BATCH, BATCH]
        assert np.argmax(vectors, axis=1).tolist() == [1] * BATCH + [4] * BATCH + [2]

    def test_a_server_that_sends_numbers_all_the_same_is_read(self, url: str, script: Script) -> None:
        script.steps = [(200, {"object": "list", "data": [{"index": 0, "embedding": [3.0, 4.0]}]})]
        assert RemoteEmbedder(url, "tiny", None).embed_query("green").tolist() == pytest.approx([0.6, 0.8])

    def test_no_text_is_no_request(self, url: str, script: Script) -> None:
        assert len(RemoteEmbedder(url, "tiny", None).embed([])) == 0
        assert script.asked == []

    def test_a_server_that_is_busy_is_asked_again(self, url: str, script: Script) -> None:
        script.steps = [(503, {"error": {"message": "busy"}}), (200, None)]
        assert RemoteEmbedder(url, "tiny", None).embed_query("green").argmax() == 4

    @pytest.mark.parametrize(
        ("status", "body"),
        [
            (400, {"error": {"message": "maximum context length is 512"}}),
            (404, {"error": {"message": "The model `tiny` does not exist"}}),
            (200, "<html>not a model</html>"),
            (200, {"object": "list", "data": []}),
            (200, {"object": "list", "data": [{"index": 0, "embedding": [1.0, 2.0]}]}),
            (
                200,
                {"object": "list", "data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]},
            ),
            (200, {"object": "list", "data": None}),
            (
                200,
                {"object": "list", "data": [{"index": 0, "embedding": "AAA"}, {"index": 1, "embedding": "AACAPw=="}]},
            ),
            (200, {"error": {"message": "no"}}),
        ],
    )
    def test_an_answer_without_a_vector_for_each_text_is_said(
        self, url: str, script: Script, status: int, body: Any
    ) -> None:
        script.steps = [(status, body)]
        with pytest.raises(
            EmbedderError, match=r"The embeddings server at http://127\.0\.0\.1:\d+/v1 failed \(.+\); start"
        ):
            RemoteEmbedder(url, "tiny", None).embed(["block", "green"])


@pytest.fixture(scope="module")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real sentence-transformers model without layers: a table of word vectors."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding

    table = StaticEmbedding(tokenizer(), embedding_weights=np.eye(len(WORDS), dtype=np.float32))
    made = tmp_path_factory.mktemp("transformer")
    SentenceTransformer(modules=[table], device="cpu").save(str(made))
    return made


def test_a_transformer_in_a_folder(transformer: Path) -> None:
    embedder = open_embedder(str(transformer))
    vectors = embedder.embed(["block cache", "green"])
    assert vectors.dtype == np.float32 and np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.argmax(vectors @ embedder.embed_query("green")) == 1
    assert embedder.name == f"sentence-transformers:{transformer}"


def test_a_transformer_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match=r"model '.*nowhere' cannot be loaded .*REPOPILOT_EMBEDDER"):
        open_embedder(str(tmp_path / "nowhere")).embed(["block"])


def test_a_transformer_without_its_library_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EmbedderError, match=r"model 'any' needs .*repopilot\[models\]"):
        open_embedder("any").embed(["block"])
