"""The openai client of a real service on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import openai
import pytest

OpenClient = Callable[..., openai.OpenAI]


@pytest.fixture
def client_of(serve: Callable[..., httpx.Client]) -> Iterator[OpenClient]:
    """Starts a service with these HttpOptions; `answerer` may be a script. Retries are off unless asked for."""
    with ExitStack() as held:

        def start(answerer: Any = None, *, key: str = "none", max_retries: int = 0, **options: Any) -> openai.OpenAI:
            url = f"{serve(answerer, **options).base_url}/v1".replace("//v1", "/v1")
            return held.enter_context(openai.OpenAI(base_url=url, api_key=key, max_retries=max_retries, timeout=10))

        yield start
