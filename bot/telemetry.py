"""Traces, where somebody collects them: each question becomes a span with its stages, below the request that asked.

The SDK and its exporter are the extra `repopilot[otel]`; FastAPI makes the spans of requests with them by itself. Names
are as https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ has them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

import anyio
from anyio.to_thread import run_sync

from bot.answering import EXTRACTIVE
from bot.history import Record
from indexer.errors import RepoPilotError

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import Span, TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

Attributes = dict[str, str | bool | int | float]

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
PROTOCOL: Final = "http/protobuf"
NOT_INSTALLED: Final = '{name} is set, and what sends traces is not installed: pip install "repopilot[otel]".'
OTHER_PROTOCOL: Final = "{name} is {value}: traces are sent by {protocol} alone, mostly to port 4318."
CLOSING_S: Final = 3.0
_NANO: Final = 1_000_000_000


class TelemetryError(RepoPilotError):
    """Traces are wanted and cannot be sent; the message says what to do."""


class Tracing:
    """`provider` is for whoever makes spans of its own. Questions' words are told only where they may be shown."""

    def __init__(self, provider: TracerProvider, exporter: SpanExporter, shows_questions: bool) -> None:
        self.provider = provider
        self._exporter = exporter
        self._tracer = provider.get_tracer("repopilot")
        self._shows_questions = shows_questions

    def question(self, record: Record) -> None:
        """Make the spans of a question that has ended, at the times at which its stages were."""
        from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

        began = int(datetime.fromisoformat(record.at).timestamp() * _NANO)
        found, ended = (began + int(seconds * _NANO) for seconds in _bounds(record))
        whole = self._tracer.start_span("question", start_time=began, attributes=self._described(record))
        if record.outcome == "failed":
            whole.set_status(Status(StatusCode.ERROR, record.failure))
        within = set_span_in_context(whole)
        if "retrieval" in record.seconds:
            self._tracer.start_span("retrieval", within, start_time=began, attributes=_retrieval(record)).end(found)
        if answer := record.answer:
            read = answer.model == EXTRACTIVE
            name = "reading" if read else f"chat {answer.model}"
            kind = SpanKind.INTERNAL if read else SpanKind.CLIENT
            said = {} if read else _chat(record)
            self._tracer.start_span(name, within, kind, start_time=found, attributes=said).end(ended)
        whole.end(ended)

    async def run(self) -> None:
        """Stay until cancelled, and send what is left then: uvicorn ends the process before it would at its exit."""
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await run_sync(self.close)

    def close(self) -> None:
        """Send what is left; a collector that is away is waited for a moment, and not for the library's 30 seconds."""
        patience = threading.Timer(CLOSING_S, self._exporter.shutdown)
        patience.start()
        self.provider.shutdown()
        patience.cancel()

    def _described(self, record: Record) -> Attributes:
        answer = record.answer
        described: Mapping[str, str | bool | int | float | None] = {
            "repopilot.surface": record.surface,
            "repopilot.event": record.event,
            "repopilot.outcome": record.outcome,
            "repopilot.reason": answer.reason if answer else record.failure,
            "repopilot.answer": answer.id if answer else None,
            "repopilot.citations": len(answer.citations) if answer else None,
            "repopilot.question": record.question if self._shows_questions else None,
        }
        return {name: value for name, value in described.items() if value is not None}


def open_tracing(shows_questions: bool, version: str) -> Tracing | None:
    """What sends traces to where OpenTelemetry's environment variables say; None where they say nothing, or that it is
    off. https://opentelemetry.io/docs/specs/otel/protocol/exporter/ has them all.

    Raises TelemetryError when what it needs is not installed, or another protocol is asked for.
    """
    name = next((name for name in ENDPOINTS if os.environ.get(name)), None)
    if not name or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    asked, protocol = next(((name, value) for name in PROTOCOLS if (value := os.environ.get(name))), ("", PROTOCOL))
    if protocol != PROTOCOL:
        raise TelemetryError(OTHER_PROTOCOL.format(name=asked, value=protocol, protocol=PROTOCOL))
    try:
        return _opened(shows_questions, version)
    except ImportError as error:
        raise TelemetryError(NOT_INSTALLED.format(name=name)) from error


def _opened(shows_questions: bool, version: str) -> Tracing:
    """What makes spans and sends them in batches. Raises ImportError without the extra."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    class WithoutQueries(SpanProcessor):
        """Hides the queries of addresses: people's words may stand in them."""

        def on_start(self, span: Span, parent_context: Context | None = None) -> None:
            if span.attributes and "url.query" in span.attributes:
                span.set_attribute("url.query", "REDACTED")

    ours = Resource.create({"service.name": "repopilot", "service.version": version})
    exporter = OTLPSpanExporter()
    provider = TracerProvider(resource=ours.merge(OTELResourceDetector().detect()), shutdown_on_exit=False)
    if not shows_questions:
        provider.add_span_processor(WithoutQueries())
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return Tracing(provider, exporter, shows_questions)


def _bounds(record: Record) -> tuple[float, float]:
    """Seconds from the question until its passages were found, and until its end, as far as it is known."""
    last = max(record.seconds.values(), default=0.0)
    return record.seconds.get("retrieval", 0.0), record.seconds.get("whole", last)


def _retrieval(record: Record) -> Attributes:
    index = record.answer.index if record.answer else None
    source: Attributes = {"gen_ai.data_source.id": f"{index.repository}@{index.ref}"} if index else {}
    return {"gen_ai.operation.name": "retrieval", **source}


def _chat(record: Record) -> Attributes:
    """`openai` names the protocol: whose server speaks it cannot be told."""
    answer = record.answer
    assert answer
    said: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": answer.model,
    }
    if "first_token" in record.seconds:
        waited = record.seconds["first_token"] - record.seconds.get("retrieval", 0.0)
        said["gen_ai.response.time_to_first_chunk"] = round(waited, 4)
    if answer.usage:
        said["gen_ai.usage.input_tokens"] = answer.usage.prompt
        said["gen_ai.usage.output_tokens"] = answer.usage.completion
    return said
