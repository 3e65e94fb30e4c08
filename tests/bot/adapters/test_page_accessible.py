"""No accessibility fault that axe finds (WCAG 2.2 A and AA, and good practice) in any state, theme or width."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from bot import types as domain
from bot.adapters.http import PageOptions
from bot.lines import LineReader
from bot.model import Busy
from bot.retrieval import index_of
from fakes.answerer import ScriptedAnswerer
from fakes.browser import CHROMIUM, Visits, browsing
from fakes.library import Library

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="axe is not run: no Chromium on PATH")

ALL: Final[dict[str, Any]] = {"resultTypes": ["violations"]}
TEXT: Final = """## How it is counted

It *is* **sixteen** `tokens` [1], as [2] says.

> A quotation.

1. one
2. two

| name | value |
|---|--:|
| `size` | 16 |

```python
@cached
def size(tokens: int = 1) -> str:
    '''Doc.'''
    return "sixteen" + 16  # a comment
```
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def url(library: Library, serve_long: Any) -> Callable[..., str]:
    """The address of a service that does these steps whatever it is asked."""

    def start(*steps: Any, **options: Any) -> str:
        lines = LineReader(library.stores, library.retriever)
        answerer: Any = ScriptedAnswerer(domain.PassagesFound((), index_of(library.retriever.snapshot())), *steps)
        return str(serve_long(page=PageOptions(answerer, lines), **options).base_url)

    return start


def answer(library: Library, text: str = TEXT, **changed: Any) -> domain.Answer:
    link = "https://code.example/blocks.py"
    citations = (
        domain.Citation(1, "cache/blocks.py", 4, 6, "allocate", link),
        domain.Citation(2, "docs/naïve guide.md", 1, 1, "Guide", link),
    )
    rest = {"declined": False, "reason": None, "warnings": ("The `model` is down.",)} | changed
    return domain.Answer("a1", text, citations, model="stand-in", index=index_of(library.retriever.snapshot()), **rest)


def start(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_contain_text("Ask about")


def asked(page: Page) -> None:
    page.get_by_label("Question", exact=True).fill("How many tokens does a block hold?")
    page.keyboard.press("Enter")
    expect(page.locator(".read, .note").first).to_be_visible()


def source(page: Page) -> None:
    asked(page)
    page.locator(".answer .cite").first.click()
    expect(page.locator(".cited").first).to_be_visible()


def judged(page: Page) -> None:
    asked(page)
    page.get_by_role("button", name="This did not help").click()


def key(page: Page) -> None:
    expect(page.get_by_label("Key", exact=True)).to_be_visible()


STATES: Final[dict[str, Any]] = {
    "start": (start, lambda library: []),
    "answered": (asked, lambda library: [answer(library)]),
    "source": (source, lambda library: [answer(library)]),
    "judged": (judged, lambda library: [answer(library)]),
    "declined": (asked, lambda library: [answer(library, "Nothing. [1] and [2].", declined=True, reason="not_found")]),
    "failed": (asked, lambda library: [domain.Token("Half.\n\n"), Busy()]),
    "key": (key, lambda library: []),
}


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing(browser: Browser, library: Library, url: Callable[..., str], state: str) -> None:
    arrange, steps = STATES[state]
    visits = Visits(browser, url(*steps(library), api_token="sesame" if state == "key" else None))
    checker = axe.Axe()
    # Its script is put into the page, which the policy would not let in.
    page = visits.open(bypass_csp=True, reduced_motion="reduce")
    arrange(page)
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 800})
        for scheme, rules in (("light", ALL), ("dark", {"runOnly": ["color-contrast"]})):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            found = checker.run(page, options=ALL | rules)
            assert found.violations_count == 0, f"{state}, {width} px, {scheme}:\n{found.generate_report()}"
    visits.close()
