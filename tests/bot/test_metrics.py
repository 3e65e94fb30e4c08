from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
import yaml
from prometheus_client.core import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as parsed

from bot.answering import INSTEAD
from bot.gauges import indexes, jobs, readiness, sources, votes
from bot.history import Record
from bot.metrics import Metrics
from bot.model import Readiness
from bot.types import Usage
from fakes.answers import answer
from fakes.model import ScriptedModel
from indexer.records import Collection, Snapshot
from indexer.types import Origin

ROOT = Path(__file__).parents[2]
AT = "2026-01-05T10:00:00+00:00"
GIVEN = replace(answer("It is `16` [1].", 1), model="qwen", usage=Usage(2_600, 120))
SECONDS = {"retrieval": 0.03, "first_token": 0.4, "whole": 3.5}


def record(**changes: Any) -> Record:
    return replace(Record("1", AT, "http", None, "why?", GIVEN, None, SECONDS), **changes)


def scraped(metrics: Metrics, accept: str = "") -> dict[tuple[str, frozenset[str]], float]:
    """Every sample, by its name and the values of its labels."""
    text, _ = anyio.run(metrics.exposition, accept)
    read = openmetrics if "openmetrics" in accept else parsed
    return {(s.name, frozenset(s.labels.values())): s.value for f in read(text.decode()) for s in f.samples}


def key(name: str, *labels: str) -> tuple[str, frozenset[str]]:
    return f"repopilot_{name}", frozenset(labels)


def test_questions_are_counted_by_how_they_ended() -> None:
    metrics = Metrics("1.2.3")
    for told in (
        record(),
        record(),
        record(answer=replace(GIVEN, declined=True, reason="not_found")),
        record(answer=None, failure="Busy", seconds={}),
        record(answer=None, failure="abandoned", surface="page", seconds={"retrieval": 0.1}),
    ):
        metrics.question(told)
    found = scraped(metrics)
    assert found[key("questions_total", "http", "answered", "")] == 2
    assert found[key("questions_total", "http", "declined", "not_found")] == 1
    assert found[key("questions_total", "http", "failed", "Busy")] == 1
    assert found[key("questions_total", "page", "abandoned")] == 1
    assert found[key("question_seconds_count", "http", "whole")] == 3
    assert found[key("question_seconds_bucket", "http", "first_token", "0.5")] == 3
    assert found[key("question_seconds_bucket", "http", "first_token", "0.2")] == 0
    assert found[key("model_tokens_total", "qwen", "read")] == 3 * 2_600
    assert found[key("model_tokens_total", "qwen", "written")] == 3 * 120
    assert ("repopilot_build_info", "1.2.3") in {(name, v) for name, labels in found for v in labels}
    assert found["process_resident_memory_bytes", frozenset()] > 1e6


def test_a_model_that_failed_is_counted_where_passages_answered() -> None:
    metrics = Metrics("1")
    metrics.question(record())
    metrics.question(record(answer=replace(GIVEN, usage=None, warnings=(f"It is down. {INSTEAD}",))))
    assert scraped(metrics)[key("model_fallbacks_total", "http")] == 1


def test_no_label_holds_what_a_person_wrote() -> None:
    metrics = Metrics("1")
    metrics.request("EVIL\n{}", "/ask", 405, 0.1)
    metrics.question(record(question="ZEBRA"))
    text, _ = anyio.run(metrics.exposition, "")
    assert b"EVIL" not in text and b"ZEBRA" not in text
    assert scraped(metrics)[key("http_requests_total", "other", "/ask", "405")] == 1


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("*/*", "text/plain; version=0.0.4"),
        ("application/openmetrics-text;version=1.0.0", "application/openmetrics-text"),
    ],
)
def test_the_format_is_the_one_that_is_asked_for(accept: str, media_type: str) -> None:
    metrics = Metrics("1")
    metrics.question(record())
    text, kind = anyio.run(metrics.exposition, accept)
    assert kind.startswith(media_type) and text.endswith(b"# EOF\n") == ("openmetrics" in accept)
    assert scraped(metrics, accept)[key("questions_total", "http", "answered", "")] == 1


