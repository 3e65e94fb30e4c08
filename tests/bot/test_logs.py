"""The log: its two forms, the id in each line, and that no secret gets through. The service is the real program."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from bot.events import about_event
from bot.history import Record
from bot.logs import Fields, JsonLines, Masker, TextLines, question_line
from cases.program import free_port
from fakes.answers import answer
from fakes.running import Running

PASSWORD = 'correct "horse" battery'
# Of the forms that their issuers give them; none was ever valid.
TOKENS = {
    "our key": "rp_Q2hlY2tzdW1z0aAbBcCdDeEfFgGhHiIjJkKl",
    "a personal token": "ghp_" + "a1B2c3D4" * 5,
    "an installation's token": "ghs_" + "Z9y8X7w6" * 5,
    "a fine-grained token": "github_pat_" + "11AAAAAAA0abcdefghijkl_" + "q7W8e9R0" * 8,
    "a Discord bot's": "MTIzNDU2Nzg5MDEyMzQ1Njc4OQ.GhIjKl.abcdefghijklmnopqrstuvwxyz0123456789_-",
    "a password in an address": "x-access-token:hunter2hunter2",
}
CRASHING = """
import sys, threading
from bot.logs import configure
configure(sys.argv[1], {sys.argv[2]})
def fail(token):
    raise ValueError(f"cannot use {token}")
thread = threading.Thread(target=fail, args=(sys.argv[2],))
thread.start()
thread.join()
fail(sys.argv[2])
"""


def record(message: object, *arguments: object, level: int = logging.INFO, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("repopilot.test", level, "test.py", 1, message, arguments, None)
    vars(made).update(extra)
    return made


def as_json(made: logging.LogRecord, *secrets: str) -> dict[str, Any]:
    line = JsonLines(Masker(secrets)).format(made)
    assert "\n" not in line
    found: dict[str, Any] = json.loads(line)
    return found


def test_a_text_line_tells_what_it_is_about() -> None:
    lines = TextLines(Masker([]))
    assert lines.format(record("%d blocks", 3)).endswith(" INFO repopilot.test 3 blocks")
    with about_event("request-1"):
        assert lines.format(record("%d blocks", 3)).endswith(" INFO repopilot.test [request-1] 3 blocks")


def test_what_somebody_wrote_cannot_look_like_a_line_of_ours() -> None:
    line = TextLines(Masker([])).format(record("it says %s", "no\n2026-01-05 ERROR repopilot owned\x1b[2J\u2028"))
    assert line.endswith(r"it says no\n2026-01-05 ERROR repopilot owned\x1b[2J\u2028")


def test_a_json_line_is_an_object_with_what_is_said_by_name() -> None:
    with about_event("request-1"):
        line = as_json(record(Fields("request", status=200, path="/ask"), user="ada"))
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "INFO", "logger": "repopilot.test", "message": "request", "event": "request-1",
        "status": 200, "path": "/ask", "user": "ada",
    }  # fmt: skip
    assert as_json(record("%d blocks", 3))["message"] == "3 blocks"
    assert as_json(record(Fields("x", level="mine", held={"a": [1, None, Path("b")]})))["held"] == {"a": [1, None, "b"]}
    assert as_json(record(Fields("x", level="mine")))["level"] == "INFO"


@pytest.mark.parametrize("name", TOKENS)
def test_tokens_are_masked_wherever_they_stand(name: str) -> None:
    token = TOKENS[name]
    url = (
        f"https://{token}@github.example/acme/demo.git" if "address" in name else f"https://example.org/?token={token}"
    )
    for message in (
        f"cloning {url} failed",
        f"Authorization: Bearer {token.rpartition('/')[2]}",
        json.dumps({"url": url}),
    ):
        made = record("%s", message, url=url, headers={"authorization": [f"token {url}"]})
        assert token not in TextLines(Masker([])).format(made)
        assert token not in JsonLines(Masker([])).format(made)
    assert "•••" in TextLines(Masker([])).format(record(url))


def test_a_bearer_header_is_masked_whatever_it_holds() -> None:
    assert as_json(record("sent authorization: Bearer s3same.street"))["message"] == "sent authorization: Bearer •••"
    plain = "basic information for the bearer of good news; rp_x, gh_y and 3.4.5 are no tokens"
    assert as_json(record(plain))["message"] == plain


def test_known_secrets_are_masked_in_each_spelling() -> None:
    for message in (f"it is {PASSWORD}", json.dumps({"it": PASSWORD})):
        assert "horse" not in TextLines(Masker([PASSWORD, "correct"])).format(record(message))
    assert as_json(record(Fields("x", said=[PASSWORD])), PASSWORD)["said"] == ["•••"]


def test_a_traceback_hides_secrets_too() -> None:
    try:
        raise ValueError(f"wrong password: {PASSWORD}")
    except ValueError:
        made = record("it failed", level=logging.ERROR, exc_info=sys.exc_info())
    text = TextLines(Masker([PASSWORD])).format(made)
    assert "ValueError: wrong password: •••" in text and "horse" not in text
    trace = as_json(made, PASSWORD)["traceback"]
    assert trace.startswith("Traceback") and "horse" not in trace


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_ends_the_process_is_logged_without_its_secret(form: str) -> None:
    command = [sys.executable, "-c", CRASHING, form, "sesame-open-42"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    shown = (
        done.stderr if form == "text" else "".join(json.loads(line)["traceback"] for line in done.stderr.splitlines())
    )
    assert shown.count("ValueError: cannot use •••") == 2 and "sesame-open-42" not in done.stderr


def test_one_line_a_question_with_its_words_only_where_they_may_be_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    given = answer("It is `16` [1].", 1)
    asked = Record(given.id, "2026-01-05T10:00:00+00:00", "page", "e1", "the zebra?", given, None, {"whole": 1.5})
    question_line(shows_questions=False)(asked)
    question_line(shows_questions=True)(asked)
    question_line(shows_questions=False)(Record("2", asked.at, "http", "e2", "the zebra?", None, "Busy"))
    lines = [json.loads(r.getMessage()) for r in caplog.records if r.name == "repopilot.questions"]
    expected = {"surface": "page", "answer": given.id, "outcome": "answered", "reason": None, "seconds": 1.5}
    assert lines[0] == {**expected, "citations": 1}
    assert lines[1] == {**lines[0], "question": "the zebra?"}
    assert (lines[2]["outcome"], lines[2]["reason"], lines[2]["answer"]) == ("failed", "Busy", None)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The real service, which has a token of its own and one of GitHub's."""
    settings = {
        "REPOPILOT_LOG_FORMAT": "json",
        "REPOPILOT_API_TOKEN": "sesame-open-42",
        "REPOPILOT_GITHUB_TOKEN": TOKENS["a personal token"],
        "REPOPILOT_GITHUB_WEBHOOK_SECRET": "hook-secret-42",
        "REPOPILOT_GITHUB_URL": "http://127.0.0.1:9",
    }
    with Running(tmp_path_factory.mktemp("logs"), free_port(), settings, "example-org/boat") as made:
        made.start()
        yield made
        made.stop()


