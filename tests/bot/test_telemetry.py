from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import anyio
import pytest

from bot.answering import EXTRACTIVE
from bot.history import Record
from bot.telemetry import CLOSING_S, TelemetryError, Tracing, open_tracing
from bot.types import Usage
from fakes.answers import answer
from fakes.checkout import Program
from fakes.collector import Collector, collector

AT = "2026-01-05T10:00:00+00:00"
BEGAN = datetime.fromisoformat(AT).timestamp()
GIVEN = replace(answer("It is `16` [1].", 1), model="qwen", usage=Usage(2_600, 120))
SECONDS = {"retrieval": 0.25, "first_token": 1.0, "whole": 3.5}
RECORD = Record(GIVEN.id, AT, "http", "request-1", "How large is a block?", GIVEN, None, SECONDS)
WITHOUT = """
import sys
sys.modules["opentelemetry.exporter.otlp.proto.http.trace_exporter"] = None
from bot.cli import main
main(["serve", "--port", "0"])
"""


@pytest.fixture
def collected() -> Iterator[Collector]:
    with collector() as made:
        yield made


@pytest.fixture
def tracing(collected: Collector, monkeypatch: pytest.MonkeyPatch) -> Tracing:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collected.url)
    opened = open_tracing(shows_questions=False, version="1.2.3")
    assert opened
    return opened


def test_nothing_is_traced_unless_somebody_collects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    assert open_tracing(shows_questions=False, version="1") is None
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert open_tracing(shows_questions=False, version="1") is None


def test_a_question_and_its_stages_are_spans_at_their_times(collected: Collector, tracing: Tracing) -> None:
    tracing.question(RECORD)
    tracing.provider.shutdown()
    question, retrieval, chat = (collected.named(name) for name in ("question", "retrieval", "chat qwen"))
    assert retrieval.parent == chat.parent == question.id and not question.parent
    spans = [(round(span.began - BEGAN, 3), round(span.ended - BEGAN, 3)) for span in (question, retrieval, chat)]
    assert spans == [(0.0, 3.5), (0.0, 0.25), (0.25, 3.5)]
    assert question.attributes == {
        "repopilot.surface": "http",
        "repopilot.event": "request-1",
        "repopilot.outcome": "answered",
        "repopilot.answer": GIVEN.id,
        "repopilot.citations": 1,
    }
    assert retrieval.attributes["gen_ai.data_source.id"] == "example-org/boat@v1.2.0"
    assert chat.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "qwen",
        "gen_ai.response.time_to_first_chunk": 0.75,
        "gen_ai.usage.input_tokens": 2_600,
        "gen_ai.usage.output_tokens": 120,
    }
    assert question.resource["service.name"] == "repopilot" and question.resource["service.version"] == "1.2.3"


def test_reading_failing_and_leaving_are_spans_too(collected: Collector, tracing: Tracing) -> None:
    tracing.question(replace(RECORD, answer=replace(GIVEN, model=EXTRACTIVE, usage=None)))
    tracing.provider.force_flush()
    assert collected.named("reading").attributes == {}
    collected.spans.clear()
    tracing.question(Record("1", AT, "github", "github:a/b:issue:1", "why?", None, "Busy", {"retrieval": 0.5}))
    tracing.provider.shutdown()
    failed = collected.named("question")
    assert failed.failed and failed.attributes["repopilot.reason"] == "Busy"
    assert [span.name for span in collected.spans] == ["retrieval", "question"]
    assert round(failed.ended - failed.began, 3) == 0.5


def test_words_are_told_only_where_they_may_be(collected: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collected.url)
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=docs-bot")
    opened = open_tracing(shows_questions=True, version="1")
    assert opened
    opened.question(RECORD)
    opened.provider.shutdown()
    asked = collected.named("question")
    assert asked.attributes["repopilot.question"] == RECORD.question
    assert asked.resource["service.name"] == "docs-bot"


def test_a_collector_that_is_away_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    opened = open_tracing(shows_questions=False, version="1")
    assert opened
    opened.question(RECORD)
    began = time.monotonic()
    opened.close()
    assert time.monotonic() - began < 2 * CLOSING_S


def test_what_is_left_is_sent_when_the_service_ends(collected: Collector, tracing: Tracing) -> None:
    async def serve() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tracing.run)
            await anyio.sleep(0.05)
            tracing.question(RECORD)
            tasks.cancel_scope.cancel()

    anyio.run(serve)
    assert collected.named("question")


def test_another_protocol_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    with pytest.raises(TelemetryError, match="OTEL_EXPORTER_OTLP_PROTOCOL is grpc"):
        open_tracing(shows_questions=False, version="1")


def test_without_the_extra_the_service_says_what_to_install(tmp_path: Path) -> None:
    program = Program(tmp_path / "home")
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        env=program.environment({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:9/v1/traces"}),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "error: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, and what sends traces is not installed:"
        ' pip install "repopilot[otel]".'
    ]
