"""People who ask, by locust: each asks until it is answered, however often it is told to come back.

locust -f benchmarks/load/askers.py --headless … (benchmarks/load/__main__.py does it)
"""

from __future__ import annotations

import logging
import os
import random
import time
from typing import ClassVar

from locust import FastHttpUser, constant_pacing, task
from locust.exception import StopUser

# Questions that each asks, and the seconds between two of them (0: at once).
QUESTIONS = int(os.environ["LOAD_QUESTIONS"])
PACE_S = float(os.environ["LOAD_PACE_S"])
# What the model takes of each: the rest is ours. (Locust rounds: a small figure is kept more finely than a large one.)
MODEL_S = float(os.environ["LOAD_MODEL_S"])
LONGEST_S = 600.0
# It warns of starting all at once, and of stopping those that have stopped; what fails in asking is said by another.
logging.getLogger("locust.runners").setLevel(logging.CRITICAL)
BUSY = (429, 503)
WHAT = ("chunks", "a citation", "the worker", "an embedder", "the ledger", "a snapshot", "the grounder", "a mention")
HOW = ("Where is the code for {}?", "How does {} work?", "What is the default of {}?", "Why does {} fail?")


class Asker(FastHttpUser):
    wait_time = constant_pacing(PACE_S)
    network_timeout = connection_timeout = LONGEST_S
    asked = 0
    done: ClassVar[list[int]] = []

    @task
    def ask(self) -> None:
        """Ask one question. `answered` is the time from asking first to having the answer, `ours` that without the
        model's."""
        if self.asked == QUESTIONS:
            self.done.append(QUESTIONS)
            if len(self.done) == self.environment.parsed_options.num_users:
                self.environment.runner.quit()
            raise StopUser
        self.asked += 1
        question = random.choice(HOW).format(random.choice(WHAT))
        began = time.perf_counter()
        error = None
        while (wait_s := self._once(question)) is not None:
            if time.perf_counter() - began > LONGEST_S:
                error = TimeoutError("not answered in time")
                break
            time.sleep(wait_s)  # locust lets the others go on meanwhile
        seconds = time.perf_counter() - began
        self._count("answered", seconds, error)
        self._count("ours", max(0.0, seconds - MODEL_S), error)

    def _count(self, name: str, seconds: float, error: Exception | None) -> None:
        self.environment.events.request.fire(
            request_type="question",
            name=name,
            response_time=seconds * 1_000,
            response_length=0,
            exception=error,
            context={},
        )

    def _once(self, question: str) -> float | None:
        """None when it was answered, else the seconds to wait before asking again."""
        with self.client.post("/ask", json={"question": question}, name="/ask", catch_response=True) as response:
            if response.status_code in BUSY:
                response.success()  # it said so, and when to come back
                return float(response.headers["Retry-After"]) * random.uniform(1, 2)
            answer = response.json() if response.status_code == 200 else {}
            if not (answer.get("citations") or answer.get("declined")):
                response.failure(f"{response.status_code}: {response.error or (response.text or '')[:200]}")
                return 1.0
            if answer["model"] != "extractive":
                self._count("in the model's words", 0.0, None)
            return None
