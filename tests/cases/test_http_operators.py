"""Each operator of section G accepts a good observation and refuses a bad one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cases.examples import Example, example, judged, number_examples, text_examples
from cases.http_observation import Exchange, HttpObservation, ModelCall
from cases.http_section import OPERATORS

ANSWER: dict[str, Any] = {
    "id": "1",
    "answer": "16 [1].",
    "citations": [{"number": 1, "path": "a.py", "url": "https://h/blob/abc/a.py#L1-L2"}],
    "declined": False,
    "warnings": [],
    "index": {"commit": "abc"},
}
SHAPE = {"error": {"code": "str", "message": "str"}}
RIGHT_ERROR = {"error": {"code": "x", "message": "y"}}


def received(body: object = None, status: int = 200, **more: Any) -> Exchange:
    text = body if isinstance(body, str) else json.dumps(ANSWER if body is None else body)
    return Exchange(status, more.pop("headers", {}), text, **more)


def seen(*exchanges: Exchange, **more: Any) -> HttpObservation:
    return HttpObservation(exchanges, **more)


def answering(**changes: object) -> HttpObservation:
    return seen(received(ANSWER | changes))


def streaming(text: str) -> HttpObservation:
    return seen(received(text, headers={"content-type": "text/event-stream; charset=utf-8"}))


def streamed(*names: str, token: str = "16 [1].") -> HttpObservation:
    data = {"passages": [], "token": {"text": token}, "answer": ANSWER, "error": RIGHT_ERROR}
    return streaming("".join(f"event: {name}\ndata: {json.dumps(data[name])}\n\n" for name in names))


def asked(*prompts: str) -> HttpObservation:
    return seen(received(), calls=[ModelCall(prompt) for prompt in prompts])


def with_header(name: str, value: str, status: int = 200) -> HttpObservation:
    return seen(received(status=status, headers={name: value}))


def cancelled(outcome: str | None, seconds: float) -> HttpObservation:
    return seen(calls=[ModelCall("p", outcome, seconds)])


def statuses(code: int) -> dict[str, Any]:
    return {"status_of": lambda _: code}


FULL = streamed("passages", "token", "answer")

EXAMPLES: list[Example[HttpObservation]] = [
    *number_examples("status", lambda n: seen(received(status=n))),
    *number_examples("first_status", lambda n: seen(received(status=n), received())),
    *number_examples("last_status", lambda n: seen(received(), received(status=n))),
    *number_examples("seconds", lambda n: seen(received(seconds=n))),
    *number_examples("p50_seconds", lambda n: seen(received(seconds=n), received(seconds=99))),
    *number_examples("p95_seconds", lambda n: seen(received(seconds=1), received(seconds=n))),
    *number_examples("p99_seconds", lambda n: seen(received(seconds=1), received(seconds=n))),
    *number_examples("llm_calls", lambda n: asked(*["p"] * n)),
    *number_examples("llm_concurrency", lambda n: seen(llm_concurrency=n)),
    *number_examples("citations", lambda n: answering(citations=[{}] * n)),
    *number_examples("warnings", lambda n: answering(warnings=["w"] * n)),
    *number_examples("passages", lambda n: seen(received({"passages": [{}] * n}))),
    *number_examples("healthz_status", lambda n: seen(**statuses(n))),
    *number_examples("readyz_status", lambda n: seen(**statuses(n))),
    *number_examples("status_status", lambda n: seen(**statuses(n))),
    *number_examples("metrics_status", lambda n: seen(**statuses(n))),
    *number_examples("openapi.json_status", lambda n: seen(**statuses(n))),
    *text_examples("body", lambda text: seen(received(text))),
    *text_examples("answer", lambda text: answering(answer=text)),
    *text_examples("prompt", asked),
    *text_examples("log", lambda text: seen(log=text)),
    example("server", seen(received(), **statuses(200)), seen(received(), exit_code=1), value="alive"),
    example("server", seen(received(), **statuses(200)), seen(received(), **statuses(0)), value="alive"),
    example("start", seen(exit_code=2, log="Set a token."), seen(log="started"), value="refused or loud warning"),
    example("start", seen(log="WARNING: no token"), seen(exit_code=1, log=""), value="refused or loud warning"),
    example("start", seen(), seen(exit_code=1), value="ok"),
    example("contract", answering(), seen(received(status=503)), value={"status": 200, "from": "design"}),
    example("contract", answering(warnings=["w"]), answering(), value={"warnings_min": 1}),
    example("contract", answering(), answering(answer=" "), value={"answer_nonempty": True}),
    example("contract", answering(), answering(citations=[]), value={"citations_min": 1}),
    example("contract", answering(declined=True), answering(), value={"declined": True}),
    example("if_error_then_shape", seen(received(RIGHT_ERROR, 400)), seen(received({"detail": "x"}, 400)), json=SHAPE),
    example("if_error_then_shape", seen(received(RIGHT_ERROR, 400)), seen(received("oops", 500)), json=SHAPE),
    example("if_error_then_shape", streamed("error"), streaming("event: error\ndata: {}\n\n"), json=SHAPE),
    example("header", with_header("Allow", "POST"), with_header("Allow", "GET"), name="allow", regex="POST"),
    example("header", with_header("Allow", "POST"), seen(received()), name="Allow"),
    example("header_absent", seen(received()), with_header("Server", "x"), name="Server"),
    example("header_if_status", seen(received()), seen(received(status=503)), name="Retry-After", status=503),
    example("each_has_retry_after", with_header("Retry-After", "3", 429), seen(received(status=429)), statuses=[429]),
    example("status_share_min", seen(received()), seen(received(status=429)), status=200, share=0.05),
    example("status_share_max", seen(received()), seen(received(status=429)), status=429, share=0.5),
    example("not_charged_for_health", seen(**statuses(200)), seen(**statuses(429))),
    example("no_exception_logged", seen(log="ERROR one line"), seen(log="Traceback (most recent call last):")),
    example("no_exception_logged", seen(log="INFO fine"), seen(log="x ERROR y"), level="error"),
    example("json_has", answering(), answering(index={}), keys=["id", "index.commit", "citations.0.path"]),
    example("json_lacks", answering(), answering(secret=1), keys=["secret"]),
    example("json_equals", answering(), answering(id="2"), key="id", value="1"),
    example("declined", answering(), answering(declined=True), value=False),
    example("citation_numbers_match_text", answering(), answering(answer="16 [2].")),
    example("citation_numbers_match_text", answering(), answering(answer="16.")),
    example("if_200", answering(warnings=["w"]), answering(), then="retrieval_only flagged and citations present"),
    example("if_200", answering(), answering(citations=[]), then="citations present"),
    example("if_200", answering(), answering(answer=""), then="answer present"),
    example("if_200", answering(declined=True), answering(), then="declined"),
    example("says_no_answer", answering(declined=True), answering()),
    example("says_no_answer_or_retrieval_only", answering(warnings=["w"]), answering()),
    example("no_mixed_commits_in_one_answer", answering(), answering(index={"commit": "def"})),
    example(
        "commit_field_changes_or_stays_valid",
        seen(received(), commits=frozenset({"abc"})),
        seen(received(), commits=frozenset({"def"})),
    ),
    example("second_prompt_shorter", asked("long", "s"), asked("long", "longer")),
    example("second_prompt_shorter", asked("long", "s"), asked("long")),
    example("citations_only_from_kept_sources", asked("x a.py"), asked("a.py", "b.py")),
    example("sse_parses", FULL, streaming("event: token\ndata: x\nlost line\n\n")),
    example("sse_parses", FULL, streaming("event: answer\ndata: no json\n\n")),
    example("sse_parses", FULL, streaming("event: token\ndata: x\n\nevent: answer\ndata: {}\n")),
    example("joined_equals_final", FULL, streamed("passages", "token", "token", "answer")),
    example(
        "event_order",
        FULL,
        streamed("token", "passages", "answer"),
        first="passages",
        then="token*",
        last_in=["answer"],
    ),
    example("event_order", FULL, streamed("passages", "answer"), first="passages", then="token+", last_in=["answer"]),
    example(
        "event_order",
        streamed("passages", "error"),
        streamed("passages", "token"),
        first="passages",
        then="token*",
        last_in=["error"],
    ),
    example("llm_request_cancelled_s_max", cancelled("cancelled", 1), cancelled("cancelled", 6), n=5),
    example("llm_request_cancelled_s_max", cancelled("cancelled", 1), cancelled("finished", 1), n=5),
    example("llm_request_cancelled_s_max", cancelled("cancelled", 1), seen(), n=5),
    example("slot_freed", seen(follow_up=received()), seen(follow_up=received(status=503))),
    example("slot_freed", seen(follow_up=received()), seen(follow_up=received(seconds=60))),
    example("one_of", answering(declined=True), answering(), options=["says_no_answer", "unheard_of"]),
    example("one_of", seen(received()), seen(received(status=500)), value=[{"status": 200}, {"status_in": [201]}]),
]


@pytest.mark.parametrize("tried", EXAMPLES, ids=str)
def test_an_operator_accepts_the_good_and_refuses_the_bad(tried: Example[HttpObservation]) -> None:
    good, bad = judged(OPERATORS, tried)
    assert good is None
    assert bad and not bad.startswith("cannot be read")


@pytest.mark.parametrize("tried", EXAMPLES, ids=str)
def test_an_operator_reads_its_check_even_when_there_is_nothing_to_see(tried: Example[HttpObservation]) -> None:
    assert not str(OPERATORS.difference(HttpObservation(), tried.check)).startswith("unknown field")


def test_every_operator_has_an_example() -> None:
    assert {tried.op for tried in EXAMPLES} == OPERATORS.names


@pytest.mark.parametrize(
    "check",
    [
        {"op": "if_200", "then": "sung"},
        {"op": "start", "value": "softly"},
        {"op": "contract", "value": {"tune": 1}},
        {"op": "server", "value": "asleep"},
    ],
)
def test_words_it_does_not_know_fail(check: dict[str, Any]) -> None:
    assert str(OPERATORS.difference(answering(), check)).startswith("unknown")


def test_a_response_that_never_came_is_said_so() -> None:
    broken = seen(Exchange(0, failure="ReadError: reset"))
    assert OPERATORS.difference(broken, {"op": "status_in", "value": [200]}) == "expected in [200] got ReadError: reset"
