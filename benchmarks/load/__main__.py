"""`make load`: what the service bears, over an index of this project itself.

    python -m benchmarks.load [--users 200] [--questions 3] [--model-s 2] [--soak-minutes 10] [--rate 4]
                              [--llm-url URL --llm-model NAME]

1. So many askers at once, against a model that takes `--model-s` seconds an answer: is any question lost?
2. A steady rate for a long time: how much of the latency is ours, and do memory and open files stay flat?
3. With `--llm-url`: 16 askers at once against a real model.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import httpx

from benchmarks.runs import Program, resident_mib
from benchmarks.table import Row, table

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
SAMPLE_S = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--questions", type=int, default=3, help="that each of them asks")
    parser.add_argument("--model-s", type=float, default=2.0)
    parser.add_argument("--soak-minutes", type=float, default=10.0)
    parser.add_argument("--rate", type=float, default=4.0, help="questions a second of the soak")
    parser.add_argument("--llm-url", help="a real model, asked by 16 at once")
    parser.add_argument("--llm-model")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Program(folder / "home", folder / "sources").index(str(ROOT))
        with slow_model(free_port(), chosen.model_s) as url:
            settings = {"REPOPILOT_LLM_URL": url, "REPOPILOT_LLM_MODEL": "slow"}
            with served(folder, settings) as service:
                burst(service, chosen.users, chosen.questions, chosen.model_s)
                soak(service, chosen.soak_minutes, chosen.rate, chosen.model_s)
        if chosen.llm_url:
            settings = {
                "REPOPILOT_LLM_URL": chosen.llm_url,
                "REPOPILOT_LLM_MODEL": chosen.llm_model,
                "REPOPILOT_LLM_TIMEOUT_S": "600",
            }
            with served(folder, settings) as service:
                real(service, 16)


@dataclass
class Service:
    """A running service, and what it holds: resident memory (MiB) and open files, every second."""

    url: str
    process: subprocess.Popen[bytes]
    samples: list[tuple[float, int]] = field(default_factory=list)

    def watch(self) -> None:
        while self.process.poll() is None:
            descriptors = len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))
            self.samples.append((resident_mib(self.process.pid), descriptors))
            time.sleep(SAMPLE_S)


def burst(service: Service, users: int, questions: int, model_s: float) -> None:
    """All at once, each asking again as soon as it is answered."""
    before, _ = service.samples[-1]
    began = time.perf_counter()
    seen = asked(service, users, questions, model_s)
    answered = seen["answered"]
    rows = [
        *_answered(seen, users * questions),
        Row("told to come back", seen["/ask"]["num_requests"] - answered["num_requests"], "times"),
        Row("requests that failed", seen["/ask"]["num_failures"], "", "sent").beside(seen["/ask"]["num_requests"]),
        Row("answers a second", answered["num_requests"] / (time.perf_counter() - began), "/s"),
        Row("until answered, p50", quantile(answered, 0.5) / 1_000, "s", "the model alone").beside(model_s),
        Row("until answered, p95", quantile(answered, 0.95) / 1_000, "s", "the model alone").beside(model_s),
        Row("memory at most", max(memory for memory, _ in service.samples), "MiB", "before").beside(before),
    ]
    click.echo(table(f"{users} askers at once, {questions} questions each, a model of {model_s:g} s", rows))


def soak(service: Service, minutes: float, rate: float, model_s: float) -> None:
    """A steady rate, each asker at a time of their own; the first minute, in which caches fill, is not compared."""
    users = max(1, round(rate * model_s * 4))
    pace = users / rate
    questions = max(1, round(minutes * 60 / pace))
    start = len(service.samples)
    seen = asked(service, users, questions, model_s, pace)
    ours, samples = seen["ours"], service.samples[start:]
    settled = samples[min(60, len(samples) // 5) :]
    tenth = max(1, len(settled) // 10)
    rows = [
        *_answered(seen, users * questions),
        Row("ours of the latency, p50", quantile(ours, 0.5), "ms", "the model's").beside(model_s * 1_000),
        Row("ours of the latency, p95", quantile(ours, 0.95), "ms", "the model's").beside(model_s * 1_000),
        Row("memory, last tenth", _mean([m for m, _ in settled[-tenth:]]), "MiB", "first tenth").beside(
            _mean([m for m, _ in settled[:tenth]])
        ),
        Row("open files, last tenth", _mean([f for _, f in settled[-tenth:]]), "", "first tenth").beside(
            _mean([f for _, f in settled[:tenth]])
        ),
    ]
    click.echo(table(f"{rate:g} questions a second for {minutes:g} minutes, a model of {model_s:g} s", rows))


def real(service: Service, users: int) -> None:
    seen = asked(service, users, 1, 0.0)
    answered = seen["answered"]
    rows = [
        *_answered(seen, users),
        Row("until answered, p50", quantile(answered, 0.5) / 1_000, "s"),
        Row("until answered, p95", quantile(answered, 0.95) / 1_000, "s"),
    ]
    click.echo(table(f"{users} askers at once, a real model", rows))


def _answered(seen: Mapping[str, Any], asked: int) -> list[Row]:
    """How many were answered, and how many of these in the model's words: the others are declined, or in the passages'
    own, since little was found or the model failed."""
    answered = seen["answered"]["num_requests"] - seen["answered"]["num_failures"]
    in_its_words = seen.get("in the model's words", {}).get("num_requests", 0)
    return [
        Row("questions answered", answered, "", "asked").beside(asked),
        Row("in the model's words", in_its_words, "", "answered").beside(answered),
    ]


def asked(service: Service, users: int, questions: int, model_s: float, pace_s: float = 0.0) -> Mapping[str, Any]:
    """Locust's figures of each kind of request, once all have asked what they had to ask: all beginning at once, or one
    after the other within the seconds of a pace."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *(sys.executable, "-m", "locust", "--headless", "--host", service.url, "--skip-log", "--only-summary"),
            *("-f", str(ROOT / "benchmarks" / "load" / "askers.py"), "--json-file", f"{folder}/seen"),
            *("--users", str(users), "--spawn-rate", str(users / (pace_s or 1.0)), "--exit-code-on-error", "0"),
        ]
        load = {"LOAD_QUESTIONS": questions, "LOAD_PACE_S": pace_s, "LOAD_MODEL_S": model_s}
        environment = {**os.environ, **{name: str(value) for name, value in load.items()}}
        subprocess.run(command, env=environment, check=True, cwd=folder)
        rows = json.loads(Path(folder, "seen.json").read_text())
    return {row["name"]: row for row in rows}


