"""The vLLM server alone, as the program uses it: when these fail, the fault is not RepoPilot's."""

import json
from typing import Any

import httpx
import pytest
from server import VllmServer

# The first test of a machine makes the environment and the model.
pytestmark = [pytest.mark.vllm, pytest.mark.timeout(1800)]

QUESTION = [{"role": "user", "content": "Name three colours of the rainbow."}]
SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string", "maxLength": 60}, "source": {"type": "integer", "enum": [1, 2, 3]}},
    "required": ["text", "source"],
    "additionalProperties": False,
}


def test_it_serves_the_model_by_its_name(vllm_server: VllmServer) -> None:
    listed = httpx.get(f"{vllm_server.base_url}/models", timeout=30).json()
    assert [model["id"] for model in listed["data"]] == [vllm_server.model]


def test_it_answers(vllm_server: VllmServer) -> None:
    reply = httpx.post(**_request(vllm_server, max_tokens=40))
    assert reply.status_code == httpx.codes.OK, reply.text
    assert reply.json()["choices"][0]["message"]["content"].strip()


def test_it_streams(vllm_server: VllmServer) -> None:
    with httpx.stream(method="POST", **_request(vllm_server, max_tokens=40, stream=True)) as reply:
        data = [line.removeprefix("data: ") for line in reply.iter_lines() if line]
    deltas = [json.loads(piece)["choices"][0]["delta"].get("content") for piece in data[:-1]]
    assert data[-1] == "[DONE]"
    assert len(list(filter(None, deltas))) > 1


def test_it_keeps_to_a_json_schema(vllm_server: VllmServer) -> None:
    schema = {"type": "json_schema", "json_schema": {"name": "statement", "schema": SCHEMA, "strict": True}}
    reply = httpx.post(**_request(vllm_server, max_tokens=200, response_format=schema))
    statement = json.loads(reply.json()["choices"][0]["message"]["content"])
    assert statement.keys() == {"text", "source"}
    assert statement["source"] in {1, 2, 3}


def test_it_counts_what_it_generates(vllm_server: VllmServer) -> None:
    before = vllm_server.metric("vllm:generation_tokens_total")
    httpx.post(**_request(vllm_server, max_tokens=5, ignore_eos=True))
    assert vllm_server.metric("vllm:generation_tokens_total") == before + 5


def _request(server: VllmServer, **options: object) -> dict[str, Any]:
    """Return the arguments of one chat completion, the same at every run."""
    body = {"model": server.model, "messages": QUESTION, "temperature": 0, **options}
    return {"url": f"{server.base_url}/chat/completions", "json": body, "timeout": 120}
