"""Pairs and a starting table become a trained table: contrastive, both ways, with negatives of the same package."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from tokenizers import Tokenizer
from torch import Tensor
from torch.autograd.function import FunctionCtx
from torch.nn.functional import cross_entropy, normalize

from training.pairs import Pair

log = logging.getLogger(__name__)

Indices = NDArray[np.int64]
Table = NDArray[np.float32]
LONGEST = 512
"""Tokens of a text; the model's configuration says the same."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Chosen on the validation packages."""

    epochs: int = 3
    batch: int = 2_048
    block: int = 256
    """Pairs of one package that stand together in a batch: negatives that share its vocabulary."""
    rate: float = 2e-3
    scale: float = 20.0
    dropout: float = 0.15
    """Share of a text's tokens that a step leaves out: names that only one package has are not leant on."""
    repeats: int = 3
    """How often an epoch shows the kinds in RARE: few are mined, and people ask in their manner."""
    seed: int = 7


RARE = {"heading", "sentence", "mention", "option", "field"}


@dataclass(frozen=True, slots=True)
class Tokens:
    """Texts as token ids in one flat array; text n is ids[starts[n]:starts[n + 1]]."""

    ids: NDArray[np.uint16]
    starts: Indices

    @classmethod
    def encode(cls, texts: Sequence[str], made: Tokenizer) -> Self:
        rows = [np.array(ids, dtype=np.uint16) for ids in encoded(texts, made)]
        return cls(np.concatenate(rows), np.cumsum([0, *map(len, rows)], dtype=np.int64))

    def take(self, chosen: Indices, vocabulary: int, kept: float, rng: np.random.Generator) -> csr_matrix:
        """Returns the matrix that averages token rows into text rows, each token kept with the given probability."""
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        ends = np.cumsum(lengths)
        flat = np.arange(ends[-1]) + np.repeat(self.starts[chosen] - ends + lengths, lengths)
        bounds = np.concatenate([[0], ends])
        if kept < 1:
            stays = rng.random(len(flat)) < kept
            bounds = np.concatenate([[0], np.cumsum(stays)])[bounds]
            flat = flat[stays]
        shares = np.repeat(1 / np.maximum(np.diff(bounds), 1), np.diff(bounds)).astype(np.float32)
        return csr_matrix((shares, self.ids[flat], bounds), shape=(len(chosen), vocabulary))


def encoded(texts: Sequence[str], made: Tokenizer) -> Iterator[list[int]]:
    """Yields the token ids of each text."""
    made.enable_truncation(LONGEST)
    for at in range(0, len(texts), 8_192):
        for text in made.encode_batch_fast(list(texts[at : at + 8_192]), add_special_tokens=False):
            yield text.ids


@dataclass(frozen=True, slots=True)
class Encoded:
    """Pairs as the trainer reads them; pairs of one `origin` are no negatives for each other."""

    queries: Tokens
    passages: Tokens
    origin: Indices
    package: Indices
    kind: Indices

    @classmethod
    def of(cls, pairs: Sequence[Pair], made: Tokenizer) -> Self:
        return cls(
            Tokens.encode([p.query for p in pairs], made),
            Tokens.encode([p.passage for p in pairs], made),
            np.unique([p.origin for p in pairs], return_inverse=True)[1],
            np.unique([p.package for p in pairs], return_inverse=True)[1],
            np.unique([p.kind for p in pairs], return_inverse=True)[1],
        )

    def __len__(self) -> int:
        return len(self.origin)


class Mean(torch.autograd.Function):
    """`average @ table` by SciPy: what an EmbeddingBag computes, both ways, in a tenth of its time on a CPU."""

    @staticmethod
    def forward(ctx: FunctionCtx, table: Tensor, average: csr_matrix) -> Tensor:
        ctx.average = average  # type: ignore[attr-defined]
        return torch.from_numpy(average @ table.detach().numpy())

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None]:
        return torch.from_numpy(ctx.average.T @ gradient.numpy()), None  # type: ignore[attr-defined]