def quantile(row: Mapping[str, Any], share: float) -> float:
    """Milliseconds that so large a share took at most; locust counts them in steps."""
    times = sorted((float(ms), count) for ms, count in row["response_times"].items())
    wanted, seen = share * sum(count for _, count in times), 0
    for ms, count in times:
        seen += count
        if seen >= wanted:
            return ms
    return 0.0


@contextmanager
def served(folder: Path, settings: Mapping[str, str]) -> Iterator[Service]:
    """The installed `repopilot serve` over the index in a folder, with memory allocated as in the image."""
    port = free_port()
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("REPOPILOT_")}
    environment = {**inherited, "MALLOC_ARENA_MAX": "2", "REPOPILOT_HOME": str(folder / "home"), **settings}
    command = (str(Path(sys.executable).with_name("repopilot")), "serve", "--port", str(port))
    with (folder / "log").open("ab") as log, started(command, environment, log) as process:
        service = Service(f"http://127.0.0.1:{port}", process)
        wait_for(f"{service.url}/readyz")
        threading.Thread(target=service.watch, daemon=True).start()
        time.sleep(2 * SAMPLE_S)
        yield service


@contextmanager
def slow_model(port: int, seconds: float) -> Iterator[str]:
    command = (sys.executable, "-m", "benchmarks.load.model", str(port), str(seconds))
    with started(command, dict(os.environ), None):
        wait_for(f"http://127.0.0.1:{port}/health")
        yield f"http://127.0.0.1:{port}/v1"


@contextmanager
def started(command: tuple[str, ...], environment: Mapping[str, str], log: Any) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def wait_for(url: str) -> None:
    """Until an address answers well. Raises SystemExit when it does not."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            if httpx.get(url, trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise SystemExit(f"{url} did not answer within {PATIENCE_S:.0f} s")


def free_port() -> int:
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _mean(values: list[float] | list[int]) -> float:
    return sum(values) / len(values)


if __name__ == "__main__":
    main()
