"""The reranker's table: token vectors and weights trained for late interaction, from the table of the embedder.

A question's score for a passage is the weighted mean, over the question's tokens, of the greatest cosine to a token of
the passage. Each question is told from the other passages of its batch, mostly of one package and like its own.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.autograd.function import FunctionCtx
from torch.nn.functional import cross_entropy, normalize, softplus

from training.export import quantise
from training.pairs import Pair
from training.train import Indices, Table, encoded, of_one_origin

log = logging.getLogger(__name__)

FILE = "interaction.safetensors"
QUESTION_TOKENS = 24
PASSAGE_TOKENS = 96
"""As many as the indexer keeps (indexer/embedding/tokens.py)."""

Rows = NDArray[np.int64]
"""Token ids of texts, shape (texts, tokens), -1 where a text has no more."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Chosen on the validation packages."""

    dimension: int = 128
    block: int = 64
    """Pairs of one package that stand together; a batch is two blocks."""
    alike: float = 0.6
    """Share of the blocks whose passages are like each other: hard negatives."""
    rate: float = 1e-3
    weight_rate: float = 5e-3
    asides: float = 0.4
    """Share of the questions that get up to three remarks of asides.txt: people do not only ask."""
    hidden: float = 0.2
    """Share of a question's tokens that may not find themselves, but only what is like them."""
    steps: int = 1_200
    """Batches; an epoch has 2,756, and the validation figure no longer rose after the first thousand."""
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Encoded:
    """Pairs as rows of distinct tokens; pairs of one `origin` are no negatives for each other."""

    questions: Rows
    passages: Rows
    origin: Indices
    package: Indices

    @classmethod
    def of(cls, pairs: Sequence[Pair], made: Tokenizer) -> Encoded:
        return cls(
            rows([p.query for p in pairs], made, QUESTION_TOKENS),
            rows([p.passage for p in pairs], made, PASSAGE_TOKENS),
            np.unique([p.origin for p in pairs], return_inverse=True)[1],
            np.unique([p.package for p in pairs], return_inverse=True)[1],
        )


@dataclass(slots=True)
class Model:
    """`table` (tokens, dimension), `weights` (tokens,) before softplus, `scale` of the loss as a logarithm."""

    table: torch.nn.Parameter
    weights: torch.nn.Parameter
    scale: torch.nn.Parameter

    @classmethod
    def of(cls, table: Table, dimension: int) -> Model:
        lengths = np.linalg.norm(table, axis=1)
        unit = table / np.maximum(lengths, 1e-9)[:, None]
        directions = np.linalg.svd(unit, full_matrices=False)[2][:dimension]
        weights = np.maximum(lengths / lengths.mean(), 0.02)
        return cls(
            torch.nn.Parameter(torch.from_numpy((unit @ directions.T).astype(np.float32))),
            torch.nn.Parameter(torch.from_numpy(np.log(np.expm1(weights)).astype(np.float32))),
            torch.nn.Parameter(torch.tensor(3.0)),
        )


class Lookup(torch.autograd.Function):
    """`table[ids]`, its gradient summed by `index_add_`: several times as fast as the built-in one on a CPU."""

    @staticmethod
    def forward(ctx: FunctionCtx, table: Tensor, ids: Tensor) -> Tensor:
        ctx.save_for_backward(ids)
        ctx.rows = len(table)  # type: ignore[attr-defined]
        return table[ids]

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor, None]:
        (ids,) = ctx.saved_tensors  # type: ignore[attr-defined]
        return torch.zeros(ctx.rows, gradient.shape[1]).index_add_(0, ids, gradient), None  # type: ignore[attr-defined]


def rows(texts: Sequence[str], made: Tokenizer, most: int) -> Rows:
    """Returns the first distinct tokens of each text."""
    found = np.full((len(texts), most), -1, dtype=np.int64)
    for row, ids in zip(found, encoded(texts, made), strict=True):
        distinct = list(dict.fromkeys(ids))[:most]
        row[: len(distinct)] = distinct
    return found


