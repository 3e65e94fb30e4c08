"""A real Chroma server of our own on loopback, in a temporary folder."""

from __future__ import annotations

import socket
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from cases.program import free_port

PATIENCE_S = 60.0


@contextmanager
def chroma() -> Iterator[str]:
    """The address of a server that runs as long as the context is open."""
    with TemporaryDirectory(prefix="chroma") as folder:
        port = free_port()
        program = Path(sysconfig.get_path("scripts")) / "chroma"
        command = [str(program), "run", "--path", folder, "--host", "127.0.0.1", "--port", str(port)]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait_for(server, port)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()
            server.wait()


def _wait_for(server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert server.poll() is None and time.monotonic() < deadline, "the Chroma server did not come up"
        time.sleep(0.05)
