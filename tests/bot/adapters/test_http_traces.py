"""A question's spans below the span of its request, which goes on with the caller's trace."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.answering import Answerer
from bot.observing import ObservedAnswerer
from bot.telemetry import open_tracing
from fakes.collector import collector
from fakes.library import Library
from fakes.model import ScriptedModel

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.mark.parametrize("stream", [False, True])
def test_a_question_lies_below_its_request_and_that_below_its_caller(
    serve: Any, library: Library, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    with collector() as collected:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collected.url)
        tracing = open_tracing(shows_questions=False, version="1")
        assert tracing
        model = ScriptedModel("tiny").say("A block holds 16 tokens [1].")
        answerer = ObservedAnswerer(Answerer(library.retriever, model), "http", [tracing.question])
        client = serve(answerer, tracer_provider=tracing.provider)
        client.post(
            "/ask?about=ZEBRA",
            json={"question": "how many blocks hold the tokens", "stream": stream},
            headers={"traceparent": f"00-{TRACE}-{PARENT}-01", "X-Request-ID": "request-1"},
        ).raise_for_status()
        tracing.provider.shutdown()
    request, question, retrieval, chat = map(collected.named, ("POST", "question", "retrieval", "chat tiny"))
    assert {span.trace for span in collected.spans} == {TRACE}
    assert request.parent == PARENT and question.parent == request.id
    assert retrieval.parent == chat.parent == question.id
    assert request.name == "POST /ask" and request.attributes["http.response.status_code"] == 200
    assert question.attributes["repopilot.event"] == "request-1"
    assert request.began <= question.began <= retrieval.ended == chat.began <= chat.ended <= request.ended
    told = json.dumps([span.attributes for span in collected.spans])
    assert "ZEBRA" not in told and "how many" not in told
