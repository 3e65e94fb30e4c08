"""What one case of sections A and B showed: the exchanges with us, and what we did at GitHub."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLError, parse, value_from_ast_untyped
from graphql.language import FieldNode, OperationDefinitionNode

from cases.http_observation import HttpObservation
from fakes.github.calls import Call
from fakes.github.world import Change

_QUESTION = re.compile(r"<question>\n?(.*?)\n?</question>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Signed:
    """What arrived signed: the secret, the raw bytes, and the header as it was sent."""

    secret: str
    body: bytes
    header: str


@dataclass(frozen=True, slots=True)
class GitHubObservation(HttpObservation):
    """`api` are our requests to GitHub, `created`, `edited` and `deleted` what they came to, in their order.

    `index_jobs` is None where nobody counted them. `worker_alive` says whether a later question was still answered.
    """

    api: Sequence[Call] = ()
    created: Sequence[Change] = ()
    edited: Sequence[Change] = ()
    deleted: Sequence[Change] = ()
    minimized: Sequence[Change] = ()
    reacted: Sequence[Change] = ()
    questions: Sequence[str] = ()
    index_jobs: int | None = None
    worker_alive: bool | None = None
    peak_growth_mb: float | None = None
    settings_missing: Sequence[str] = ()
    signed: Signed | None = None
    said: str = ""
    """what the model was told to answer"""

    @property
    def replies(self) -> list[str]:
        return [change.body for change in self.created]


@dataclass(frozen=True, slots=True)
class Mutation:
    """One mutation of a GraphQL request, with its input as the server reads it."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)


def mutations(call: Call) -> list[Mutation]:
    """The mutations of a request; none for a query, or for what is no GraphQL."""
    asked = call.json if call.path == "/graphql" else None
    if not isinstance(asked, dict):
        return []
    try:
        document = parse(str(asked.get("query", "")))
    except GraphQLError:
        return []
    found = [
        node
        for definition in document.definitions
        if isinstance(definition, OperationDefinitionNode) and definition.operation.value == "mutation"
        for node in definition.selection_set.selections
        if isinstance(node, FieldNode)
    ]
    return [Mutation(node.name.value, _input(node, asked.get("variables") or {})) for node in found]


def _input(node: FieldNode, variables: Mapping[str, Any]) -> Mapping[str, Any]:
    values = {arg.name.value: value_from_ast_untyped(arg.value, dict(variables)) for arg in node.arguments or ()}
    return values.get("input") or {}


def question_in(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """The question that a request to the model holds, in its last message of the user."""
    texts = [_content(message) for message in messages if message.get("role") == "user"]
    found = _QUESTION.findall(texts[-1]) if texts else []
    return found[-1].strip() if found else None


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
