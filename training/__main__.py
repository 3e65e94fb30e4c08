"""`python -m training --cache FOLDER`: fetch, mine, train, export, measure. What a finished step left is used again."""

from __future__ import annotations

import argparse
import logging
import random
import shutil
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from training import distill, export, interaction, mine, report, vocabulary
from training.pairs import Pair
from training.train import Encoded, Settings, Table, repeated, train

SEED = 7
VOCABULARY_SAMPLE = 80_000
VALIDATION_SAMPLE = 6_000

log = logging.getLogger("training")


def main() -> None:
    options = _options()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    logging.getLogger("sentence_transformers").setLevel(logging.WARNING)
    torch.set_num_threads(options.threads)
    options.cache.mkdir(parents=True, exist_ok=True)
    if not (options.cache / "pairs-test.jsonl").exists():
        mine.mine_all(options.cache, options.threads)
    if not (options.cache / "trained.npy").exists():
        table, made = _start(options.cache)
        np.save(options.cache / "trained.npy", _trained(options.cache, table, made))
    table, made = _start(options.cache)
    trained = np.load(options.cache / "trained.npy")
    export.write(options.model, trained, made)
    if not (options.cache / interaction.FILE).exists():
        interaction.write(options.cache / interaction.FILE, _interaction(options.cache, trained, made))
    shutil.copy(options.cache / interaction.FILE, options.model)
    encoders = report.encoders_of(options.cache, options.model, table, trained, made)
    report.write(options.cache / "figures.json", encoders, options.cache)
    if options.corpus and options.questions:
        report.write_questions(options.cache / "questions.json", encoders, options.corpus, options.questions)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="folder for downloads, pairs and tables (about 2 GB)")
    parser.add_argument(
        "--model", type=Path, default=Path("indexer/embedding/model"), help="folder of the model that ships"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--questions", type=Path, nargs="*", default=[], help="question files to report on, never trained on"
    )
    parser.add_argument("--corpus", type=Path, help="the checkout that the questions are about")
    return parser.parse_args()


def _start(cache: Path) -> tuple[Table, Tokenizer]:
    """Returns the distilled table and its tokenizer, made once."""
    tokenizer_file, table_file = cache / "tokenizer.json", cache / "start.npy"
    if not table_file.exists():
        base = Tokenizer.from_file(str(distill.teacher_folder() / "tokenizer.json"))
        pieces = [base.id_to_token(n) for n in range(base.get_vocab_size())]
        made, counts = vocabulary.build(_vocabulary_texts(mine.read(cache, "train")), pieces)
        made.save(str(tokenizer_file))
        np.save(table_file, distill.token_table(made, counts))
    return np.load(table_file), Tokenizer.from_file(str(tokenizer_file))


def _vocabulary_texts(pairs: list[Pair]) -> list[str]:
    sample = random.Random(SEED).sample(pairs, min(VOCABULARY_SAMPLE, len(pairs)))
    return [text for pair in sample for text in (pair.query, pair.passage)]


def _trained(cache: Path, table: Table, made: Tokenizer) -> Table:
    check = mine.read(cache, "validation")
    check = random.Random(SEED).sample(check, min(VALIDATION_SAMPLE, len(check)))
    settings = Settings()
    pairs = repeated(mine.read(cache, "train"), settings)
    log.info("training on %d pairs", len(pairs))
    return train(table, Encoded.of(pairs, made), Encoded.of(check, made), settings)


def _interaction(cache: Path, trained: Table, made: Tokenizer) -> interaction.Model:
    settings = interaction.Settings()
    pairs, check = (interaction.Encoded.of(mine.read(cache, split), made) for split in ("train", "validation"))
    remarks = Path(__file__).with_name("asides.txt").read_text(encoding="utf-8").splitlines()
    asides = interaction.rows(remarks, made, interaction.QUESTION_TOKENS)
    return interaction.train(trained, pairs, check, asides, settings)


if __name__ == "__main__":
    main()