def test_every_line_of_a_service_is_json_with_the_id_of_its_request(running: Running) -> None:
    ours = {"Authorization": "Bearer sesame-open-42"}
    asked = {"question": "What is the default KV block size?"}
    for number, token in enumerate((ours, {"Authorization": "Bearer sesame-wrong-43"}), start=1):
        sent = httpx.post(f"{running.url}/ask", json=asked, headers={"X-Request-ID": f"request-{number}", **token})
        assert sent.headers["X-Request-ID"] == f"request-{number}"
    httpx.post(f"{running.url}/ask", content=b"{", headers={"X-Request-ID": "request-3", **ours})
    anyio.run(anyio.sleep, 0.3)  # a line follows its response
    lines = [json.loads(line) for line in running.log.splitlines()]
    about = {n: [line for line in lines if line.get("event") == f"request-{n}"] for n in (1, 2, 3)}
    assert [line["logger"] for line in about[1]] == ["repopilot.questions", "repopilot.http"]
    question, request = about[1]
    assert question["surface"] == "http" and question["outcome"] == "answered" and question["citations"]
    assert (request["message"], request["path"], request["status"]) == ("request", "/ask", 200)
    assert [line["status"] for n in (2, 3) for line in about[n]] == [401, 400]
    for secret in ("sesame", "default KV", "hook-secret", TOKENS["a personal token"]):
        assert secret not in running.log


def test_what_uvicorn_says_goes_the_same_way(running: Running) -> None:
    port = running.url.rpartition(":")[2]
    with pytest.raises(subprocess.CalledProcessError) as failed:
        running.run("serve", "--port", port)
    lines = [json.loads(line) for line in failed.value.stderr.splitlines()]
    assert [line["logger"] for line in lines if "address already in use" in line["message"]] == ["uvicorn.error"]
