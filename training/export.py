"""A trained table becomes the folder that ships: int8 rows, a scale a token, the tokenizer, the configurations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from training.train import LONGEST


def quantise(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Returns int8 rows and the scale of each: a learned norm says how much a token weighs, so rows differ widely."""
    scale = np.abs(table).max(axis=1) / 127
    rows = np.rint(table / np.maximum(scale, 1e-12)[:, None])
    return rows.astype(np.int8), scale.astype(np.float32)


def write(folder: Path, table: NDArray[np.float32], made: Tokenizer) -> None:
    """Writes what `model2vec.StaticModel.from_pretrained` and `SentenceTransformer` both read."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, scale = quantise(table)
    save_file({"embeddings": rows, "weights": scale}, folder / "model.safetensors")
    made.no_truncation()
    made.save(str(folder / "tokenizer.json"), pretty=False)
    _write_json(
        folder / "config.json",
        {
            "model_type": "model2vec",
            "architectures": ["StaticModel"],
            "hidden_dim": table.shape[1],
            "embedding_dtype": "int8",
            "max_length": LONGEST,
            "normalize": True,
        },
    )
    _write_json(
        folder / "modules.json",
        [
            {"idx": 0, "name": "0", "path": ".", "type": "sentence_transformers.models.StaticEmbedding"},
            {"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"},
        ],
    )


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n")