def test_a_source_that_fails_or_hangs_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    metrics = Metrics("1")

    async def broken() -> Iterable[Metric]:
        raise OSError("no connection")

    async def hanging() -> Iterable[Metric]:
        await anyio.sleep_forever()
        return ()

    async def well() -> Iterable[Metric]:
        return votes({"up": 3})

    metrics.sources, metrics.patience_s = {"jobs": broken, "model": hanging, "votes": well}, 0.05
    found = scraped(metrics)
    assert found[key("votes", "up")] == 3 and found[key("votes", "down")] == 0
    assert [found[key("source_up", name)] for name in ("jobs", "model", "votes")] == [0, 0, 1]
    assert "no metrics of the jobs: OSError: no connection" in caplog.text


def snapshot(ref: str, **changes: Any) -> Snapshot:
    origin = Origin("acme/demo", ref, "c0ffee", "https://example.org/acme/demo", "f1")
    made = Snapshot(1, Collection(1, "c", "acme/demo", "hashing-64", 1), origin, AT, 12, 340)
    return replace(made, **changes)


def test_an_index_is_as_old_as_when_its_source_was_last_seen_the_same() -> None:
    now = datetime.fromisoformat(AT) + timedelta(hours=2)
    later = (datetime.fromisoformat(AT) + timedelta(hours=1)).isoformat()
    found = [snapshot("main", checked_at=later, stale=True), snapshot("v1"), snapshot("main", chunks=1)]
    told = {(s.name, s.labels["ref"]): s.value for family in indexes(found, now) for s in family.samples}
    assert told["repopilot_index_age_seconds", "main"] == 3_600 and told["repopilot_index_stale", "main"] == 1
    assert told["repopilot_index_age_seconds", "v1"] == 7_200 and told["repopilot_index_stale", "v1"] == 0
    assert told["repopilot_index_files", "v1"] == 12
    assert told["repopilot_index_chunks", "main"] == 340  # of two by one name, the first


def everything() -> Metrics:
    """Metrics with a sample of each."""
    metrics = Metrics("1")
    metrics.question(record(answer=replace(GIVEN, warnings=(INSTEAD,))))
    metrics.request("GET", "/ask", 200, 0.1)

    async def counts() -> Mapping[str, int]:
        return {"queued": 1, "running": 2, "set_aside": 3}

    metrics.sources = sources(lambda: [snapshot("main")], lambda: {"up": 1}, counts, ScriptedModel("tiny"))
    return metrics


def test_where_nothing_makes_jobs_and_no_model_answers_they_are_not_told_of() -> None:
    assert set(sources(list, dict, None, None)) == {"index", "votes"}
    told = [*jobs({"queued": 1}), *readiness("tiny", Readiness(False, "away"))]
    assert [(s.name, s.value) for f in told for s in f.samples] == [("repopilot_jobs", 1), ("repopilot_model_ready", 0)]


def expressions() -> list[str]:
    board = json.loads((ROOT / "deploy/grafana.json").read_text())
    alerts = yaml.safe_load((ROOT / "deploy/prometheus-alerts.yaml").read_text())
    shown = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    return [*shown, *(rule["expr"] for group in alerts["groups"] for rule in group["rules"])]


@pytest.mark.parametrize("expression", expressions())
def test_dashboard_and_alerts_name_what_there_is(expression: str) -> None:
    text, _ = anyio.run(everything().exposition, "")
    samples = [sample for family in parsed(text.decode()) for sample in family.samples]
    assert all(family.documentation for family in parsed(text.decode()))
    names = re.findall(r"\b(?:repopilot|process)_\w+", expression)
    labels = {name: {label for s in samples if s.name == name for label in s.labels} for name in names}
    assert names and all(any(s.name == name for s in samples) for name in names)
    matched = re.findall(r"(\w+)\{(\w+)=", expression)
    assert all(label in labels[name] for name, label in matched)
    grouped = {label.strip() for group in re.findall(r"by \(([^)]*)\)", expression) for label in group.split(",")}
    assert grouped <= set().union(*labels.values())


def test_the_list_of_metrics_is_of_what_there_is() -> None:
    text, _ = anyio.run(everything().exposition, "")
    families = {family.name for family in parsed(text.decode()) if not family.name.endswith("_created")}
    listed = set(re.findall(r"`(repopilot_\w+)`", (ROOT / "docs/monitoring.md").read_text()))
    assert {name.removesuffix("_total") for name in listed} == {
        name for name in families if name.startswith("repopilot")
    }


def test_no_index_is_younger_than_now() -> None:
    (age, *_) = indexes(
        [snapshot("main", indexed_at=(datetime.now(UTC) + timedelta(hours=1)).isoformat())], datetime.now(UTC)
    )
    assert age.samples[0].value == 0  # the clock of whoever indexed was ahead
