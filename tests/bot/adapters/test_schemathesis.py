"""What the OpenAPI document promises holds for requests that nobody thought of: schemathesis asks the real service."""

from __future__ import annotations

import json
import re
from typing import Any
from uuid import uuid4

import httpx
import pytest
import schemathesis
from hypothesis import settings
from schemathesis.config import SchemathesisConfig

from bot.adapters.http.__main__ import document
from bot.adapters.http.wire import BARE_KEY, KEY_IN_QUOTES
from fakes.library import REPOSITORY

FEW = settings.get_current_profile_name() == "tests"
REFUSALS = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429]
CONFIG = {
    "seed": 8,
    "generation": {"deterministic": FEW, "max-examples": 5 if FEW else 500},
    "phases": {"stateful": {"enabled": False}},
    # A body that is too large is refused for that, whatever else is wrong with it.
    "checks": {"negative_data_rejection": {"expected-statuses": REFUSALS}},
}


def narrowed() -> dict[str, Any]:
    """The document, in which versions are called as the library's is: random names would all be of nothing."""
    whole: dict[str, Any] = json.loads(document())
    schemas = whole["components"]["schemas"]
    for name in ("AskRequest", "SearchRequest"):
        schemas[name]["properties"]["repository"] = {"enum": [None, REPOSITORY]}
        schemas[name]["properties"]["ref"] = {"enum": [None]}
    return whole


schema = schemathesis.openapi.from_dict(narrowed(), config=SchemathesisConfig.from_dict(CONFIG))


@pytest.mark.hypothesis
@schema.parametrize()
def test_every_answer_is_as_it_is_described(case: schemathesis.Case, equipped: httpx.Client) -> None:
    key = case.headers and case.headers.get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(f"{KEY_IN_QUOTES}|{BARE_KEY}", key):
        case.headers["Idempotency-Key"] = uuid4().hex  # one that was drawn before is of another question
    case.call_and_validate(base_url=str(equipped.base_url), headers={"Authorization": "Bearer sesame"}, timeout=10)
