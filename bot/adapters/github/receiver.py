"""A server on loopback that shows the page on which an App is registered, and takes the code that GitHub sends back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from threading import Thread
from typing import Final
from urllib.parse import parse_qs, urlsplit

from bot.adapters.github.page import received_page

HOST: Final = "127.0.0.1"
BACK: Final = "/registered"
# "You must complete this step within one hour."
PATIENCE_S: Final = 3_600.0


class Receiver:
    """`url` is where the page is shown, `redirect_url` where GitHub is to lead back."""

    def __init__(self, port: int) -> None:
        self.codes: Queue[str] = Queue()
        self.url = f"http://{HOST}:{port}"

    @property
    def redirect_url(self) -> str:
        return f"{self.url}{BACK}"

    def wait(self, seconds: float = PATIENCE_S) -> str | None:
        """The code; None when it did not come in that time."""
        try:
            return self.codes.get(timeout=seconds)
        except Empty:
            return None


@contextmanager
def receiving(port: int, state: str, page: Callable[[str], str]) -> Iterator[Receiver]:
    """A receiver on a port (0: any) that serves `page(redirect_url)` and takes codes that come with the state.

    Raises OSError when the port is taken.
    """
    server = ThreadingHTTPServer((HOST, port), BaseHTTPRequestHandler)
    receiver = Receiver(server.server_port)
    server.RequestHandlerClass = _handler(receiver, state, page(receiver.redirect_url))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(receiver: Receiver, state: str, page: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
            if parts.path == "/":
                self._answer(200, page)
            elif parts.path != BACK or query.get("state") != state or not query.get("code"):
                self._answer(400, received_page("This is not the way back from the page that was opened here."))
            else:
                self._answer(200, received_page("The App is registered: go on in the terminal."))
                receiver.codes.put(query["code"])

        def _answer(self, status: int, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            for name, value in (
                ("Content-Type", "text/html; charset=utf-8"),
                ("Content-Length", str(len(body))),
                ("Cache-Control", "no-store"),
                ("Referrer-Policy", "no-referrer"),
            ):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the line would have the code in it."""

    return Handler
