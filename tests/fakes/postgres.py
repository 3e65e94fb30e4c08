"""A real PostgreSQL server of our own on loopback, in a temporary folder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from cases.program import free_port

NOBODY = 65534
PATIENCE_S = 30.0


def available() -> bool:
    return bool(shutil.which("initdb") and shutil.which("postgres"))


@contextmanager
def postgres() -> Iterator[str]:
    """The address of a database of a server that runs as long as the context is open. It refuses to run as root."""
    with TemporaryDirectory(prefix="pg") as name:
        folder, port = Path(name), free_port()
        root = os.geteuid() == 0
        if root:
            os.chown(folder, NOBODY, NOBODY)
        lowered = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups") if root else ()
        data = str(folder / "data")
        initialise = (*lowered, "initdb", "-D", data, "-U", "repopilot", "--auth=trust", "--no-sync")
        subprocess.run(initialise, check=True, capture_output=True, cwd=folder)
        options = ("-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}")
        with (folder / "log").open("wb") as log:
            command = (*lowered, "postgres", "-D", data, "-p", str(port), *options)
            server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
        try:
            url = f"postgresql://repopilot@127.0.0.1:{port}/postgres"
            _wait_for(url)
            yield url
        finally:
            server.send_signal(signal.SIGINT)  # at once: SIGTERM waits for whoever is still connected
            server.wait(PATIENCE_S)


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
