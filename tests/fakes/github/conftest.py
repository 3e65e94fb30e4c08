from __future__ import annotations

from collections.abc import Iterator

import pytest

from fakes.github.server import GitHubServer


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        yield server
