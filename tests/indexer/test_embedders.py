"""What the index expects of an embedder, of each that needs no server and no other library."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fakes.embedder import HashingEmbedder
from fakes.embedder_contract import keeps_the_contract
from indexer.embedding import Embedder
from indexer.embedding.static import StaticEmbedder

EMBEDDERS: tuple[Callable[[], Embedder], ...] = (StaticEmbedder, HashingEmbedder)


@pytest.mark.parametrize("make", EMBEDDERS)
def test_it_keeps_the_contract(make: Callable[[], Embedder]) -> None:
    keeps_the_contract(make())
