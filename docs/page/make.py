"""`python docs/page/make.py [--home FOLDER] [--only NAME…]`: pictures of the page, taken of a real service.

The service reads the index in that folder and answers by the settings at hand. Needs Chromium on PATH.
"""

from __future__ import annotations

import http.server
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from string import Template
from typing import Any, Final

import click
from playwright.sync_api import Browser, Page, sync_playwright

HERE: Final = Path(__file__).parent
WIDE: Final = {"viewport": {"width": 1360, "height": 850}}
NARROW: Final = {"viewport": {"width": 390, "height": 780}, "device_scale_factor": 2, "has_touch": True}
QUESTION: Final = "What is the default of --cpu-offload-gb?"
NOWHERE: Final = "When will the next release come out?"
DOCUMENTATION: Final = HERE / "documentation.html"


def begin(page: Page, url: str) -> None:
    page.goto(url)
    page.get_by_role("heading", level=1).get_by_text("Ask about").wait_for()


def ask(page: Page, question: str = QUESTION, until: str = ".read") -> None:
    page.get_by_label("Question", exact=True).fill(question)
    page.keyboard.press("Enter")
    page.locator(".turn").last.locator(until).wait_for()
    page.evaluate("window.scrollTo({top: 0, behavior: 'instant'})")


def open_source(page: Page) -> None:
    page.locator(".answer .cite").first.click()
    page.locator(".cited").first.wait_for()
    page.mouse.move(5, 5)
    page.wait_for_timeout(400)


def conversation(page: Page, url: str) -> None:
    begin(page, url)
    ask(page)


def source(page: Page, url: str) -> None:
    conversation(page, url)
    open_source(page)


def declined(page: Page, url: str) -> None:
    begin(page, url)
    ask(page, NOWHERE)


def offline(page: Page, url: str) -> None:
    begin(page, url)
    page.context.set_offline(True)
    ask(page, QUESTION, ".note")


def widget(page: Page, url: str) -> None:
    page.goto(os.environ["DOCUMENTATION"])
    page.get_by_role("button", name="Ask about the code").click()
    frame = page.frame_locator("iframe")
    frame.get_by_role("heading", level=1).get_by_text("Ask about").wait_for()
    frame.get_by_label("Question", exact=True).fill(QUESTION)
    frame.get_by_label("Question", exact=True).press("Enter")
    frame.locator(".read").wait_for()
    page.wait_for_timeout(600)


PICTURES: Final[dict[str, tuple[Callable[[Page, str], None], dict[str, Any], str]]] = {
    "start-light": (begin, WIDE, "light"),
    "source-light": (source, WIDE, "light"),
    "source-dark": (source, WIDE, "dark"),
    "conversation-light": (conversation, WIDE, "light"),
    "narrow-light": (conversation, NARROW, "light"),
    "narrow-source-dark": (source, NARROW, "dark"),
    "declined-dark": (declined, WIDE, "dark"),
    "offline-light": (offline, NARROW, "light"),
    "widget-light": (widget, WIDE, "light"),
}
KEPT: Final = ("source-light", "source-dark", "narrow-light", "narrow-source-dark", "declined-dark", "widget-light")


@contextmanager
def service(home: str | None, site: str) -> Iterator[str]:
    """The address of `repopilot serve`, whose widget that site may show."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"REPOPILOT_WIDGET_ORIGINS": site} | ({"REPOPILOT_HOME": home} if home else {})
    command = (sys.executable, "-m", "bot.cli", "serve", "--port", str(port))
    process = subprocess.Popen(command, env=os.environ | settings, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}/"
        while not _ready(url) and process.poll() is None:
            time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        process.wait(30)


def _ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}readyz"):
            return True
    except OSError:
        return False


@contextmanager
def documentation() -> Iterator[http.server.ThreadingHTTPServer]:
    """A made-up documentation site; its `page` is what it shows."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(self.server.page.encode())  # type: ignore[attr-defined]

        def log_message(self, format: str, *args: Any) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()


def photograph(browser: Browser, name: str, url: str, folder: Path) -> None:
    arrange, size, scheme = PICTURES[name]
    context = browser.new_context(**size, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    arrange(page, url)
    page.screenshot(path=folder / f"{name}.png")
    context.close()


@click.command(help=__doc__)
@click.option("--home", help="REPOPILOT_HOME of the index; default: the environment's.")
@click.option(
    "--only",
    "names",
    multiple=True,
    type=click.Choice(tuple(PICTURES)),
    help="Which to take; default: those of the documentation.",
)
@click.option("--folder", type=click.Path(path_type=Path), default=HERE, help="Where pictures are written.")
def main(home: str | None, names: Sequence[str], folder: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with documentation() as site, sync_playwright() as playwright:
        origin = f"http://127.0.0.1:{site.server_port}"
        os.environ["DOCUMENTATION"] = origin
        with service(home, origin) as url:
            site.page = Template(DOCUMENTATION.read_text()).substitute(service=url)  # type: ignore[attr-defined]
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for name in names or KEPT:
                photograph(browser, name, url, folder)
            browser.close()


if __name__ == "__main__":
    main()
