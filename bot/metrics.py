"""How the service does, for Prometheus: what this process has counted, and what its sources tell when it is asked.

Names are as https://prometheus.io/docs/practices/naming/ has it. No label holds what a person wrote.
"""

from __future__ import annotations

import logging
import platform
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final

import anyio
from prometheus_client import CollectorRegistry, Counter, Histogram, Info, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder

from bot.answering import INSTEAD
from bot.history import Record

log = logging.getLogger(__name__)

Source = Callable[[], Awaitable[Iterable[Metric]]]
"""Asks for what it tells of. May raise anything."""

# From a search without a model to a long answer of a busy one.
QUESTION_SECONDS: Final = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120)
REQUEST_SECONDS: Final = (0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120)
# Prometheus waits ten seconds for all of it.
PATIENCE_S: Final = 4.0
# Whoever asks chooses the method's name.
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    """The counters of one process, and the `sources` that are asked at each scrape, for `patience_s` seconds."""

    def __init__(self, version: str) -> None:
        self.sources: Mapping[str, Source] = {}
        self.patience_s = PATIENCE_S
        self._registry = registry = CollectorRegistry()
        self._questions = Counter(
            "repopilot_questions",
            "Questions that have ended, by how, and why there is no answer.",
            ["surface", "outcome", "reason"],
            registry=registry,
        )
        self._stages = Histogram(
            "repopilot_question_seconds",
            "From a question until its passages were found, its first words, and the whole answer.",
            ["surface", "stage"],
            buckets=QUESTION_SECONDS,
            registry=registry,
        )
        self._tokens = Counter(
            "repopilot_model_tokens",
            "Tokens that the language model read and wrote, as its server counts them.",
            ["model", "direction"],
            registry=registry,
        )
        self._fallbacks = Counter(
            "repopilot_model_fallbacks",
            "Answers in the passages' own words because the language model failed.",
            ["surface"],
            registry=registry,
        )
        self._requests = Counter(
            "repopilot_http_requests",
            "HTTP requests by route; 499: the client left.",
            ["method", "route", "status"],
            registry=registry,
        )
        self._latency = Histogram(
            "repopilot_http_request_seconds",
            "Until the whole of the response was sent.",
            ["method", "route"],
            buckets=REQUEST_SECONDS,
            registry=registry,
        )
        build = Info("repopilot_build", "What runs here.", registry=registry)
        build.info({"version": version, "python": platform.python_version()})
        ProcessCollector(registry=registry)

    def question(self, record: Record) -> None:
        """Count a question that has ended."""
        answer = record.answer
        reason = (answer.reason if answer else record.failure) or ""
        self._questions.labels(record.surface, record.outcome, reason).inc()
        for stage, seconds in record.seconds.items():
            self._stages.labels(record.surface, stage).observe(seconds)
        if answer and answer.usage:
            self._tokens.labels(answer.model, "read").inc(answer.usage.prompt)
            self._tokens.labels(answer.model, "written").inc(answer.usage.completion)
        if answer and any(warning.endswith(INSTEAD) for warning in answer.warnings):
            self._fallbacks.labels(record.surface).inc()

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an HTTP request; `route` is a template, not a path."""
        method = method if method in METHODS else "other"
        self._requests.labels(method, route, status).inc()
        self._latency.labels(method, route).observe(seconds)

    async def exposition(self, accept: str) -> tuple[bytes, str]:
        """All of it, in the format that an `Accept` header asks for, and that format's media type. A source that fails
        is left out, and logged."""
        encode, media_type = choose_encoder(accept)
        asked = await self._asked()
        return encode(_Collected([*self._registry.collect(), *asked])), media_type

    async def _asked(self) -> Sequence[Metric]:
        up = GaugeMetricFamily(
            "repopilot_source_up", "Whether a source could be asked (1) or not (0).", labels=["source"]
        )
        found: list[Metric] = [up]
        async with anyio.create_task_group() as tasks:
            for name, source in self.sources.items():
                tasks.start_soon(self._ask, name, source, found, up)
        return found

    async def _ask(self, name: str, source: Source, found: list[Metric], up: GaugeMetricFamily) -> None:
        told = False
        try:
            with anyio.fail_after(self.patience_s):
                found.extend(await source())
            told = True
        except Exception as error:  # noqa: BLE001 - whatever it is, the others are to be told
            log.warning("no metrics of the %s: %s: %s", name, type(error).__name__, error)
        up.add_metric([name], told)


class _Collected:
    """Metrics as the library's encoders take them."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        return self._metrics
