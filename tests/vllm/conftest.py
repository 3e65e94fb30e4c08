"""Fixtures of the tests that need a real vLLM server. When they run, they run: nothing here skips."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# This folder is no package (--import-mode=importlib), and prepare.py must also run by itself.
sys.path.insert(0, str(Path(__file__).parent))

from server import VllmServer, serving


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known where this folder is collected."""
    config.addinivalue_line("markers", "vllm: needs a real vLLM server (3.5 GB and minutes at its first run)")


@pytest.fixture(scope="session")
def _session_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VllmServer]:
    with serving(tmp_path_factory.mktemp("vllm") / "server.log") as server:
        yield server


@pytest.fixture
def vllm_server(_session_server: VllmServer) -> VllmServer:
    """A healthy server, the same for the whole session; a test may kill it, the next one finds it running again."""
    _session_server.ensure_running()
    return _session_server
