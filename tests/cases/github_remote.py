"""A repository as a plain web server offers it to git; it counts how often somebody came to read it.

https://git-scm.com/book/en/v2/Git-Internals-Transfer-Protocols#_the_dumb_protocol
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cases.repository import Repository

HOLD_LIMIT_S = 30.0


class Remote:
    """`reads` is how often the list of refs was read, with which every look at a repository begins.

    How many looks the program takes when it indexes is its own affair: `settle` says that it has just done so once.
    """

    def __init__(self, folder: Path) -> None:
        self.reads = 0
        self._reads_of_one = 1
        self._open = threading.Event()
        self._open.set()
        remote = self

        class Handler(SimpleHTTPRequestHandler):
            def __init__(self, *arguments: Any) -> None:
                super().__init__(*arguments, directory=str(folder))

            def log_message(self, format: str, *args: object) -> None:
                """Silence: the count says it."""

            def do_GET(self) -> None:
                remote.reads += self.path.partition("?")[0].endswith("/info/refs")
                remote._open.wait(HOLD_LIMIT_S)
                super().do_GET()

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Whoever reads meanwhile waits until the end of the context."""
        self._open.clear()
        try:
            yield
        finally:
            self._open.set()

    def settle(self) -> None:
        self._reads_of_one, self.reads = max(self.reads, 1), 0

    @property
    def jobs(self) -> int:
        """How often it was indexed since."""
        return -(-self.reads // self._reads_of_one)

    def __enter__(self) -> Remote:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def offered(repository: Repository, folder: Path) -> None:
    """Put a bare copy of the repository into a folder for a Remote."""
    repository.bash(f"git clone -q --bare . '{folder}' && git -C '{folder}' update-server-info")
