"""What is measured when it is asked for: versions, votes, jobs and the language model, as Prometheus' gauges."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final, Protocol, TypeVar

from anyio.to_thread import run_sync
from prometheus_client.core import GaugeMetricFamily as Gauge
from prometheus_client.core import Metric

from bot.history import Vote
from bot.metrics import Source
from bot.model import Readiness
from indexer.records import Snapshot

T = TypeVar("T")

VOTES: Final[Sequence[Vote]] = ("up", "down")


class Asked(Protocol):
    """A language model, as far as it is measured."""

    @property
    def name(self) -> str: ...

    async def ready(self) -> Readiness: ...


def sources(
    snapshots: Callable[[], Sequence[Snapshot]],
    tally: Callable[[], Mapping[Vote, int]],
    counts: Callable[[], Awaitable[Mapping[str, int]]] | None,
    model: Asked | None,
) -> dict[str, Source]:
    """The sources by name: the index and the votes, and jobs and a model where there are any."""
    found: dict[str, Source] = {
        "index": partial(_told, partial(_in_thread, snapshots), lambda found: indexes(found, datetime.now(UTC))),
        "votes": partial(_told, partial(_in_thread, tally), votes),
    }
    if counts:
        found["jobs"] = partial(_told, counts, jobs)
    if model:
        found["model"] = partial(_told, model.ready, partial(readiness, model.name))
    return found


def indexes(snapshots: Iterable[Snapshot], at: datetime) -> Iterable[Metric]:
    """Age, staleness and size of the indexed versions; of two by one name, the latest indexed, which comes first."""
    labels = ("repository", "ref")
    age = Gauge("repopilot_index_age_seconds", "Since the source was last seen to be as it is indexed.", labels=labels)
    stale = Gauge(
        "repopilot_index_stale", "Whether the source is known to have moved on (1) or not (0).", labels=labels
    )
    files = Gauge("repopilot_index_files", "Files that can be found.", labels=labels)
    chunks = Gauge("repopilot_index_chunks", "Chunks that can be found.", labels=labels)
    named: dict[tuple[str, str], Snapshot] = {}
    for snapshot in snapshots:
        named.setdefault((snapshot.origin.repository, snapshot.origin.ref), snapshot)
    for name, snapshot in named.items():
        seen = datetime.fromisoformat(snapshot.checked_at or snapshot.indexed_at)
        age.add_metric(name, max(0.0, (at - seen).total_seconds()))
        stale.add_metric(name, snapshot.stale)
        files.add_metric(name, snapshot.files)
        chunks.add_metric(name, snapshot.chunks)
    return age, stale, files, chunks


def votes(tally: Mapping[Vote, int]) -> Iterable[Metric]:
    """Votes that are kept; fewer when old ones are forgotten."""
    family = Gauge("repopilot_votes", "Votes on answers that are kept; replicas tell the same.", labels=["vote"])
    for vote in VOTES:
        family.add_metric([vote], tally.get(vote, 0))
    return (family,)


def jobs(counts: Mapping[str, int]) -> Iterable[Metric]:
    """Jobs of all replicas by state."""
    family = Gauge("repopilot_jobs", "Jobs of GitHub and Discord by state; replicas tell the same.", labels=["state"])
    for state, count in counts.items():
        family.add_metric([state], count)
    return (family,)


def readiness(model: str, found: Readiness) -> Iterable[Metric]:
    """Whether the language model can be asked."""
    family = Gauge("repopilot_model_ready", "Whether the language model's server serves it.", labels=["model"])
    family.add_metric([model], found.ready)
    return (family,)


async def _told(ask: Callable[[], Awaitable[T]], families: Callable[[T], Iterable[Metric]]) -> Iterable[Metric]:
    return families(await ask())


async def _in_thread(ask: Callable[[], T]) -> T:
    """What a blocking call gives; whoever has no more patience goes on without it."""
    return await run_sync(ask, abandon_on_cancel=True)
