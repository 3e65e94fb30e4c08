"""The figures of the model card: the distilled start, the trained table, what ships, and the teacher on a sample."""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Sequence
from pathlib import Path

from model2vec import StaticModel
from model2vec.distill import distill
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer

from training import evaluate, mine
from training.distill import DIMENSIONS, teacher_folder
from training.evaluate import Encoder, static_encoder
from training.train import LONGEST, Table

TEACHER_SAMPLE = 1_000
TEACHER_TOKENS = 256
SPEED_SAMPLE = 10_000
SEED = 7

log = logging.getLogger(__name__)


def write(file: Path, encoders: dict[str, Encoder], cache: Path) -> None:
    """Writes held-out figures and speed of every model as JSON; the teacher, being slow, sees a sample only."""
    pairs = mine.read(cache, "test")
    sample = random.Random(SEED).sample(pairs, min(TEACHER_SAMPLE, len(pairs)))
    texts = [p.passage for p in pairs[:SPEED_SAMPLE]]
    figures: dict[str, dict[str, object]] = {}
    for name, encode in encoders.items():
        figures[name] = {
            "held out": evaluate.held_out(encode, pairs, by_kind=True),
            "sample": evaluate.held_out(encode, sample)["all"],
            "texts a second": round(evaluate.speed(encode, texts)),
        }
        log.info("%s: %s", name, {k: v for k, v in figures[name].items() if k != "held out"})
    figures["teacher"] = {"sample": evaluate.held_out(teacher_encoder(), sample)["all"]}
    file.write_text(json.dumps(figures, indent=1) + "\n")


def encoders_of(cache: Path, model: Path, start: Table, trained: Table, made: Tokenizer) -> dict[str, Encoder]:
    """Returns the models that the card compares, by name."""
    if not (cache / "distilled").exists():
        plain = distill(str(teacher_folder()), pca_dims=DIMENSIONS, quantize_to="float32", device="cpu")
        plain.save_pretrained(cache / "distilled")
    return {
        "distilled": static_encoder(StaticModel.from_pretrained(cache / "distilled")),
        "start": static_encoder(StaticModel(start, made, normalize=True, max_length=LONGEST)),
        "trained": static_encoder(StaticModel(trained, made, normalize=True, max_length=LONGEST)),
        "shipped": static_encoder(StaticModel.from_pretrained(model)),
    }


def teacher_encoder() -> Encoder:
    """Returns the teacher itself, 256 tokens of a text at most."""
    teacher = SentenceTransformer(str(teacher_folder()), device="cpu")
    teacher.max_seq_length = TEACHER_TOKENS
    return lambda texts: evaluate.unit(teacher.encode(list(texts), batch_size=64))


def write_questions(file: Path, encoders: dict[str, Encoder], corpus: Path, questions: Sequence[Path]) -> None:
    """Writes the figures of known questions about one repository as JSON: reported, never trained or chosen on."""
    chunks = evaluate.repository_chunks(corpus)
    asked = evaluate.read_questions(questions)
    figures = {name: evaluate.questions(encode, chunks, asked) for name, encode in encoders.items()}
    log.info("%d chunks: %s", len(chunks), figures)
    file.write_text(json.dumps({"chunks": len(chunks), "figures": figures}, indent=1) + "\n")