def train(start: Table, pairs: Encoded, check: Encoded, asides: Rows, settings: Settings) -> Model:
    """Returns the trained model; logs the loss and the validation figure."""
    rng, model = np.random.default_rng(settings.seed), Model.of(start, settings.dimension)
    vectors, check_vectors = pooled(start, pairs.passages), pooled(start, check.passages)
    groups = [([model.table], settings.rate), ([model.weights], settings.weight_rate), ([model.scale], 1e-2)]
    optimiser = torch.optim.Adam([{"params": list(parameters), "lr": rate} for parameters, rate in groups])
    batches = list(islice(_batches(pairs, vectors, settings, rng), settings.steps))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [rate for _, rate in groups], total_steps=len(batches) + 1, pct_start=0.05
    )
    log.info("interaction, start: validation MRR %.4f", reciprocal_rank(model, check, check_vectors, settings))
    started, losses = time.perf_counter(), []
    for step, chosen in enumerate(batches, start=1):
        loss = contrast(model, pairs, chosen, asides, settings, rng)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
        if step % 250 == 0:
            seconds = time.perf_counter() - started
            log.info("interaction, %d of %d: loss %.4f, %.0f s", step, len(batches), np.mean(losses[-250:]), seconds)
    log.info("interaction: validation MRR %.4f", reciprocal_rank(model, check, check_vectors, settings))
    return model


def write(file: Path, model: Model) -> None:
    """Writes what bot/reranking.py reads: int8 rows, of which only the direction counts, and a weight a token."""
    directions, _ = quantise(normalize(model.table.detach(), dim=1).numpy())
    save_file({"rows": directions, "weights": softplus(model.weights.detach()).numpy().astype(np.float16)}, file)


def contrast(
    model: Model, pairs: Encoded, chosen: Indices, asides: Rows, settings: Settings, rng: np.random.Generator
) -> Tensor:
    """Returns the mean cross-entropy of finding each passage by its question."""
    questions = torch.from_numpy(with_asides(pairs.questions[chosen], asides, settings.asides, rng))
    found = scores(model, questions, torch.from_numpy(pairs.passages[chosen]), settings.hidden, rng) * model.scale.exp()
    found = found.masked_fill(of_one_origin(pairs.origin[chosen]), -1e4)
    return cross_entropy(found, torch.arange(len(chosen)))


def scores(
    model: Model, questions: Tensor, passages: Tensor, hidden: float = 0.0, rng: np.random.Generator | None = None
) -> Tensor:
    """Returns the score of each question for each passage, shape (questions, passages).

    Which token finds which is decided first; only the cosines of what was found are differentiated.
    """
    passages = passages[:, : int((passages >= 0).sum(1).max())]
    owner, column = torch.nonzero(questions >= 0, as_tuple=True)
    asked = questions[owner, column]
    distinct, places = torch.unique(torch.cat([asked, passages[passages >= 0]]), return_inverse=True)
    unit = normalize(Lookup.apply(model.table, distinct), dim=1)  # type: ignore[no-untyped-call]
    asked_places = places[: len(asked)]
    passage_places = torch.full(passages.shape, len(distinct))
    passage_places[passages >= 0] = places[len(asked) :]
    with torch.no_grad():
        likeness = torch.cat([unit[asked_places] @ unit.T, torch.full((len(asked), 1), -1.0)], dim=1)
        if hidden and rng is not None:
            alone = torch.from_numpy(np.flatnonzero(rng.random(len(asked)) < hidden))
            likeness[alone, asked_places[alone]] = -1
        best = likeness[:, passage_places.reshape(-1)].view(len(asked), *passages.shape).max(-1).indices
        rows_of = torch.arange(len(passages))[None, :].expand_as(best)
        found = passage_places[rows_of, best].clamp_max(len(distinct) - 1)
    found_vectors = Lookup.apply(unit, found.reshape(-1)).view(len(asked), len(passages), -1)  # type: ignore[no-untyped-call]
    asked_vectors = Lookup.apply(unit, asked_places).unsqueeze(-1)  # type: ignore[no-untyped-call]
    cosines = torch.bmm(found_vectors, asked_vectors).squeeze(-1)
    weights = softplus(model.weights)[asked]
    total = torch.zeros(len(questions)).index_add(0, owner, weights)
    summed = torch.zeros(len(questions), len(passages)).index_add(0, owner, weights[:, None] * cosines)
    return summed / total.clamp_min(1e-6)[:, None]


