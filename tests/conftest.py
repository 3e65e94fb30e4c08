"""How tests are run: the long ones first, so that no process is left alone with one at the end.

hypothesis draws the same examples each time, and many new ones in `make fuzz`.

A property that a random example refutes says nothing about the change that is being tested, so the tests repeat;
whatever `make fuzz` finds becomes an `@example`.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does, before NumPy is imported
settings.register_profile("tests", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=3_000, print_blob=True)
settings.load_profile("tests")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked `slow` come first; else the order stays."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