def train(start: Table, pairs: Encoded, check: Encoded, settings: Settings) -> Table:
    """Returns the table after the last epoch; logs the loss and the validation figure of each."""
    rng = np.random.default_rng(settings.seed)
    table = torch.nn.Parameter(torch.from_numpy(start.copy()))
    optimiser = torch.optim.Adam([table], lr=settings.rate)
    steps = settings.epochs * (len(pairs) // settings.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, settings.rate, total_steps=steps + 1, pct_start=0.05)
    log.info("start: validation MRR %.4f", reciprocal_rank(table, check))
    for epoch in range(settings.epochs):
        started, losses = time.perf_counter(), []
        for chosen in batches(pairs.package, settings, rng):
            loss = contrast(table, pairs, chosen, settings, rng)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        figure, seconds = reciprocal_rank(table, check), time.perf_counter() - started
        log.info("epoch %d: loss %.4f, validation MRR %.4f, %.0f s", epoch + 1, np.mean(losses), figure, seconds)
    return table.detach().numpy().copy()


def repeated(pairs: Sequence[Pair], settings: Settings) -> list[Pair]:
    """Returns the pairs, those of a rare kind several times."""
    return [*pairs, *(settings.repeats - 1) * [p for p in pairs if p.kind in RARE]]


def batches(package: Indices, settings: Settings, rng: np.random.Generator) -> Iterator[Indices]:
    """Yields full batches of pair indices, each made of blocks of one package; every pair comes about once."""
    blocks = []
    for name in np.unique(package):
        members = rng.permutation(np.flatnonzero(package == name))
        blocks += [members[at : at + settings.block] for at in range(0, len(members), settings.block)]
    mixed = np.concatenate([blocks[n] for n in rng.permutation(len(blocks))])
    for at in range(0, len(mixed) - settings.batch + 1, settings.batch):
        yield mixed[at : at + settings.batch]


def contrast(table: Tensor, pairs: Encoded, chosen: Indices, settings: Settings, rng: np.random.Generator) -> Tensor:
    """Returns the mean cross-entropy of finding each passage by its query, and each query by its passage."""
    kept = 1 - settings.dropout
    queries = embed(table, pairs.queries.take(chosen, len(table), kept, rng))
    passages = embed(table, pairs.passages.take(chosen, len(table), kept, rng))
    scores = settings.scale * queries @ passages.T
    scores = scores.masked_fill(of_one_origin(pairs.origin[chosen]), float("-inf"))
    target = torch.arange(len(chosen))
    return (cross_entropy(scores, target) + cross_entropy(scores.T, target)) / 2


def of_one_origin(origin: Indices) -> Tensor:
    """Returns which pairs of a batch are no negatives for which others, shape (pairs, pairs)."""
    numbers = torch.from_numpy(origin)
    return (numbers[:, None] == numbers[None, :]).fill_diagonal_(False)


def embed(table: Tensor, average: csr_matrix) -> Tensor:
    mean: Tensor = Mean.apply(table, average)  # type: ignore[no-untyped-call]
    return normalize(mean, dim=1)


@torch.no_grad()
def reciprocal_rank(table: Tensor, pairs: Encoded) -> float:
    """Returns the mean reciprocal rank of each query's passage among all the pairs' passages: the mean over kinds."""
    rng, size = np.random.default_rng(0), len(table)
    parts = np.array_split(np.arange(len(pairs)), max(1, len(pairs) // 2_048))
    passages = torch.cat([embed(table, pairs.passages.take(part, size, 1.0, rng)) for part in parts])
    found = np.zeros(len(pairs))
    for part in parts:
        scores = embed(table, pairs.queries.take(part, size, 1.0, rng)) @ passages.T
        own = scores[torch.arange(len(part)), torch.from_numpy(part)]
        found[part] = 1 / (scores > own[:, None]).sum(dim=1).add(1).numpy()
    return float(np.mean([found[pairs.kind == kind].mean() for kind in np.unique(pairs.kind)]))