def with_asides(questions: Rows, asides: Rows, share: float, rng: np.random.Generator) -> Rows:
    """Returns the questions, a share of them with remarks that people make, as far as their tokens have room."""
    changed = questions.copy()
    for number in np.flatnonzero(rng.random(len(questions)) < share):
        remarks = asides[rng.integers(0, len(asides), rng.integers(1, 4))]
        tokens = np.concatenate([questions[number], *remarks])
        distinct = list(dict.fromkeys(tokens[tokens >= 0].tolist()))[: questions.shape[1]]
        changed[number] = -1
        changed[number, : len(distinct)] = distinct
    return changed


def pooled(table: Table, texts: Rows) -> Table:
    """Returns one unit vector a text: the mean of its tokens' rows."""
    made = np.empty((len(texts), table.shape[1]), dtype=np.float32)
    for start in range(0, len(texts), 2_048):
        part = texts[start : start + 2_048]
        summed = (table[np.maximum(part, 0)] * (part >= 0)[..., None]).sum(1)
        made[start : start + len(part)] = summed / np.maximum(np.linalg.norm(summed, axis=1, keepdims=True), 1e-9)
    return made


@torch.no_grad()
def reciprocal_rank(model: Model, pairs: Encoded, vectors: Table, settings: Settings, most: int = 40) -> float:
    """Returns the mean reciprocal rank of each question's passage among 128 of its package that are like it."""
    rng, found = np.random.default_rng(0), []
    for chosen in list(_blocks(pairs, vectors, 128, 1.0, rng))[:most]:
        batch = scores(model, torch.from_numpy(pairs.questions[chosen]), torch.from_numpy(pairs.passages[chosen]))
        found.append(1 / (batch > batch.diag()[:, None]).sum(1).add(1).numpy())
    return float(np.mean(found))


def _batches(pairs: Encoded, vectors: Table, settings: Settings, rng: np.random.Generator) -> Iterator[Indices]:
    blocks = list(_blocks(pairs, vectors, settings.block, settings.alike, rng))
    for start in range(0, len(blocks) - 1, 2):
        yield np.concatenate(blocks[start : start + 2])


def _blocks(pairs: Encoded, vectors: Table, size: int, alike: float, rng: np.random.Generator) -> Iterator[Indices]:
    """Yields blocks of one package in random order: a share of them of passages near each other, the others drawn."""
    made: list[Indices] = []
    for package in np.unique(pairs.package):
        members = rng.permutation(np.flatnonzero(pairs.package == package))
        gathered = int(len(members) * alike) // size * size
        for start in range(0, gathered, 4_096):
            made += _neighbours(members[start : min(start + 4_096, gathered)], vectors, size, rng)
        rest = members[gathered:]
        made += [rest[start : start + size] for start in range(0, len(rest) - size + 1, size)]
    yield from (made[n] for n in rng.permutation(len(made)))


def _neighbours(members: Indices, vectors: Table, size: int, rng: np.random.Generator) -> Iterator[Indices]:
    own, free = vectors[members], np.ones(len(members), dtype=bool)
    while free.sum() >= size:
        likeness = own @ own[rng.choice(np.flatnonzero(free))]
        likeness[~free] = -9
        nearest = np.argpartition(-likeness, size - 1)[:size]
        free[nearest] = False
        yield members[nearest]
