"""Debian's headless Chromium through Playwright, and what went wrong on the pages that it showed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

CHROMIUM: Final = shutil.which("chromium") or shutil.which("google-chrome")
# A policy that refuses something says so here and, in Chromium, on the console.
_LISTENING: Final = (
    "document.addEventListener('securitypolicyviolation', e => console.error('refused: ' + e.violatedDirective))"
)


@contextmanager
def browsing() -> Iterator[Browser]:
    """One browser. CHROMIUM must be there."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Visits:
    """Pages of one service, each in a fresh profile; `faults` are what they and their policies complained of, and what
    they asked of other hosts."""

    browser: Browser
    url: str
    faults: list[str] = field(default_factory=list)
    others: Sequence[str] = ()

    def __post_init__(self) -> None:
        self._contexts: list[BrowserContext] = []

    def context(self, **options: Any) -> BrowserContext:
        context = self.browser.new_context(**{"viewport": {"width": 1280, "height": 800}} | options)
        context.set_default_timeout(10_000)
        context.add_init_script(_LISTENING)
        context.on("console", lambda said: self._complaint(said.type, said.text))
        context.on("weberror", lambda error: self.faults.append(str(error.error)))
        context.on("request", lambda request: self._asked(request.url))
        self._contexts.append(context)
        return context

    def open(self, path: str = "/", **options: Any) -> Page:
        page = self.context(**options).new_page()
        page.goto(f"{self.url}{path}")
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _complaint(self, kind: str, text: str) -> None:
        # Chromium logs every response with an error, which tests ask for.
        if kind in ("error", "warning") and not text.startswith("Failed to load resource"):
            self.faults.append(text)

    def _asked(self, url: str) -> None:
        if not url.startswith((self.url, "data:", "blob:", *self.others)):
            self.faults.append(f"asked {url}")
