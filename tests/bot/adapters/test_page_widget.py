"""The widget on somebody else's site, in a real browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from bot.adapters.http import PageOptions
from bot.answering import Answerer
from bot.lines import LineReader
from fakes.browser import CHROMIUM, Visits, browsing
from fakes.library import REPOSITORY, Library

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="the widget is not tested in a browser: no Chromium on PATH")

# What docs/widget.md tells sites with a policy to allow, and nothing else.
POLICY: Final = (
    "default-src 'self'; script-src {service}; frame-src {service}; style-src 'self'; base-uri 'none';"
    " require-trusted-types-for 'script'"
)
PAGE: Final = """<!doctype html><html lang="en"><title>Boats</title><link rel="stylesheet" href="/site.css">
<h1>Boats</h1><p><a href="#x" id="before">A link</a></p><button>Theirs</button>
<script src="{service}/widget.js" data-repository="{repository}" data-label="Ask the code" async></script></html>"""
STYLE: Final = "button, dialog, h2 { display: none !important; font-size: 90px !important } body { height: 3000px }"


@contextmanager
def site() -> Iterator[Any]:
    """A documentation site on loopback; `service` is whose widget it shows."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            service: str = self.server.service  # type: ignore[attr-defined]
            is_style = self.path.endswith(".css")
            body = STYLE if is_style else PAGE.format(service=service, repository=REPOSITORY)
            self.send_response(200)
            self.send_header("Content-Type", "text/css" if is_style else "text/html")
            self.send_header("Content-Security-Policy", POLICY.format(service=service))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as found:
        yield found


@pytest.fixture
def docs(browser: Browser, serve: Any, library: Library) -> Iterator[Visits]:
    with site() as server:
        lines = LineReader(library.stores, library.retriever)
        client = serve(page=PageOptions(Answerer(library.retriever), lines, (server.url,)))  # type: ignore[arg-type]
        server.service = str(client.base_url).rstrip("/")
        visits = Visits(browser, server.url, others=(server.service,))
        yield visits
        visits.close()


def opened(page: Page) -> Any:
    page.get_by_role("button", name="Ask the code").click()
    return page.frame_locator("iframe")


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, {"width": 360, "height": 640}])
def test_it_answers_in_a_frame(docs: Visits, viewport: Any) -> None:
    page = docs.open(viewport=viewport)
    frame = opened(page)
    expect(page.get_by_role("dialog")).to_be_visible()
    question = frame.get_by_label("Question", exact=True)
    expect(question).to_be_focused()
    question.fill("how many blocks hold the tokens")
    question.press("Enter")
    expect(frame.locator(".read")).to_be_visible()
    frame.locator(".answer .cite").first.click()
    expect(frame.locator(".cited").first).to_be_visible()
    assert not page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")

    page.keyboard.press("Escape")  # the source
    expect(frame.locator(".cited").first).to_be_hidden()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")  # the widget, told by its frame
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("button", name="Ask the code")).to_be_focused()

    opened(page)
    expect(frame.locator(".turn")).to_have_count(1)
    expect(question).to_be_focused()
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert docs.faults == []


def test_no_style_leaks_either_way(docs: Visits) -> None:
    page = docs.open()
    ours = page.get_by_role("button", name="Ask the code")
    expect(ours).to_be_visible()
    assert ours.evaluate("element => getComputedStyle(element).fontSize") == "15px"
    expect(page.get_by_text("Theirs")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize") == "32px"


def test_the_rest_of_the_site_cannot_be_reached_while_it_is_open(docs: Visits) -> None:
    page = docs.open()
    frame = opened(page)
    expect(frame.get_by_label("Question", exact=True)).to_be_focused()
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") != "before"


def test_messages_of_others_are_not_heard(docs: Visits) -> None:
    page = docs.open()
    frame = opened(page)
    expect(frame.get_by_label("Question", exact=True)).to_be_focused()
    page.evaluate("window.postMessage({repopilot: 'close'}, '*')")
    page.wait_for_timeout(100)
    expect(page.get_by_role("dialog")).to_be_visible()


def test_a_site_that_is_not_allowed_shows_nothing(browser: Browser, serve: Any, library: Library) -> None:
    with site() as server:
        lines = LineReader(library.stores, library.retriever)
        page_options = PageOptions(Answerer(library.retriever), lines, ("https://docs.example.org",))  # type: ignore[arg-type]
        server.service = str(serve(page=page_options).base_url).rstrip("/")
        visits = Visits(browser, server.url, others=(server.service,))
        page = visits.open()
        opened(page)
        expect.set_options(timeout=5_000)
        page.wait_for_timeout(500)
        assert page.frame_locator("iframe").get_by_label("Question", exact=True).count() == 0
        assert any("frame-ancestors" in fault for fault in visits.faults)
        visits.close()
